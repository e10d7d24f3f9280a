import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Finished } from "../wire/observer.ts";

/** Seconds, finer where most answers are. */
const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A cache as the metrics see it. */
export interface Cache {
  readonly hits: number;
  readonly misses: number;
}

/** What `/metrics` shows. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: "wharf_request_duration_seconds",
    help: "Requests by protocol, method and canonical code, from first byte to answer.",
    labelNames: ["protocol", "method", "code"],
    buckets: LATENCIES,
    registers: [this.#registry],
  });
  readonly #commits = new Histogram({
    name: "wharf_store_commit_duration_seconds",
    help: "Commits, each with all the writes that share it.",
    buckets: LATENCIES,
    registers: [this.#registry],
  });
  readonly #writes = new Counter({
    name: "wharf_store_writes_total",
    help: "Writes that were committed.",
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  requestFinished({ protocol, method, code, ms }: Finished): void {
    this.#requests.observe({ protocol, method, code }, ms / 1000);
  }

  committed(ms: number, writes: number): void {
    this.#commits.observe(ms / 1000);
    this.#writes.inc(writes);
  }

  /** Shows a cache's hits and misses under a name. */
  watchCache(name: string, cache: Cache): void {
    for (const outcome of ["hits", "misses"] as const) {
      new Gauge({
        name: `wharf_${name}_cache_${outcome}`,
        help: `${name} cache ${outcome} since start.`,
        registers: [this.#registry],
        collect() {
          this.set(cache[outcome]);
        },
      });
    }
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
