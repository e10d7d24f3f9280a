import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../../auth/caller.ts";
import { WharfError } from "../../lib/errors.ts";
import { clientNetwork } from "../../lib/net/client-network.ts";
import type { RequestInfo, ResponseHeaders } from "../../rpc/call.ts";
import { DRY_RUN_HEADER } from "../../rpc/dry-run.ts";
import type { Observer, Protocol } from "../observer.ts";
import type { Connection } from "../port/connections.ts";
import {
  childTraceparent,
  readTraceparent,
  type ServerSpan,
  type TraceContext,
} from "../trace-context.ts";
import type { BodyBudget, BodyCharge } from "./body-budget.ts";
import type { Deadlines } from "./deadlines.ts";
import { Expiring } from "./deadlines.ts";
import type { Wire } from "./http.ts";
import { requestIdFrom } from "./request-id.ts";

/**
 * The state of one request: its deadline, whether it has been answered, and the report to the observer. The first
 * handler that settles it sends the only response.
 */
export class RequestContext extends Expiring implements RequestInfo {
  readonly requestId: string;
  readonly authorization: string | undefined;
  readonly format: "json" | "binary";
  /** The client's address: from `X-Forwarded-For` if the peer is a trusted proxy. */
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly lastEventId: string | undefined;
  readonly dryRun: string | undefined;
  readonly protocol: Protocol;
  /** The trace that the client is part of. */
  readonly trace: TraceContext | undefined;
  readonly #span: ServerSpan | undefined;
  #caller: Pick<Caller, "uid" | "name"> | undefined;
  /** The full name of the RPC or the path of the endpoint, once matched. */
  method = "-";
  /** Whether the endpoint is polled by machines. */
  isPolled = false;
  /** Whether the path is only for pages of this server: CORS does not open it, whatever the type of the response. */
  isPage = false;
  /** The raw idempotency key: the header, or the parameter `request_id` of REST. */
  idempotencyKey: string | undefined;
  /** Why the response is what it is, for the log. */
  reason: string | undefined = undefined;
  /** Additional response headers of the method, once matched. */
  responseHeaders: ResponseHeaders | undefined = undefined;
  readonly #observer: Observer;
  readonly #connection: Connection;
  readonly #bodies: BodyBudget;
  #body: BodyCharge | undefined;
  #onTimeout: ((error: WharfError) => void) | undefined;
  #deadlines: Deadlines | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The end of a time limit of its own, by `performance.now()`. */
  #deadline: number | undefined;
  #settled = false;
  #aborted: WharfError | undefined;
  #controller: AbortController | undefined;

  constructor(
    protocol: Protocol,
    headers: IncomingHttpHeaders,
    connection: Connection,
    { observer, proxies, bodies }: Pick<Wire, "observer" | "proxies" | "bodies">,
  ) {
    super();
    this.protocol = protocol;
    this.requestId = requestIdFrom(headers["x-request-id"]);
    this.authorization = headers.authorization;
    this.idempotencyKey = headers["idempotency-key"] as string | undefined;
    this.dryRun = headers[DRY_RUN_HEADER] as string | undefined;
    this.format = protocol === "rest" || protocol === "http" ? "json" : "binary";
    const { peer } = connection;
    this.remoteAddress = proxies?.clientOf(peer, headers["x-forwarded-for"]?.toString()) ?? peer;
    this.#connection = connection;
    connection.requestStarted(this.started);
    this.userAgent = headers["user-agent"] ?? "";
    this.trace = readTraceparent(headers.traceparent);
    this.lastEventId = headers["last-event-id"] as string | undefined;
    this.#observer = observer;
    this.#span = observer.started?.(this.trace);
    this.#bodies = bodies;
  }

  /** The `wharf` command names itself; a client that claims to be it harms nobody. */
  get via(): RequestInfo["via"] {
    if (this.userAgent.startsWith("wharf/")) return "cli";
    return this.format === "json" ? "rest" : "grpc";
  }

  get traceparent(): string | undefined {
    return this.#span?.traceparent ?? (this.trace && childTraceparent(this.trace));
  }

