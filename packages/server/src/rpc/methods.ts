/**
 * Methods as the protocols call them: access check, validation, handler and reply, without HTTP or gRPC. This folder
 * may import auth, lib and the contract; it knows no resource.
 */
import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  type MessageShape,
} from "@bufbuild/protobuf";
import { isCreate, serviceNames } from "@wharf/contract";
import { actOf } from "../auth/act.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { ANONYMOUS, type Caller } from "../auth/caller.ts";
import { notFound, PermissionDeniedError, unimplemented, WharfError } from "../lib/errors.ts";
import { AdmittedCall } from "./admitted-call.ts";
import {
  type Admission,
  type Call,
  type EventTranslator,
  type Handler,
  type ImmediateHandler,
  immediateOf,
  isReader,
  type Method,
  type Methods,
  type Reply,
  type RequestInfo,
  type ResponseHeaders,
} from "./call.ts";
import { type DryRuns, isDryRun, notTriable, onlyReadsByRoute } from "./dry-run.ts";
import { checkAccess, checkAccessAt, type Guard, guardOf, mayCall } from "./guard.ts";
import { idempotencyKeyOf } from "./idempotency.ts";
import { hasCapabilities, publicNames, withoutOwnCapabilities } from "./own-capabilities.ts";
import { validateRequest } from "./validate.ts";

/** A method with everything that a call needs, computed at startup. */
interface BoundMethod extends Method, Guard {
  readonly scope: Guard["scope"];
  /** Called for every call that passes the access check. */
  readonly onCall: Deprecation["onCall"] | undefined;
  readonly handler: Handler | undefined;
  /** The handler of calls that are replied to at once. */
  readonly now: ImmediateHandler | undefined;
  readonly translateEvent: Call["translateEvent"];
  /** Whether responses are for clients that know only the capabilities of the public contract. */
  readonly isPublicName?: boolean;
}

interface HandledMethod extends BoundMethod {
  readonly handler: Handler;
}

/** Deprecated methods, the headers that announce it, and the metric that counts their callers. */
export interface Deprecation {
  readonly methods: ReadonlySet<DescMethod>;
  readonly responseHeaders: ResponseHeaders;
  onCall(caller: Caller, method: DescMethod): void;
}

/** The group at or above a uid that an identity has deleted; undefined for none. */
export type DeletedGroupLookup = (identity: string, uid: string) => Promise<string | undefined>;

/** Records that an authenticated caller was denied a call. */
export type DenialAudit = (call: Call, denial: WharfError) => Promise<void>;

export interface MethodOptions {
  /** Applies to methods of version 1 only, as does the translator. */
  readonly deprecation?: Deprecation | undefined;
  readonly eventTranslator?: EventTranslator;
  readonly findDeletedGroup?: DeletedGroupLookup;
  readonly auditDenial?: DenialAudit;
  readonly dryRuns?: DryRuns;
  /** The methods whose requests contain documents. */
  readonly documentMethods?: ReadonlySet<DescMethod>;
}

/**
 * Every method of the contract with its handler. The constructor throws if a method has no access rule, so the
 * server does not start without one.
 */
export class ServedMethods implements Methods {
  readonly #authenticator: Authenticator;
  readonly #findDeletedGroup: DeletedGroupLookup | undefined;
  readonly #auditDenial: DenialAudit | undefined;
  readonly #dryRuns: DryRuns | undefined;
  readonly #methods: BoundMethod[] = [];
  readonly #byPath = new Map<string, BoundMethod>();

