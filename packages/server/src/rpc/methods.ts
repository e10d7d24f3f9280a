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
import { permissionDenied, unimplemented, WharfError } from "../lib/errors.ts";
import type {
  Call,
  EventTranslator,
  Handler,
  Incoming,
  Method,
  Methods,
  Reply,
  ResponseHeaders,
} from "./call.ts";
import { fieldValue } from "./fields.ts";
import { mustBeUid, validateRequest } from "./validate.ts";

/** Who may call a method, and where. */
interface Guard {
  readonly rule: AccessRule;
  readonly scope: Scope | undefined;
}

/** Where access is checked. */
interface Scope {
  /** What the request calls it. */
  readonly field: string;
  /** The uid. */
  read(request: Message): string;
}

/** A method with everything that a call of it needs, worked out at start. */
interface Prepared extends Method, Guard {
  /** Told of every call that is let in. */
  readonly called: Deprecation["called"] | undefined;
  readonly handler: Handler | undefined;
  readonly translateEvent: Call["translateEvent"];
}

/** What it means for methods to be deprecated. */
export interface Deprecation {
  readonly methods: ReadonlySet<DescMethod>;
  readonly responseHeaders: ResponseHeaders;
  called(caller: Caller, method: DescMethod): void;
}

/** What is different about methods of an older version. */
export interface MethodOptions {
  readonly deprecation?: Deprecation | undefined;
  readonly eventTranslator?: EventTranslator;
}

/**
 * Every method of the contract. Throws if one of them lacks an access rule, which stops the start.
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
    { deprecation, eventTranslator }: MethodOptions = {},
  ) {
    this.#authenticator = authenticator;
    for (const service of services) {
      const names = serviceNames(service);
      for (const desc of service.methods) {
        const deprecated = deprecation?.methods.has(desc) ? deprecation : undefined;
        const translateEvent = eventTranslator?.methods.has(desc)
          ? eventTranslator.translate
          : undefined;
        const method = { ...prepare(desc, handlers.get(desc), deprecated), translateEvent };
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

  admit(method: Method, { authorization }: Incoming): Promise<unknown> | undefined {
    return method.isOpen ? undefined : this.#authenticator.admit(authorization, Date.now());
  }

  async call(method: Method, request: Message, incoming: Incoming): Promise<Reply> {
    const { desc, handler, rule, called, translateEvent } = method as Prepared;
    if (handler === undefined) throw unimplemented(`${desc.parent.typeName}/${desc.name}`);
    const time = Date.now();
    const caller =
      rule.kind === "anyone"
        ? ANONYMOUS
        : await this.#authenticator.caller(incoming.authorization, time);
    mayCall(method as Prepared, caller, request);
    called?.(caller, desc);
    validateRequest(desc.input, request);
    return await handler(
      new AdmittedCall(incoming, desc, caller, time, { translateEvent }),
      request,
    );
  }

  /**
   * Runs a method for a call of another one, which is made of it: its caller is known, and all that
   * the method asks of them is asked again. Answers with the message itself.
   *
   * @example const group = await methods.invoke(call, GroupsService.method.getGroup, request);
   */
  async invoke<I extends DescMessage, O extends DescMessage>(
    call: Call,
    desc: DescMethodUnary<I, O>,
    request: MessageShape<I>,
  ): Promise<MessageShape<O>> {
    const [name] = serviceNames(desc.parent);
    const method = this.#byPath.get(`/${name}/${desc.name}`) as Prepared;
    if (method.handler === undefined) throw unimplemented(`${name}/${desc.name}`);
    mayCall(method, call.caller, request);
    validateRequest(desc.input, request);
    const { caller, time, translateEvent, calledAs = call.method } = call;
    const inner = new AdmittedCall(call, desc, caller, time, {
      format: "binary",
      translateEvent,
      calledAs,
    });
    return fromBinary(desc.output, (await method.handler(inner, request)).binary());
  }
}

function mayCall({ rule, scope }: Guard, { grants, isOperator }: Caller, request: Message): void {
  if (rule.kind === "operator" && !isOperator) {
    throw new WharfError("PERMISSION_DENIED", "needs the operator's token");
  }
  if (rule.kind !== "scoped") return;
  const uid = scope?.read(request) ?? "";
  if (grants.holds(rule.capabilities, uid)) return;
  // Whoever forgot to say where is helped by that, and not by asking for more rights.
  if (scope !== undefined && uid === "") mustBeUid(scope.field, uid);
  throw permissionDenied(rule.capabilities.map(capabilityName), uid);
}

/** What came in, with what has been found out about it. */
class AdmittedCall implements Call {
  readonly #incoming: Incoming;
  readonly method: DescMethod;
  readonly calledAs: DescMethod;
  readonly caller: Caller;
  readonly time: number;
  readonly format: Incoming["format"];
  readonly translateEvent: Call["translateEvent"];

  constructor(
    incoming: Incoming,
    method: DescMethod,
    caller: Caller,
    time: number,
    {
      format = incoming.format,
      translateEvent,
      calledAs = method,
    }: Partial<Pick<Call, "format" | "translateEvent" | "calledAs">>,
  ) {
    this.#incoming = incoming;
    this.format = format;
    this.translateEvent = translateEvent;
    this.method = method;
    this.calledAs = calledAs;
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
): Omit<Prepared, "translateEvent"> {
  const name = `${desc.parent.typeName}/${desc.name}`;
  const rule = accessOf(desc);
  if (rule === undefined) throw new Error(`${name} has no access rule`);
  const known = {
    desc,
    served: handler !== undefined,
    isOpen: rule.kind === "anyone",
    handler,
    rule,
    responseHeaders: deprecation?.responseHeaders,
    called: deprecation?.called,
  };
  if (rule.kind !== "scoped") return { ...known, scope: undefined };
  if (rule.capabilities.length === 0) throw new Error(`${name} asks for no capability`);
  const path = scopePath(desc.input.fields);
  if (path === undefined) throw new Error(`${name} has no scope field`);
  const field = path.at(-1)?.jsonName ?? "";
  return { ...known, scope: { field, read: (request) => follow(request, path) } };
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
