import type { Registry } from "prom-client";
import type { Finished } from "../wire/observer.ts";
import { Latencies, type Series } from "./latencies.ts";

/** A cache as the metrics see it. */
export interface Cache {
  readonly hits: number;
  readonly misses: number;
}

/**
 * What `/metrics` shows. The library that writes it out takes longer to load than everything else
 * that a start needs, so it is loaded when someone asks.
 */
export class Metrics {
  readonly #requests = new Latencies(
    "wharf_request_duration_seconds",
    "Requests by protocol, method and canonical code, from first byte to answer.",
  );
  readonly #commits = new Latencies(
    "wharf_store_commit_duration_seconds",
    "Commits, each with all the writes that share it.",
  );
  readonly #allCommits = this.#commits.series({});
  readonly #notices = new Latencies(
    "wharf_registry_notice_delay_seconds",
    "From when something happened in a registry, by its clock, to when it was known here.",
  );
  readonly #allNotices = this.#notices.series({});
  readonly #caches = new Map<string, Cache>();
  readonly #counts = new Map<CounterName, Map<string, Counted>>();
  #writes = 0;
  #registry: Promise<Registry> | undefined;

  /** Where the latencies of one kind of request are kept. */
  requests({ protocol, method, code }: Finished): Series {
    return this.#requests.series({ protocol, method, code });
  }

  committed(ms: number, writes: number): void {
    this.#allCommits.add(ms / 1000);
    this.#writes += writes;
  }

  /** A notification was ingested, this long after the event it reports. */
  notificationIngested(ms: number): void {
    this.#allNotices.add(ms / 1000);
  }

  /** Shows a cache's hits and misses under a name. */
  watchCache(name: string, cache: Cache): void {
    this.#caches.set(name, cache);
  }

  /**
   * Counts something that happened.
   *
   * @example metrics.count("wharf_registry_notices_total", { outcome: "taken" });
   */
  count(name: CounterName, labels: Labels, by = 1): void {
    const series = this.#counts.get(name) ?? new Map<string, Counted>();
    const key = JSON.stringify(labels);
    const { value } = series.get(key) ?? { value: 0 };
    series.set(key, { labels, value: value + by });
    this.#counts.set(name, series);
  }

  async text(): Promise<{ contentType: string; body: string }> {
    this.#registry ??= this.#load();
    const registry = await this.#registry;
    return { contentType: registry.contentType, body: await registry.metrics() };
  }

  async #load(): Promise<Registry> {
    const { Counter, collectDefaultMetrics, Registry } = await import("prom-client");
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    registry.registerMetric(this.#requests.metric);
    registry.registerMetric(this.#commits.metric);
    registry.registerMetric(this.#notices.metric);
    const show = (name: string, help: string, value: () => number) =>
      new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset();
          this.inc(value());
        },
      });
    show("wharf_store_writes_total", "Writes that were committed.", () => this.#writes);
    for (const [name, cache] of this.#caches) {
      show(`wharf_${name}_cache_hits_total`, `Hits of the ${name} cache.`, () => cache.hits);
      show(`wharf_${name}_cache_misses_total`, `Misses of the ${name} cache.`, () => cache.misses);
    }
    for (const [name, { help, labelNames }] of Object.entries(COUNTERS)) {
      const series = () => this.#counts.get(name as CounterName)?.values() ?? [];
      new Counter({
        name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        collect() {
          this.reset();
          for (const { labels, value } of series()) this.inc({ ...labels }, value);
        },
      });
    }
    return registry;
  }
}

type Labels = Readonly<Record<string, string>>;

interface Counted {
  readonly labels: Labels;
  readonly value: number;
}

/** What is counted as it happens. */
const COUNTERS = {
  wharf_store_errors_total: {
    help: "Writes that the database failed on: its disk is full or fails, it is read-only or unreachable.",
    labelNames: ["cause"],
  },
  wharf_expired_rows_total: {
    help: "Rows deleted because they expired or their retention was over.",
    labelNames: ["table"],
  },
  wharf_connections_closed_total: {
    help: "Connections closed for others: beyond the total, beyond the share of an address, or idle.",
    labelNames: ["reason"],
  },
  wharf_v1_calls_total: {
    help: "Calls of version 1 by caller and method, once it is deprecated; past 100 callers, the rest are one.",
    labelNames: ["caller", "method"],
  },
  wharf_registry_notices_total: {
    help: "Notifications of registries: taken in, known before, about paths elsewhere, or refused.",
    labelNames: ["outcome"],
  },
  wharf_registry_reconcile_passes_total: {
    help: "Looks through a registry that came to their end, or failed and go on later.",
    labelNames: ["host", "outcome"],
  },
  wharf_registry_reconcile_repos_total: {
    help: "Repositories looked at: those that are ours, and those whose path stands for nothing here.",
    labelNames: ["host", "outcome"],
  },
  wharf_registry_reconcile_tags_total: {
    help: "Tags looked at: as known, created, moved or removed.",
    labelNames: ["host", "outcome"],
  },
  wharf_registry_reconcile_manifests_total: {
    help: "Manifests that were not known and were read.",
    labelNames: ["host"],
  },
} as const;

type CounterName = keyof typeof COUNTERS;
