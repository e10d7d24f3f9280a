import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type AccessRule, accessOf, capabilityName, isScope, serviceNames } from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import { ANONYMOUS, type Caller } from "../auth/caller.ts";
import { permissionDenied, unimplemented, WharfError } from "../errors.ts";
import type { Call, Handler, Incoming, Method, Methods, Notices, Reply } from "./call.ts";
import { fieldValue } from "./fields.ts";
import { validateRequest } from "./validate.ts";

/** A method with everything that a call of it needs, worked out at start. */
interface Prepared extends Method {
  /** Told of every call that is let in. */
  readonly called: Deprecation["called"] | undefined;
  readonly handler: Handler | undefined;
  readonly rule: AccessRule;
  /** The uid that access is checked at. */
  readonly scope: (request: Message) => string;
}

/** What it means for services to be deprecated. */
export interface Deprecation {
  readonly services: readonly DescService[];
  readonly notices: Notices;
  called(caller: Caller, method: DescMethod): void;
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
    deprecation?: Deprecation,
  ) {
    this.#authenticator = authenticator;
    for (const service of services) {
      const deprecated = deprecation?.services.includes(service) ? deprecation : undefined;
      const names = serviceNames(service);
      for (const desc of service.methods) {
        const method = prepare(desc, handlers.get(desc), deprecated);
        this.#methods.push(method);
        for (const name of names) this.#byPath.set(`/${name}/${desc.name}`, method);
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
    const { desc, handler, rule, scope, called } = method as Prepared;
    if (handler === undefined) throw unimplemented(`${desc.parent.typeName}/${desc.name}`);
    const time = Date.now();
    const caller =
      rule.kind === "anyone"
        ? ANONYMOUS
        : await this.#authenticator.caller(incoming.authorization, time);
    mayCall(rule, caller, scope(request));
    called?.(caller, desc);
    validateRequest(desc.input, request);
    return await handler(new AdmittedCall(incoming, desc, caller, time), request);
  }

  /**
   * Runs a method for a call of another one, which is made of it: its caller is known, and all that
   * the method asks of them is asked again. Answers with the message itself.
   *
   * @example const group = await methods.within(call, GroupsService.method.getGroup, request);
   */
  async within<I extends DescMessage, O extends DescMessage>(
    call: Call,
    desc: DescMethodUnary<I, O>,
    request: MessageShape<I>,
  ): Promise<MessageShape<O>> {
    const [name] = serviceNames(desc.parent);
    const { handler, rule, scope } = this.#byPath.get(`/${name}/${desc.name}`) as Prepared;
    if (handler === undefined) throw unimplemented(`${name}/${desc.name}`);
    mayCall(rule, call.caller, scope(request));
    validateRequest(desc.input, request);
    const inner = new AdmittedCall(call, desc, call.caller, call.time, "binary");
    return fromBinary(desc.output, (await handler(inner, request)).binary());
  }
}

function mayCall(rule: AccessRule, { grants, isOperator }: Caller, scope: string): void {
  if (rule.kind === "operator" && !isOperator) {
    throw new WharfError("PERMISSION_DENIED", "needs the operator's token");
  }
  if (rule.kind === "scoped" && !grants.holds(rule.capabilities, scope)) {
    throw permissionDenied(rule.capabilities.map(capabilityName), scope);
  }
}

/** What came in, with what has been found out about it. */
class AdmittedCall implements Call {
  readonly #incoming: Incoming;
  readonly method: DescMethod;
  readonly caller: Caller;
  readonly time: number;
  readonly format: Incoming["format"];

  constructor(
    incoming: Incoming,
    method: DescMethod,
    caller: Caller,
    time: number,
    format = incoming.format,
  ) {
    this.#incoming = incoming;
    this.format = format;
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

function prepare(
  desc: DescMethod,
  handler: Handler | undefined,
  deprecation: Deprecation | undefined,
): Prepared {
  const name = `${desc.parent.typeName}/${desc.name}`;
  const rule = accessOf(desc);
  if (rule === undefined) throw new Error(`${name} has no access rule`);
  const known = {
    desc,
    served: handler !== undefined,
    handler,
    rule,
    notices: deprecation?.notices,
    called: deprecation?.called,
  };
  if (rule.kind !== "scoped") return { ...known, scope: () => "" };
  if (rule.capabilities.length === 0) throw new Error(`${name} asks for no capability`);
  const path = scopePath(desc.input.fields);
  if (path === undefined) throw new Error(`${name} has no scope field`);
  return { ...known, scope: (request) => follow(request, path) };
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