  constructor(
    services: readonly DescService[],
    handlers: ReadonlyMap<DescMethod, Handler>,
    authenticator: Authenticator,
    options: MethodOptions = {},
  ) {
    const { deprecation, eventTranslator, findDeletedGroup, auditDenial, dryRuns } = options;
    this.#authenticator = authenticator;
    this.#findDeletedGroup = findDeletedGroup;
    this.#auditDenial = auditDenial;
    this.#dryRuns = dryRuns;
    for (const service of services) {
      const names = serviceNames(service);
      for (const desc of service.methods) {
        const deprecated = deprecation?.methods.has(desc) ? deprecation : undefined;
        const translator = eventTranslator?.methods.has(desc) ? eventTranslator : undefined;
        const handler = handlers.get(desc);
        const guard = guardOf(desc);
        const method: BoundMethod = {
          ...guard,
          desc,
          handler,
          // Calls of deprecated methods are counted, once each; anyone's calls have no caller.
          now:
            handler && !deprecated && guard.rule.kind !== "anyone"
              ? immediateOf(handler)
              : undefined,
          served: handler !== undefined,
          isPublic: guard.rule.kind === "anyone",
          takesDocuments: options.documentMethods?.has(desc) ?? false,
          canBeTried: dryRuns?.methods.has(desc) ?? false,
          responseHeaders: deprecated?.responseHeaders,
          onCall: deprecated?.onCall,
          translateEvent: translator?.translate,
        };
        this.#methods.push(method);
        for (const name of names) this.#byPath.set(`/${name}/${desc.name}`, method);
        if (!hasCapabilities(desc.output)) continue;
        const published: BoundMethod = { ...method, now: undefined, isPublicName: true };
        for (const name of publicNames(service))
          this.#byPath.set(`/${name}/${desc.name}`, published);
      }
    }
  }

  [Symbol.iterator](): Iterator<Method> {
    return this.#methods[Symbol.iterator]();
  }

  find(path: string): Method | undefined {
    return this.#byPath.get(path);
  }

  admit(method: Method, incoming: RequestInfo, scope?: string): Promise<Admission> | undefined {
    if (method.isPublic) return undefined;
    const caller = this.#authenticator.cachedCaller(incoming.authorization, Date.now());
    const isAdmitted = caller !== undefined && mayCall(method as BoundMethod, caller, scope);
    return isAdmitted ? undefined : this.#admitAfterRead(method as BoundMethod, incoming, scope);
  }