  identify(caller: Pick<Caller, "uid" | "name">): void {
    this.#caller = caller;
  }

  /** Created on first use: most calls never need it, and an AbortController is expensive. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  /** The error if the client is gone or the deadline has passed. */
  get abandoned(): WharfError | undefined {
    if (this.#aborted !== undefined || this.#deadline === undefined) return this.#aborted;
    // The timer fires late if the event loop is busy.
    return performance.now() < this.#deadline ? undefined : deadlineExceeded();
  }

  /** Applies the common time limit. `onTimeout` sends the response once it has passed. */
  setDeadline(deadlines: Deadlines, onTimeout: (error: WharfError) => void): void {
    this.#onTimeout = onTimeout;
    this.#deadlines = deadlines;
    deadlines.add(this);
  }

  /** Applies a time limit of its own. */
  setTimeLimit(ms: number, onTimeout: (error: WharfError) => void): void {
    this.#onTimeout = onTimeout;
    this.#deadline = performance.now() + ms;
    this.#timer = setTimeout(() => this.expire(), ms);
  }

  /** Applies a time limit that begins again with `progressed`. */
  setIdleLimit(ms: number, onTimeout: (error: WharfError) => void): void {
    this.#onTimeout = onTimeout;
    this.#timer = setTimeout(() => this.expire(), ms);
  }

  progressed(): void {
    this.#timer?.refresh();
  }

  endTimeLimit(): void {
    clearTimeout(this.#timer);
  }

  override expire(): void {
    this.#deadlines = undefined;
    const error = deadlineExceeded();
    this.#abort(error);
    this.#onTimeout?.(error);
  }

  /** Counts bytes of the body that are announced. Throws if they exceed the memory budget. */
  announced(bytes: number): void {
    this.#charge?.reserve(bytes);
  }

  /** Counts bytes of the body that have arrived. Throws if they exceed the memory budget. */
  received(bytes: number): void {
    this.#charge?.receive(bytes);
  }

  /** Only so many bytes of the body are still in memory. */
  retained(bytes: number): void {
    this.#charge?.retain(bytes);
  }

  get #charge(): BodyCharge | undefined {
    // Bytes after the response are discarded.
    if (this.#settled) return undefined;
    this.#body ??= this.#bodies.open(clientNetwork(this.remoteAddress));
    return this.#body;
  }

  /** Whether a response was sent or the client disconnected. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** True for the first caller only, which must send the response. */
  settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#deadlines?.delete(this);
    if (this.#timer) clearTimeout(this.#timer);
    return true;
  }

  /** The client disconnected. No effect once settled. */
  disconnected(): void {
    if (!this.settle()) return;
    const error = new WharfError("CANCELLED", "the client closed the request");
    this.#abort(error);
    this.finished(error.httpStatus, error.number, 0, error);
  }

  /** Adds a header to the response. */
  addHeader(name: string, value: string): void {
    this.responseHeaders = { ...this.responseHeaders, [name]: value };
  }

  markDryRun(): void {
    this.addHeader(DRY_RUN_HEADER, "true");
    this.reason = "dry run";
  }

  markReplayed(): void {
    this.addHeader("idempotency-replayed", "true");
    this.reason = "replayed";
  }

  finished(httpStatus: number, code: number, bytesOut: number, error?: WharfError): void {
    this.#body?.release();
    const now = performance.now();
    this.#connection.requestFinished(now);
    this.#observer.finished({
      requestId: this.requestId,
      protocol: this.protocol,
      method: this.method,
      httpStatus,
      code,
      ms: now - this.started,
      remoteAddress: this.remoteAddress,
      userAgent: this.userAgent,
      bytesOut,
      isPolled: this.isPolled,
      reason: this.reason,
      caller: this.#caller?.uid,
      callerName: this.#caller?.name,
      traceId: this.trace?.traceId ?? this.#span?.traceId,
      error,
      span: this.#span,
    });
  }

  #abort(error: WharfError): void {
    this.#aborted = error;
    this.#controller?.abort(error);
  }
}

function deadlineExceeded(): WharfError {
  return new WharfError("DEADLINE_EXCEEDED", "the request took too long");
}
