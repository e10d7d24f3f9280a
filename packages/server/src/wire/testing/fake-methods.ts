/** A stand-in for rpc in the tests of this folder: every method of the contract, implemented by the test. */
import type { DescMessage, DescService, Message, MessageShape } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import { accessOf, SERVICES, serviceNames } from "@wharf/contract";
import { permissionDenied, unimplemented } from "../../lib/errors.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import type { Admission, Method, Methods, Reply, RequestInfo } from "../../rpc/call.ts";
import { guardOf } from "../../rpc/guard.ts";
import { messageToJson } from "../../rpc/json.ts";

/** Returns a message of the method's output type, or a reply with JSON chunks. */
export type Answer = (request: never, incoming: RequestInfo) => unknown;

/** Records all calls. */
export class FakeMethods implements Methods {
  readonly calls: { readonly method: string; readonly request: Message }[] = [];
  /** Checks credentials in place of `admit`; by default every call is admitted. */
  admission: (incoming: RequestInfo) => MaybePromise<Admission> = () => "admitted";
  /** Lets requests wait in place of `schedule`; by default every one begins at once. */
  scheduling: (incoming: RequestInfo) => Promise<void> | undefined = () => undefined;
  readonly #answers: Readonly<Record<string, Answer>>;
  readonly #paths = new Map<string, Method>();
  readonly #all: Method[] = [];

  /** Methods without an answer count as not served. */
  constructor(
    answers: Readonly<Record<string, Answer>>,
    services: readonly DescService[] = SERVICES,
  ) {
    this.#answers = answers;
    for (const service of services) {
      for (const desc of service.methods) {
        const isPublic = accessOf(desc)?.kind === "anyone";
        const method = {
          desc,
          served: desc.name in answers,
          isPublic,
          scope: guardOf(desc).scope,
          takesDocuments: false,
          canBeTried: false,
        };
        this.#all.push(method);
        for (const name of serviceNames(service)) this.#paths.set(`/${name}/${desc.name}`, method);
      }
    }
  }

  [Symbol.iterator](): Iterator<Method> {
    return this.#all[Symbol.iterator]();
  }

  find(path: string): Method | undefined {
    return this.#paths.get(path);
  }

  admit({ isPublic }: Method, incoming: RequestInfo): MaybePromise<Admission> {
    return isPublic ? "admitted" : this.admission(incoming);
  }

  async deny(_method: Method, _incoming: RequestInfo, scope: string): Promise<never> {
    throw permissionDenied([], scope);
  }

  schedule(incoming: RequestInfo): Promise<void> | undefined {
    return this.scheduling(incoming);
  }

  async call(method: Method, request: Message, incoming: RequestInfo): Promise<Reply> {
    this.calls.push({ method: method.desc.name, request });
    const answer = this.#answers[method.desc.name];
    if (!answer) throw unimplemented(method.desc.name);
    const message = (await answer(request as never, incoming)) as MessageShape<DescMessage>;
    if ("chunks" in message) return message as unknown as Reply;
    return {
      json: () => messageToJson(method.desc.output, message),
      binary: () => toBinary(method.desc.output, message),
    };
  }
}
