import type { DescField, DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { type AccessRule, accessOf, capabilityName, isScope, serviceNames } from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import { ANONYMOUS, type Caller } from "../auth/caller.ts";
import { permissionDenied, unimplemented, WharfError } from "../errors.ts";
import type { Call, Handler, Incoming, Method, Methods, Reply } from "./call.ts";
import { fieldValue } from "./fields.ts";
import { validateRequest } from "./validate.ts";

/** A method with everything that a call of it needs, worked out at start. */
interface Prepared extends Method {
  readonly handler: Handler | undefined;
  readonly rule: AccessRule;
  /** The uid that access is checked at. */
  readonly scope: (request: Message) => string;
}

/**
 * Every method of the contract. Refuses to exist while any of them lacks an access rule.
 *
 * @example const methods = new ServedMethods(SERVICES, handlers, authenticator);
 */
export class ServedMethods implements Methods {
  readonly #authenticator: Authenticator;
  readonly #methods: Prepared[] = [];
  readonly #byPath = new Map<string, Prepared>();

  constructor(
    services: readonly DescService[],
    handlers: ReadonlyMap<DescMethod, Handler>,
    authenticator: Authenticator,
  ) {
    this.#authenticator = authenticator;
    for (const service of services) {
      for (const desc of service.methods) {
        const method = prepare(desc, handlers.get(desc));
        this.#methods.push(method);
        for (const name of serviceNames(service)) this.#byPath.set(`/${name}/${desc.name}`, method);
      }
    }
  }

  [Symbol.iterator](): Iterator<Method> {
    return this.#methods[Symbol.iterator]();
  }

  find(path: string): Method | undefined {
    return this.#byPath.get(path);
  }

  async call(method: Method, request: Message, incoming: Incoming): Promise<Reply> {
    const { desc, handler, rule, scope } = method as Prepared;
    if (handler === undefined) throw unimplemented(`${desc.parent.typeName}/${desc.name}`);
    const time = Date.now();
    const caller = await this.#admit(rule, scope, request, incoming, time);
    validateRequest(desc.input, request);
    return handler(new AdmittedCall(incoming, desc, caller, time), request);
  }

  async #admit(
    rule: AccessRule,
    scope: Prepared["scope"],
    request: Message,
    incoming: Incoming,
    time: number,
  ): Promise<Caller> {
    if (rule.kind === "anyone") return ANONYMOUS;
    const caller = await this.#authenticator.caller(incoming.authorization, time);
    if (rule.kind === "operator" && !caller.isOperator) {
      throw new WharfError("PERMISSION_DENIED", "needs the operator's token");
    }
    if (rule.kind === "scoped" && !caller.grants.holds(rule.capabilities, scope(request))) {
      throw permissionDenied(rule.capabilities.map(capabilityName), scope(request));
    }
    return caller;
  }
}

/** What came in, with what has been found out about it. */
class AdmittedCall implements Call {
  readonly #incoming: Incoming;
  readonly method: DescMethod;
  readonly caller: Caller;
  readonly time: number;

  constructor(incoming: Incoming, method: DescMethod, caller: Caller, time: number) {
    this.#incoming = incoming;
    this.method = method;
    this.caller = caller;
    this.time = time;
  }

  get requestId(): string {
    return this.#incoming.requestId;
  }

  get authorization(): string | undefined {
    return this.#incoming.authorization;
  }

  get format(): Incoming["format"] {
    return this.#incoming.format;
  }

  get remoteAddress(): string {
    return this.#incoming.remoteAddress;
  }

  get userAgent(): string {
    return this.#incoming.userAgent;
  }

  get signal(): AbortSignal {
    return this.#incoming.signal;
  }
}

function prepare(desc: DescMethod, handler: Handler | undefined): Prepared {
  const name = `${desc.parent.typeName}/${desc.name}`;
  const rule = accessOf(desc);
  if (rule === undefined) throw new Error(`${name} has no access rule`);
  if (rule.kind !== "scoped")
    return { desc, served: handler !== undefined, handler, rule, scope: () => "" };
  if (rule.capabilities.length === 0) throw new Error(`${name} asks for no capability`);
  const path = scopePath(desc.input.fields);
  if (path === undefined) throw new Error(`${name} has no scope field`);
  return {
    desc,
    served: handler !== undefined,
    handler,
    rule,
    scope: (request) => follow(request, path),
  };
}

function scopePath(fields: readonly DescField[]): DescField[] | undefined {
  const field = fields.find(isScope);
  if (field === undefined) return undefined;
  if (field.fieldKind !== "message") return [field];
  const inner = scopePath(field.message.fields);
  return inner && [field, ...inner];
}

/** An empty scope is held by nobody but those who hold everywhere; they get to the validation. */
function follow(request: Message, path: readonly DescField[]): string {
  let at: unknown = request;
  for (const field of path) at = at === undefined ? undefined : fieldValue(at as Message, field);
  return (at as string | undefined) ?? "";
}
