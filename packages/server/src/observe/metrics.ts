import type { Counter, Histogram, Registry } from "prom-client";
import type { Finished } from "../wire/observer.ts";

/** Seconds, finer where most answers are. */
const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A cache as the metrics see it. */
export interface Cache {
  readonly hits: number;
  readonly misses: number;
}

/** The instruments, once their library is there. */
interface Instruments {
  readonly registry: Registry;
  readonly requests: Histogram;
  readonly commits: Histogram;
  readonly writes: Counter;
}

/**
 * What `/metrics` shows. The library behind it takes longer to load than everything else that a
 * start needs, so it is loaded once the server is up; what happened before is added then.
 */
export class Metrics {
  readonly #caches = new Map<string, Cache>();
  #instruments: Instruments | undefined;
  #loading: Promise<Instruments> | undefined;
  #early: ((instruments: Instruments) => void)[] = [];

  requestFinished({ protocol, method, code, ms }: Finished): void {
    this.#note(({ requests }) => requests.observe({ protocol, method, code }, ms / 1000));
  }

  committed(ms: number, writes: number): void {
    this.#note((instruments) => {
      instruments.commits.observe(ms / 1000);
      instruments.writes.inc(writes);
    });
  }

  /** Shows a cache's hits and misses under a name. */
  watchCache(name: string, cache: Cache): void {
    this.#caches.set(name, cache);
  }

  /** Loads the instruments, if that has not been done. */
  load(): Promise<Instruments> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async text(): Promise<{ contentType: string; body: string }> {
    const { registry } = await this.load();
    return { contentType: registry.contentType, body: await registry.metrics() };
  }

  #note(what: (instruments: Instruments) => void): void {
    if (this.#instruments !== undefined) what(this.#instruments);
    else this.#early.push(what);
  }

  async #load(): Promise<Instruments> {
    const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import(
      "prom-client"
    );
    const registry = new Registry();
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    for (const [name, cache] of this.#caches) {
      for (const outcome of ["hits", "misses"] as const) {
        new Gauge({
          name: `wharf_${name}_cache_${outcome}`,
          help: `${name} cache ${outcome} since start.`,
          registers,
          collect() {
            this.set(cache[outcome]);
          },
        });
      }
    }
    this.#instruments = {
      registry,
      requests: new Histogram({
        name: "wharf_request_duration_seconds",
        help: "Requests by protocol, method and canonical code, from first byte to answer.",
        labelNames: ["protocol", "method", "code"],
        buckets: LATENCIES,
        registers,
      }),
      commits: new Histogram({
        name: "wharf_store_commit_duration_seconds",
        help: "Commits, each with all the writes that share it.",
        buckets: LATENCIES,
        registers,
      }),
      writes: new Counter({
        name: "wharf_store_writes_total",
        help: "Writes that were committed.",
        registers,
      }),
    };
    for (const what of this.#early) what(this.#instruments);
    this.#early = [];
    return this.#instruments;
  }
}
