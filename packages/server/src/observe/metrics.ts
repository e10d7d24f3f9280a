import type { Registry } from "prom-client";
import { BUILD, VERSION } from "../lib/version.ts";
import type { Finished } from "../wire/observer.ts";
import { Latencies, type Series } from "./latencies.ts";
import type { Counted, Labels, ScrapedMetrics } from "./scraped-metrics.ts";

/** The statistics of a cache. */
export interface Cache {
  readonly hits: number;
  readonly misses: number;
}

/** The statistics of costly reads of the store. */
export interface CostlyReadStatistics {
  readonly size: { readonly running: number; readonly waiting: number };
  readonly totals: {
    readonly begun: number;
    readonly interrupted: number;
    readonly rejected: number;
  };
}

/**
 * The metrics in `/metrics`. The library that formats them is loaded on the first scrape, because
 * loading it takes longer than the rest of a start.
 */
export class Metrics {
  readonly #requests = new Latencies(
    "wharf_request_duration_seconds",
    "Duration of requests by method, from first byte to response.",
  );
  readonly #commits = new Latencies(
    "wharf_store_commit_duration_seconds",
    "Duration of commits; a commit may contain several writes.",
  );
  readonly #allCommits = this.#commits.series({});
  readonly #notificationDelays = new Latencies(
    "wharf_registry_notice_delay_seconds",
    "Delay from an event in a registry, by its clock, until its notification was ingested.",
  );
  readonly #allNotificationDelays = this.#notificationDelays.series({});
  readonly #durations = new Map<string, Series>();
  readonly #kinds: Requests[] = [];
  readonly #caches = new Map<string, Cache>();
  readonly #counts = new Map<CounterName, Map<string, Counted>>();
  readonly #gauges = new Map<string, Gauged>();
  #costlyReads: CostlyReadStatistics | undefined;
  #lastBackup: LastBackup | undefined;
  #writes = 0;
  #registry: Promise<Registry> | undefined;

  /** The counter of a new kind of request, and the histogram that all kinds of its method share. */
  requests({ protocol, method, code }: Finished): Requests {
    let durations = this.#durations.get(method);
    if (durations === undefined) {
      durations = this.#requests.series({ method });
      this.#durations.set(method, durations);
    }
    const requests = { labels: { protocol, method, code: String(code) }, durations, count: 0 };
    this.#kinds.push(requests);
    return requests;
  }

  committed(ms: number, writes: number): void {
    this.#allCommits.add(ms / 1000);
    this.#writes += writes;
  }

  /** A notification was ingested, this long after the event it reports. */
  notificationIngested(ms: number): void {
    this.#allNotificationDelays.add(ms / 1000);
  }

  /** Adds the hits and misses of a cache, under a name. */
  watchCache(name: string, cache: Cache): void {
    this.#caches.set(name, cache);
  }

  /** Adds the costly reads of the store. */
  watchCostlyReads(reads: CostlyReadStatistics): void {
    this.#costlyReads = reads;
  }

  /** Adds a figure that is read with each scrape; it is absent while it is undefined. */
  watchGauge(name: string, help: string, read: () => number | undefined): void {
    this.#gauges.set(name, { help, read });
  }

  /** A scheduled backup is complete. */
  backedUp({ seconds, bytes }: Omit<LastBackup, "time">): void {
    this.#lastBackup = { time: Date.now() / 1000, seconds, bytes };
    this.count("wharf_backups_total", { outcome: "succeeded" });
  }

  /** Increments a counter. */
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

  #backupGauges(): [string, Gauged][] {
    return [
      [
        "wharf_backup_last_success_timestamp_seconds",
        {
          help: "When the last scheduled backup of this process succeeded.",
          read: () => this.#lastBackup?.time,
        },
      ],
      [
        "wharf_backup_last_duration_seconds",
        { help: "How long it took.", read: () => this.#lastBackup?.seconds },
      ],
      [
        "wharf_backup_last_size_bytes",
        { help: "The size of its file.", read: () => this.#lastBackup?.bytes },
      ],
    ];
  }

  async #load(): Promise<Registry> {
    const { ScrapedMetrics } = await import("./scraped-metrics.ts");
    const scraped = new ScrapedMetrics();
    scraped.add(this.#requests.metric);
    scraped.add(this.#commits.metric);
    scraped.add(this.#notificationDelays.metric);
    const built =
      "Always 1; the labels name the version, the commit and its date, and the Node.js version.";
    scraped.addInfo("wharf_build_info", built, buildLabels());
    scraped.addCounter("wharf_store_writes_total", "Writes committed.", () => this.#writes);
    scraped.addLabeledCounter(
      "wharf_requests_total",
      "Requests by protocol, method and canonical code.",
      ["protocol", "method", "code"],
      () => this.#kinds.map(({ labels, count }) => ({ labels, value: count })),
    );
    for (const [name, { help, read }] of [...this.#gauges, ...this.#backupGauges()])
      scraped.addGauge(name, help, read);
    this.#addCostlyReads(scraped);
    for (const [name, cache] of this.#caches) addCache(scraped, name, cache);
    for (const [name, { help, labelNames }] of Object.entries(COUNTERS)) {
      const series = () => this.#counts.get(name as CounterName)?.values() ?? [];
      scraped.addLabeledCounter(name, help, labelNames, series);
    }
    return scraped.registry;
  }

  #addCostlyReads(scraped: ScrapedMetrics): void {
    for (const [total, help] of COSTLY_TOTALS) {
      const name = total === "begun" ? "" : `_${total}`;
      const read = () => this.#costlyReads?.totals[total] ?? 0;
      scraped.addCounter(`wharf_store_costly_reads${name}_total`, help, read);
    }
    for (const state of ["running", "waiting"] as const) {
      const help = `Reads of unknown cost that are ${state}.`;
      const read = () => this.#costlyReads?.size[state] ?? 0;
      scraped.addGauge(`wharf_store_costly_reads_${state}`, help, read);
    }
  }
}

function addCache(scraped: ScrapedMetrics, name: string, cache: Cache): void {
  const prefix = `wharf_${name}_cache`;
  scraped.addCounter(`${prefix}_hits_total`, `Hits of the ${name} cache.`, () => cache.hits);
  scraped.addCounter(`${prefix}_misses_total`, `Misses of the ${name} cache.`, () => cache.misses);
}

function buildLabels() {
  const { commit, buildDate } = BUILD;
  const { node } = process.versions;
  return { version: VERSION, commit, build_date: buildDate, node_version: node };
}

const COSTLY_TOTALS = [
  ["begun", "Reads of unknown cost that were run apart from others."],
  ["interrupted", "Such reads that were interrupted: their request ended, or they took too long."],
  ["rejected", "Such reads that were rejected because too many were waiting."],
] as const;

/** Requests of one protocol, method and code. */
export interface Requests {
  readonly labels: Labels;
  readonly durations: Series;
  count: number;
}

interface Gauged {
  readonly help: string;
  readonly read: () => number | undefined;
}

interface LastBackup {
  /** In seconds since 1970. */
  readonly time: number;
  readonly seconds: number;
  readonly bytes: number;
}

const COUNTERS = {
  wharf_store_errors_total: {
    help: "Failed reads and writes by cause, such as a full disk or an unreachable database.",
    labelNames: ["cause"],
  },
  wharf_file_descriptor_errors_total: {
    help: "Failures for lack of file descriptors, by operation: accept, open, or request for outgoing connections.",
    labelNames: ["operation"],
  },
  wharf_log_lines_dropped_total: {
    help: "Log lines dropped because nobody read them.",
    labelNames: [],
  },
  wharf_expired_rows_total: {
    help: "Rows deleted after their expiry or retention period.",
    labelNames: ["table"],
  },
  wharf_audit_sink_entries_total: {
    help: "Audit entries and checkpoints sent to sinks.",
    labelNames: ["sink"],
  },
  wharf_audit_sink_failures_total: {
    help: "Batches of audit entries that sinks did not accept.",
    labelNames: ["sink"],
  },
  wharf_vulnerability_source_imports_total: {
    help: "Imports of vulnerability sources by kind and result.",
    labelNames: ["kind", "result"],
  },
  wharf_exposure_work_total: {
    help: "Recomputations after changes of images, advisories and decisions.",
    labelNames: ["kind", "result"],
  },
  wharf_event_deliveries_total: {
    help: "Attempts to deliver events to subscriptions by outcome: delivered, retried, or failed for good.",
    labelNames: ["outcome"],
  },
  wharf_spans_dropped_total: {
    help: "Spans that were not sent to the collector of traces: too many waited, or it did not accept them.",
    labelNames: [],
  },
  wharf_backups_total: {
    help: "Scheduled backups by outcome: succeeded or failed.",
    labelNames: ["outcome"],
  },
  wharf_clock_faults_total: {
    help: "Checks that found the clock of this machine set forward or back, or the database ahead or behind.",
    labelNames: ["fault"],
  },
  wharf_connections_closed_total: {
    help: "Connections that the server closed: over the total, over the share of an address, or idle.",
    labelNames: ["reason"],
  },
  wharf_v1_calls_total: {
    help: "Calls of the deprecated version 1 by caller and method; callers after the first 100 share one label.",
    labelNames: ["caller", "method"],
  },
  wharf_registry_bytes_total: {
    help: "Bytes of blobs that the registry received (in) and sent (out).",
    labelNames: ["direction"],
  },
  wharf_registry_upstream_requests_total: {
    help: "Requests to upstreams by outcome: answered, also with 404, or failed.",
    labelNames: ["outcome"],
  },
  wharf_registry_scrubbed_bytes_total: {
    help: "Bytes of blobs that were read again to find damage.",
    labelNames: [],
  },
  wharf_registry_scrubbed_blobs_total: {
    help: "Blobs that were read again, by outcome: good or damaged.",
    labelNames: ["outcome"],
  },
  wharf_registry_collected_blobs_total: {
    help: "Blobs that were deleted because no image needed them.",
    labelNames: [],
  },
  wharf_registry_collected_bytes_total: {
    help: "Bytes of these blobs.",
    labelNames: [],
  },
  wharf_registry_notices_total: {
    help: "Notifications of registries by outcome: ingested (taken), duplicate (known), of no repo here (elsewhere), or failed (refused).",
    labelNames: ["outcome"],
  },
  wharf_registry_reconcile_passes_total: {
    help: "Reconcile passes by outcome; a failed pass continues later.",
    labelNames: ["host", "outcome"],
  },
  wharf_registry_reconcile_repos_total: {
    help: "Repositories reconciled by outcome: ours, of no repo here (elsewhere), or failed (refused).",
    labelNames: ["host", "outcome"],
  },
  wharf_registry_reconcile_tags_total: {
    help: "Tags reconciled by outcome: unchanged (same), created, moved or removed.",
    labelNames: ["host", "outcome"],
  },
  wharf_registry_reconcile_manifests_total: {
    help: "Manifests fetched while reconciling.",
    labelNames: ["host"],
  },
} as const;

type CounterName = keyof typeof COUNTERS;
