import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Call, Handler, Reply } from "../rpc/call.ts";
import { guardOf } from "../rpc/guard.ts";
import type { ServedMethods } from "../rpc/methods.ts";
import { EMPTY_REPLY, messageReply } from "../rpc/reply.ts";
import { type FieldNames, renameFields } from "../rpc/v1/names.ts";
import { mustBeUid } from "../rpc/validate.ts";

/** Invokes a version 2 method on behalf of a version 1 call. */
export type Invoke = ServedMethods["invoke"];

/** A version 1 method and its handler. */
export type AdaptedMethod = readonly [method: DescMethodUnary, handler: Handler];

/** The mapping of a version 1 method to a version 2 method. */
export interface Translation<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
> {
  readonly method: DescMethodUnary<In1, Out1>;
  readonly target: DescMethodUnary<In2, Out2>;
  request(requestV1: MessageShape<In1>, call: Call): MessageInitShape<In2>;
  /** Omitted if the response is empty. */
  response?(result: MessageShape<Out2>): MessageInitShape<Out1>;
  /** The version 1 names of version 2 fields, for errors that name a field. */
  readonly names?: FieldNames;
}

/** The handler of a method with exactly one version 2 counterpart. */
export function adapt<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
>(invoke: Invoke, translation: Translation<In1, Out1, In2, Out2>): AdaptedMethod {
  const { method, target, request, response, names = {} } = translation;
  const handler: Handler = async (call, message) => {
    const init = request(message as MessageShape<In1>, call);
    const result = await invoke(call, target, create(target.input, init)).catch((thrown) => {
      throw renameFields(thrown, names);
    });
    if (response === undefined) return EMPTY_REPLY;
    return messageReply(method.output, create(method.output, response(result)));
  };
  return [method, handler];
}

/** The handler of a method without a single version 2 counterpart. */
export function respondWith<In1 extends DescMessage, Out1 extends DescMessage>(
  method: DescMethodUnary<In1, Out1>,
  names: FieldNames,
  run: (requestV1: MessageShape<In1>, call: Call) => Promise<MessageInitShape<Out1>>,
): AdaptedMethod {
  return replyWith(method, names, async (requestV1, call, replyOf) =>
    replyOf(await run(requestV1, call)),
  );
}

/** The handler of a method whose answer follows from the request alone. Its scope must be a uid, for every caller. */
export function constant<In1 extends DescMessage, Out1 extends DescMessage>(
  method: DescMethodUnary<In1, Out1>,
  answer: (requestV1: MessageShape<In1>) => MessageInitShape<Out1> = () =>
    ({}) as MessageInitShape<Out1>,
): AdaptedMethod {
  const { scope } = guardOf(method);
  return respondWith(method, {}, async (requestV1) => {
    if (scope !== undefined) mustBeUid(scope.field, scope.read(requestV1 as Message));
    return answer(requestV1);
  });
}

/** As respondWith, for creates: these make their reply in the transaction that stores it. */
export function replyWith<In1 extends DescMessage, Out1 extends DescMessage>(
  method: DescMethodUnary<In1, Out1>,
  names: FieldNames,
  run: (
    requestV1: MessageShape<In1>,
    call: Call,
    replyOf: (response: MessageInitShape<Out1>) => Reply,
  ) => Promise<Reply>,
): AdaptedMethod {
  const replyOf = (response: MessageInitShape<Out1>) =>
    messageReply(method.output, create(method.output, response));
  const handler: Handler = async (call, message) => {
    try {
      return await run(message as MessageShape<In1>, call, replyOf);
    } catch (thrown) {
      throw renameFields(thrown, names);
    }
  };
  return [method, handler];
}
