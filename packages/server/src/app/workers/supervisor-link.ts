import type { AddressInfo, Socket } from "node:net";
import type { RateLimitPeers } from "../../lib/scheduling/rate-limiter.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Readiness } from "../../observe/readiness.ts";
import type { ConnectionSource } from "../../wire/port.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** Sends a message to the supervisor. */
type Send = (message: FromWorker) => void;

/** What a worker gets from its supervisor: connections, and what its peers count, report and cannot do. */
export class SupervisorLink implements ConnectionSource, RateLimitPeers {
  readonly worker: number;
  readonly address: AddressInfo;
  readonly isReplacement: boolean;
  readonly #send: Send;
  readonly #limiters = new Map<string, (key: string) => void>();
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

  join(limiter: string, receive: (key: string) => void): (key: string) => void {
    this.#limiters.set(limiter, receive);
    return (key) => this.#send({ kind: "counted", limiter, key });
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
      case "counted":
        this.#limiters.get(message.limiter)?.(message.key);
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
