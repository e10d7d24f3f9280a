/**
 * How a method of version 1 is made of one of version 2: the request told in the words of the
 * other, the answer told back. There is no state and no rule of its own here.
 */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Call, Handler } from "../rpc/call.ts";
import type { ServedMethods } from "../rpc/methods.ts";
import { EMPTY_REPLY, messageReply } from "../rpc/reply.ts";
import { type Names, renamed } from "./names.ts";

/** Runs a method of version 2 for a call of version 1. */
export type Invoke = ServedMethods["invoke"];

/** A method of version 1 and what answers it. */
export type Adapted = readonly [method: DescMethodUnary, handler: Handler];

/** What differs between the two versions of a method. */
export interface Translation<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
> {
  readonly method: DescMethodUnary<In1, Out1>;
  readonly onto: DescMethodUnary<In2, Out2>;
  request(given: MessageShape<In1>, call: Call): MessageInitShape<In2>;
  /** Left out where the answer says nothing but "done". */
  answer?(told: MessageShape<Out2>): MessageInitShape<Out1>;
  /** What fields of version 2 are called here, for errors that name them. */
  readonly names?: Names;
}

/**
 * The handler of a method that has one counterpart.
 *
 * @example adapt(invoke, { method: Groups.method.delete, onto: GroupsService.method.deleteGroup,
 *   request: ({ id }) => ({ uid: id }) })
 */
export function adapt<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
>(invoke: Invoke, translation: Translation<In1, Out1, In2, Out2>): Adapted {
  const { method, onto, request, answer, names = {} } = translation;
  const handler: Handler = async (call, message) => {
    const told = request(message as MessageShape<In1>, call);
    const done = invoke(call, onto, create(onto.input, told));
    const result = await done.catch((thrown) => {
      throw renamed(thrown, names);
    });
    if (answer === undefined) return EMPTY_REPLY;
    return messageReply(method.output, create(method.output, answer(result)));
  };
  return [method, handler];
}

/**
 * The handler of a method that no single one of version 2 answers.
 *
 * @example answerWith(Registry.method.updateTag, NAMES, async (tag, call) => tagV1(await …));
 */
export function answerWith<In1 extends DescMessage, Out1 extends DescMessage>(
  method: DescMethodUnary<In1, Out1>,
  names: Names,
  run: (given: MessageShape<In1>, call: Call) => Promise<MessageInitShape<Out1>>,
): Adapted {
  const handler: Handler = async (call, message) => {
    try {
      const told = await run(message as MessageShape<In1>, call);
      return messageReply(method.output, create(method.output, told));
    } catch (thrown) {
      throw renamed(thrown, names);
    }
  };
  return [method, handler];
}
