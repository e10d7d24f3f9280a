import type { IncomingHttpHeaders } from "node:http";
import { clientNetwork } from "../lib/client-network.ts";
import { WharfError } from "../lib/errors.ts";
import type { Incoming, ResponseHeaders } from "../rpc/call.ts";
import { type BodyBudget, SMALL_BODY_BYTES } from "./body-budget.ts";
import type { Connection } from "./connections.ts";
import type { Deadlines } from "./deadlines.ts";
import { Expiring } from "./deadlines.ts";
import type { Wire } from "./http.ts";
import type { Observer, Protocol } from "./observer.ts";
import { requestIdFrom } from "./request-id.ts";

/**
 * One request and its single answer: knows who may still answer, for how long, and tells the
 * observer what became of it.
 */
export class RequestContext extends Expiring implements Incoming {
  readonly requestId: string;
  readonly authorization: string | undefined;
  readonly format: "json" | "binary";
  /** The client's: beyond proxies, where those are trusted. */
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly protocol: Protocol;
  /** Full name of the RPC or path of the endpoint, once known. */
  method = "-";
  /** What the answer says beside what was asked, once the method is known. */
  responseHeaders: ResponseHeaders | undefined = undefined;
  readonly #observer: Observer;
  readonly #connection: Connection;
  readonly #bodies: BodyBudget;
  /** Bytes of the body so far, and those of them that count in the budget. */
  #bodyBytes = 0;
  #heldBytes = 0;
  #late: ((error: WharfError) => void) | undefined;
  #deadlines: Deadlines | undefined;
  #timer: NodeJS.Timeout | undefined;
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
    this.format = protocol === "rest" || protocol === "http" ? "json" : "binary";
    const { peer } = connection;
    this.remoteAddress = proxies?.clientOf(peer, headers["x-forwarded-for"]?.toString()) ?? peer;
    this.#connection = connection;
    connection.began(this.started);
    this.userAgent = headers["user-agent"] ?? "";
    this.#observer = observer;
    this.#bodies = bodies;
  }

  /** Made on first use: most calls finish without anyone asking, and a controller is not cheap. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  /** Puts the request under the time limit of all; when it is over `late` gets to answer. */
  arm(deadlines: Deadlines, late: (error: WharfError) => void): void {
    this.#late = late;
    this.#deadlines = deadlines;
    deadlines.add(this);
  }

  /** As `arm`, with a time limit of the request's own. */
  armWithin(ms: number, late: (error: WharfError) => void): void {
    this.#late = late;
    this.#timer = setTimeout(() => this.expire(), ms);
  }

  override expire(): void {
    this.#deadlines = undefined;
    const error = new WharfError("DEADLINE_EXCEEDED", "the request took too long");
    this.#abort(error);
    this.#late?.(error);
  }

  /** Counts bytes of the body that have arrived. Throws when there is no memory for them. */
  received(bytes: number): void {
    // Whatever comes after the answer is dropped.
    if (this.#settled) return;
    this.#bodyBytes += bytes;
    if (this.#bodyBytes <= SMALL_BODY_BYTES) return;
    const more = this.#bodyBytes - this.#heldBytes;
    this.#bodies.hold(clientNetwork(this.remoteAddress), more);
    this.#heldBytes += more;
  }

  /** Whether somebody has answered, or the client is gone. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** True for the first who asks: the right, and the duty, to answer. */
  settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#deadlines?.delete(this);
    if (this.#timer) clearTimeout(this.#timer);
    return true;
  }

  /** The client went away. Does nothing once the answer is under way. */
  gone(): void {
    if (!this.settle()) return;
    const error = new WharfError("CANCELLED", "the client closed the request");
    this.#abort(error);
    this.finished(error.httpStatus, error.number, 0, error);
  }

  finished(httpStatus: number, code: number, bytesOut: number, error?: WharfError): void {
    if (this.#heldBytes > 0) {
      this.#bodies.release(clientNetwork(this.remoteAddress), this.#heldBytes);
      this.#heldBytes = 0;
    }
    const now = performance.now();
    this.#connection.answered(now);
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
      error,
    });
  }

  #abort(error: WharfError): void {
    this.#aborted = error;
    this.#controller?.abort(error);
  }
}
