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
import { tooMany, unimplemented, WharfError } from "../lib/errors.ts";
import { attempt, type MaybePromise, whenReady } from "../lib/maybe-promise.ts";
import type { Owner } from "../lib/scheduling/fair-order.ts";
import { QueueFullError } from "../lib/scheduling/fair-queue.ts";
import { ownerOf } from "../lib/scheduling/share.ts";
import type { TimeSlices } from "../lib/scheduling/time-slices.ts";
import { AdmittedCall } from "./admitted-call.ts";
import {
  type Admission,
  type Call,
  type EventTranslator,
  type Handler,
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
  /** Whether it may run for a presumed caller, and again for the actual one. */
  readonly onlyReads: boolean;
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

/** The error that a caller gets for one that was thrown. */
export type DenialMapping = (error: unknown, caller: Caller) => Promise<unknown>;

/** Records that an authenticated caller was denied a call. */
export type DenialAudit = (call: Call, denial: WharfError) => Promise<void>;

export interface MethodOptions {
  /** Applies to methods of version 1 only, as does the translator. */
  readonly deprecation?: Deprecation | undefined;
  readonly eventTranslator?: EventTranslator;
  readonly denialOf?: DenialMapping;
  readonly auditDenial?: DenialAudit;
  readonly dryRuns?: DryRuns;
  /** The methods whose requests contain documents. */
  readonly documentMethods?: ReadonlySet<DescMethod>;
  /** The event loop's time, in which requests start; all start at once without it. */
  readonly slices?: TimeSlices;
}

/**
 * Every method of the contract with its handler. The constructor throws if a method has no access rule, so the
 * server does not start without one.
 */
export class ServedMethods implements Methods {
  readonly #authenticator: Authenticator;
  readonly #denialOf: DenialMapping;
  readonly #auditDenial: DenialAudit | undefined;
  readonly #dryRuns: DryRuns | undefined;
  readonly #slices: TimeSlices | undefined;
  readonly #methods: BoundMethod[] = [];
  readonly #byPath = new Map<string, BoundMethod>();

  constructor(
    services: readonly DescService[],
    handlers: ReadonlyMap<DescMethod, Handler>,
    authenticator: Authenticator,
    options: MethodOptions = {},
  ) {
    const { deprecation, eventTranslator, denialOf, auditDenial, dryRuns } = options;
    this.#authenticator = authenticator;
    this.#denialOf = denialOf ?? (async (error) => error);
    this.#auditDenial = auditDenial;
    this.#dryRuns = dryRuns;
    this.#slices = options.slices;
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
          onlyReads: handler !== undefined && isReader(handler),
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
        const published: BoundMethod = { ...method, isPublicName: true };
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

  admit(method: Method, incoming: RequestInfo, scope?: string): MaybePromise<Admission> {
    const bound = method as BoundMethod;
    if (bound.isPublic) return "admitted";
    return attempt(() => {
      const { authorization } = incoming;
      const time = Date.now();
      const presumed = this.#authenticator.presumed(authorization, time);
      if (presumed !== undefined && mayCall(bound, presumed, scope)) return "admitted";
      return whenReady(this.#authenticator.caller(authorization, time), (caller) => {
        if (mayCall(bound, caller, scope)) return "admitted";
        if (scope === undefined && bound.scope !== undefined) return "denied";
        return this.deny(method, incoming, scope ?? "");
      });
    });
  }

  async deny(method: Method, incoming: RequestInfo, scope: string): Promise<never> {
    const bound = method as BoundMethod;
    this.#allowDryRun(bound, incoming);
    const time = Date.now();
    const caller = await this.#authenticator.caller(incoming.authorization, time);
    incoming.identify?.(caller);
    try {
      checkAccessAt(bound, caller, scope, time);
    } catch (error) {
      return this.#failed(error, bound, incoming, caller, time);
    }
    throw new WharfError("UNAVAILABLE", "access has changed: try again");
  }

  schedule(incoming: RequestInfo, name: string): Promise<void> | undefined {
    return this.#slices?.begin(() => this.#ownerOf(incoming, name), incoming)?.catch(busy);
  }

  call(method: Method, request: Message, incoming: RequestInfo): MaybePromise<Reply> {
    const bound = method as HandledMethod;
    return attempt(() => {
      const { authorization } = incoming;
      if (!bound.served) throw unimplemented(nameOf(bound.desc));
      this.#allowDryRun(bound, incoming);
      const time = Date.now();
      const handle = (caller: Caller) => this.#handle(bound, request, incoming, caller, time);
      if (bound.isPublic) return handle(ANONYMOUS);
      const presumed = bound.onlyReads
        ? this.#authenticator.presumed(authorization, time)
        : undefined;
      const begun = presumed && attempt(() => handle(presumed));
      // Whether it fails counts only if access has not changed.
      if (begun instanceof Promise) begun.catch(() => {});
      return whenReady(this.#authenticator.caller(authorization, time), (caller) => {
        incoming.identify?.(caller);
        // Authentication may have waited long for the store.
        if (incoming.abandoned !== undefined) throw incoming.abandoned;
        const run = () => (begun !== undefined && caller === presumed ? begun : handle(caller));
        return attempt(run, (error) => this.#failed(error, bound, incoming, caller, time));
      });
    });
  }

  /** The owner by the cached caller: authentication is work, too. Without valid credentials, it is anonymous. */
  #ownerOf({ authorization, remoteAddress }: RequestInfo, name: string): Owner {
    let caller: Caller | undefined;
    try {
      caller = this.#authenticator.lastKnown(authorization, Date.now());
    } catch {}
    return ownerOf({ caller: caller ?? ANONYMOUS, remoteAddress }, name);
  }

  #allowDryRun({ desc, canBeTried }: BoundMethod, incoming: RequestInfo): void {
    if (!isDryRun(incoming)) return;
    if (!canBeTried && !onlyReadsByRoute(desc)) throw notTriable(nameOf(desc));
    incoming.markDryRun?.();
  }

  /** Checks access and the request, and runs the handler. */
  #handle(
    method: HandledMethod,
    request: Message,
    incoming: RequestInfo,
    caller: Caller,
    time: number,
  ): MaybePromise<Reply> {
    const { desc, handler, onCall, translateEvent, isPublicName } = method;
    checkAccess(method, caller, request, time);
    onCall?.(caller, desc);
    validateRequest(desc.input, request);
    const { idempotencyKey } = incoming;
    const idempotency =
      idempotencyKey === undefined || !isCreate(desc) || incoming.dryRun === "true"
        ? undefined
        : idempotencyKeyOf(idempotencyKey, caller, desc, request, () => incoming.markReplayed?.());
    const act = () => actOf(incoming.authorization, caller.uid);
    const format = isPublicName ? "binary" : incoming.format;
    const more = { translateEvent, idempotency, act, format, isPublicName };
    const call = new AdmittedCall(incoming, desc, caller, time, more);
    return whenReady(handler(call, request), (complete) => {
      const reply = isPublicName ? withoutOwnCapabilities(desc.output, complete) : complete;
      if (!call.isDryRun || !method.canBeTried) return reply;
      return this.#dryRuns?.withoutSecrets(desc, reply) ?? reply;
    });
  }

  /** Audits what was denied. */
  async #failed(
    error: unknown,
    { desc }: BoundMethod,
    incoming: RequestInfo,
    caller: Caller,
    time: number,
  ): Promise<never> {
    const denial = await this.#denialOf(error, caller);
    if (denial instanceof WharfError && denial.code === "PERMISSION_DENIED") {
      await this.#auditDenial?.(new AdmittedCall(incoming, desc, caller, time, {}), denial);
    }
    throw denial;
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
    // A method that invokes many shares the event loop after each.
    await this.#slices?.continue(() => ownerOf(call, name), call);
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

function busy(error: unknown): never {
  if (!(error instanceof QueueFullError)) throw error;
  const whose = error.full === "key" ? "your organization or network" : "all callers";
  throw tooMany(`too many requests of ${whose} are waiting: try again`, 1);
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}
