import type { AddressInfo, Socket } from "node:net";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { WharfError } from "../../lib/errors.ts";
import type { LimitedUse, RateLimits } from "../../lib/scheduling/rate-limits.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Readiness } from "../../observe/readiness.ts";
import type { ConnectionSource } from "../../wire/port/port.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** Sends a message to the supervisor. */
type Send = (message: FromWorker) => void;

/** Rejected uses that are remembered, so that a flood of them does not reach the supervisor. */
const MAX_REJECTED = 20_000;

/** The link of a worker to its supervisor: connections, rate limits, and reports and problems of its peers. */
export class SupervisorLink implements ConnectionSource, RateLimits {
  readonly worker: number;
  readonly address: AddressInfo;
  readonly isReplacement: boolean;
  readonly #send: Send;
  readonly #takes = new Map<number, PromiseWithResolvers<number>>();
  /** By uses: until when they are rejected, by `performance.now()`. */
  readonly #rejected = new BoundedCache<string, number>({ maxEntries: MAX_REJECTED });
  #isClosed = false;
  readonly #scrapes = new Map<number, (text: string) => void>();
  #ids = 0;
  #accept: ((socket: Socket) => void) | undefined;
  #readiness: Readiness | undefined;
  #metrics: Metrics | undefined;

  constructor({ worker, address, isReplacement }: WorkerStart, send: Send) {
    this.worker = worker;
    this.address = address;
    this.isReplacement = isReplacement;
    this.#send = send;
  }

  /** Whether this worker does what only one process of a server may do. */
  get isFirst(): boolean {
    return this.worker === 1;
  }

  onConnection(listener: (socket: Socket) => void): void {
    this.#accept = listener;
  }

  async take(uses: readonly LimitedUse[]): Promise<number> {
    const named = JSON.stringify(uses.map(({ limiter, key }) => [limiter, key]));
    const rejectedMs = (this.#rejected.get(named) ?? 0) - performance.now();
    if (rejectedMs > 0) return rejectedMs;
    if (this.#isClosed) throw stopping();
    const id = ++this.#ids;
    const answer = Promise.withResolvers<number>();
    this.#takes.set(id, answer);
    this.#send({ kind: "take", id, uses });
    const waitMs = await answer.promise;
    if (waitMs > 0) this.#rejected.set(named, performance.now() + waitMs);
    return waitMs;
  }

  /** The supervisor is gone: nobody counts, so nothing is granted. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#takes.values()) reject(stopping());
    this.#takes.clear();
  }

  /** Reports what this worker cannot do, and learns what the others cannot. */
  shareReadiness(readiness: Readiness): void {
    this.#readiness = readiness;
    let reported = "";
    readiness.onChange(() => {
      const problem = readiness.ownProblem;
      const reason = problem?.reason ?? "";
      if (reason === reported) return;
      reported = reason;
      this.#send({ kind: "problem", problem });
    });
  }

  /** Reports these metrics. Returns the function that reads those of the whole server. */
  shareMetrics(metrics: Metrics): Metrics["text"] {
    this.#metrics = metrics;
    return async () => {
      const id = ++this.#ids;
      const { promise, resolve } = Promise.withResolvers<string>();
      this.#scrapes.set(id, resolve);
      this.#send({ kind: "scrape", id });
      const { contentType } = await metrics.text();
      return { contentType, body: await promise };
    };
  }

  /** Handles a message, other than those that start and end the worker. */
  receive(message: ToWorker, socket: Socket | undefined): void {
    switch (message.kind) {
      case "connection":
        this.#send({ kind: "accepted" });
        // The client may have closed it meanwhile.
        if (socket !== undefined) this.#accept?.(socket);
        return;
      case "ping":
        this.#send({ kind: "pong" });
        return;
      case "taken":
        this.#takes.get(message.id)?.resolve(message.waitMs);
        this.#takes.delete(message.id);
        return;
      case "elsewhere":
        this.#readiness?.setElsewhere(message.problem);
        return;
      case "report":
        void this.#report(message.id);
        return;
      case "scraped":
        this.#scrapes.get(message.id)?.(message.text);
        this.#scrapes.delete(message.id);
        return;
    }
  }

  async #report(id: number): Promise<void> {
    const text = (await this.#metrics?.text())?.body ?? "";
    this.#send({ kind: "reported", id, text });
  }
}

function stopping(): WharfError {
  return new WharfError("UNAVAILABLE", "the server is stopping");
}