  async #admitAfterRead(
    method: BoundMethod,
    incoming: RequestInfo,
    scope: string | undefined,
  ): Promise<Admission> {
    const caller = await this.#authenticator.caller(incoming.authorization, Date.now());
    if (mayCall(method, caller, scope)) return "admitted";
    if (scope === undefined && method.scope !== undefined) return "denied";
    return this.deny(method, incoming, scope ?? "");
  }

  async deny(method: Method, incoming: RequestInfo, scope: string): Promise<never> {
    const bound = method as HandledMethod;
    if (isDryRun(incoming)) this.#allowDryRun(bound, incoming);
    const time = Date.now();
    const caller = await this.#authenticator.caller(incoming.authorization, time);
    const denial = async () => {
      try {
        checkAccessAt(bound, caller, scope, time);
      } catch (error) {
        throw await this.#denialOf(error, caller);
      }
      throw new WharfError("UNAVAILABLE", "access has changed: try again");
    };
    return this.#finish(denial(), method.desc, incoming, caller, time);
  }

  callNow(method: Method, request: Message, incoming: RequestInfo): Reply | undefined {
    const { desc, now } = method as BoundMethod;
    if (now === undefined || incoming.dryRun !== undefined) return undefined;
    try {
      const time = Date.now();
      const caller = this.#authenticator.callerNow(incoming.authorization, time);
      if (caller === undefined) return undefined;
      checkAccess(method as BoundMethod, caller, request, time);
      validateRequest(desc.input, request);
      const reply = now(new AdmittedCall(incoming, desc, caller, time, NOTHING_ELSE), request);
      if (reply !== undefined) incoming.identify?.(caller);
      return reply;
    } catch {
      return undefined;
    }
  }

  async call(method: Method, request: Message, incoming: RequestInfo): Promise<Reply> {
    const { desc, handler, rule } = method as BoundMethod;
    if (handler === undefined) throw unimplemented(`${desc.parent.typeName}/${desc.name}`);
    const bound = method as HandledMethod;
    if (isDryRun(incoming)) this.#allowDryRun(bound, incoming);
    const time = Date.now();
    if (rule.kind === "anyone") return this.#run(bound, request, incoming, ANONYMOUS, time);
    const { authorization } = incoming;
    const presumed = isReader(handler)
      ? this.#authenticator.presume(authorization, time)
      : undefined;
    if (presumed !== undefined) {
      const running = this.#run(bound, request, incoming, presumed.caller, time);
      // Whether it succeeds or fails counts only if access has not changed.
      const [isCurrent] = await Promise.all([presumed.isCurrent, running.catch(() => {})]);
      if (isCurrent) return this.#finish(running, desc, incoming, presumed.caller, time);
    }
    const caller = await this.#authenticator.caller(authorization, time);
    // Authentication may have waited long for the store.
    if (incoming.abandoned !== undefined) throw incoming.abandoned;
    const running = this.#run(bound, request, incoming, caller, time);
    return this.#finish(running, desc, incoming, caller, time);
  }

  #allowDryRun({ desc, canBeTried }: HandledMethod, incoming: RequestInfo): void {
    if (!canBeTried && !onlyReadsByRoute(desc)) throw notTriable(nameOf(desc));
    incoming.markDryRun?.();
  }

  /** Tells the log who called, and audits what was denied. */
  async #finish<T extends Reply | never>(
    running: Promise<T>,
    desc: DescMethod,
    incoming: RequestInfo,
    caller: Caller,
    time: number,
  ): Promise<T> {
    incoming.identify?.(caller);
    try {
      return await running;
    } catch (error) {
      if (error instanceof WharfError && error.code === "PERMISSION_DENIED") {
        await this.#auditDenial?.(new AdmittedCall(incoming, desc, caller, time, {}), error);
      }
      throw error;
    }
  }

  async #run(
    method: HandledMethod,
    request: Message,
    incoming: RequestInfo,
    caller: Caller,
    time: number,
  ): Promise<Reply> {
    const { desc, handler, onCall, translateEvent, isPublicName } = method;
    const format = isPublicName ? "binary" : incoming.format;
    try {
      checkAccess(method, caller, request, time);
      onCall?.(caller, desc);
      validateRequest(desc.input, request);
      const { idempotencyKey } = incoming;
      const idempotency =
        idempotencyKey === undefined || !isCreate(desc) || incoming.dryRun === "true"
          ? undefined
          : idempotencyKeyOf(idempotencyKey, caller, desc, request, () =>
              incoming.markReplayed?.(),
            );
      const act = () => actOf(incoming.authorization, caller.uid);
      const more = { translateEvent, idempotency, act, format, isPublicName };
      const call = new AdmittedCall(incoming, desc, caller, time, more);
      const complete = await handler(call, request);
      const reply = isPublicName ? withoutOwnCapabilities(desc.output, complete) : complete;
      if (!call.isDryRun || !method.canBeTried) return reply;
      return this.#dryRuns?.withoutSecrets(desc, reply) ?? reply;
    } catch (error) {
      throw await this.#denialOf(error, caller);
    }
  }

  /** The caller that deleted a group gets NOT_FOUND there, which reveals nothing to it. */
  async #denialOf(error: unknown, { uid }: Caller): Promise<unknown> {
    const scope = error instanceof PermissionDeniedError ? error.scope : "";
    const deleted = scope === "" ? undefined : await this.#findDeletedGroup?.(uid, scope);
    return deleted === undefined ? error : notFound("Group", deleted);
  }

  /**
   * Invokes a method on behalf of a call of another one, such as v2 on behalf of v1. The caller is the same;
   * access and the request are checked again. Returns the response message.
   */
  async invoke<I extends DescMessage, O extends DescMessage>(
    call: Call,
    desc: DescMethodUnary<I, O>,
    request: MessageShape<I>,
  ): Promise<MessageShape<O>> {
    const [name] = serviceNames(desc.parent);
    const method = this.#byPath.get(`/${name}/${desc.name}`) as BoundMethod;
    if (method.handler === undefined) throw unimplemented(`${name}/${desc.name}`);
    if (call.isDryRun && !method.canBeTried && !onlyReadsByRoute(desc)) {
      throw notTriable(nameOf(call.calledAs ?? call.method));
    }
    checkAccess(method, call.caller, request, call.time);
    validateRequest(desc.input, request);
    const { caller, time, translateEvent, idempotency, calledAs = call.method } = call;
    const { isPublicName } = call;
    const inner = new AdmittedCall(call, desc, caller, time, {
      format: "binary",
      translateEvent,
      idempotency,
      calledAs,
      isPublicName,
      act: () => call.act?.() ?? "",
    });
    return fromBinary(desc.output, (await method.handler(inner, request)).binary());
  }
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

const NOTHING_ELSE = {};
