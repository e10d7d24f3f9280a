import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import { readCheckpointsAfter } from "../../store/tables/audit-checkpoints.ts";
import { readAuditRange } from "../../store/tables/audit-entries.ts";
import { settledAuditId } from "../../store/tables/audit-horizon.ts";
import {
  acquireSink,
  readSinkProgress,
  type SinkProgress,
  storeSinkProgress,
} from "../../store/tables/audit-sinks.ts";
import { jsonOf } from "../message.ts";
import type { AuditSink, SinkLine } from "./sink.ts";

/** Lines of one batch. */
const BATCH_SIZE = 500;

/** The interval between looks for new entries, and the longest pause after failures. */
const IDLE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

/** How long a replica sends to a sink alone; renewed with each batch. */
const LEASE_MS = 30_000;

export interface SinkWorkerDeps {
  readonly store: Store;
  readonly metrics: Pick<Metrics, "count">;
  readonly log: Pick<Logger, "warn" | "info">;
  /** The interval between looks for new entries, for tests. */
  readonly idleMs?: number;
}

/**
 * Sends entries and checkpoints to one sink, in order, from where it ended: the progress is stored after each batch. One
 * replica sends at a time; if it stops, another continues. Entries may arrive twice, and none is left out.
 */
export class SinkWorker {
  readonly #deps: SinkWorkerDeps;
  readonly #sink: AuditSink;
  readonly #key: string;
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;

  constructor(deps: SinkWorkerDeps, sink: AuditSink, key: string) {
    this.#deps = deps;
    this.#sink = sink;
    this.#key = key;
  }

  start(): void {
    this.#running ??= this.#run().catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#sink.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { idleMs = IDLE_MS, log, metrics } = this.#deps;
    const sink = this.#sink.name;
    while (!signal.aborted) {
      let pause = idleMs;
      try {
        if (await this.#sendBatch()) pause = 0;
        if (this.#failures > 0)
          log.info({ sink, failures: this.#failures }, "audit sink recovered");
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        metrics.count("wharf_audit_sink_failures_total", { sink });
        if (this.#failures === 1) log.warn({ sink, err: error }, "audit sink failed");
        // Jitter: replicas do not try together.
        pause = Math.min(MAX_PAUSE_MS, idleMs * 2 ** this.#failures) * (0.5 + Math.random());
      }
      await sleep(pause, undefined, { signal, ref: false });
    }
  }

  /** Sends the next batch. Returns whether there may be more. */
  async #sendBatch(): Promise<boolean> {
    const { store, metrics } = this.#deps;
    // Nothing is written while there is nothing to send.
    const known = await readSinkProgress(store.reader, this.#key);
    if ((await this.#nextLines(known)).lines.length === 0) return false;
    const now = Date.now();
    const progress = await store.write((tx) => {
      return acquireSink(tx, this.#key, this.#owner, now, now + LEASE_MS);
    });
    if (progress === undefined) return false;
    const { lines, next } = await this.#nextLines(progress);
    if (lines.length === 0) return false;
    await this.#sink.send({ lines });
    await store.write((tx) => storeSinkProgress(tx, this.#key, this.#owner, next));
    metrics.count("wharf_audit_sink_entries_total", { sink: this.#sink.name }, lines.length);
    return lines.length >= BATCH_SIZE;
  }

  async #nextLines({ entry, checkpoint }: SinkProgress) {
    const { reader } = this.#deps.store;
    const settled = (await settledAuditId(reader)) ?? entry;
    const entries = await readAuditRange(reader, entry + 1, settled + 1, BATCH_SIZE);
    const signed = await readCheckpointsAfter(reader, checkpoint, BATCH_SIZE);
    const lines: SinkLine[] = [
      ...entries.map((one) => {
        const json = `{"kind":"entry",${jsonOf(one).slice(1)}`;
        return { json, time: one.time, isFailure: one.code !== 0 };
      }),
      ...signed.map((one) => {
        const json = JSON.stringify({ kind: "checkpoint", signed: one.signed });
        return { json, time: one.time, isFailure: false };
      }),
    ];
    const next: SinkProgress = {
      entry: entries.at(-1)?.id ?? entry,
      checkpoint: signed.at(-1)?.id ?? checkpoint,
    };
    return { lines, next };
  }
}
