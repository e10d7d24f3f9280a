import type { Leases } from "../../delivery/leases.ts";
import { backoff } from "../../delivery/retry-schedule.ts";
import { DELIVERY_TIMES } from "../../delivery/times.ts";
import { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import { readCheckpointsAfter } from "../../store/tables/audit/checkpoints.ts";
import { readAuditRange } from "../../store/tables/audit/entries.ts";
import { settledAuditId } from "../../store/tables/audit/horizon.ts";
import {
  readSinkProgress,
  type SinkProgress,
  sinkLease,
  storeSinkProgress,
} from "../../store/tables/audit/sinks.ts";
import { jsonOf } from "../message.ts";
import { type AuditSink, SinkError, type SinkLine } from "./sink.ts";

/** Lines of one batch. */
const BATCH_SIZE = 500;

/** The interval between looks for new entries, and the longest pause after failures. */
const IDLE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

/** Pauses are up to this part longer: replicas do not try together. */
const JITTER = 0.5;

export interface SinkWorkerDeps {
  readonly store: Store;
  readonly leases: Leases;
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
  readonly #wakeSignal = new WakeSignal();
  #running: Promise<void> | undefined;
  #failures = 0;
  #stopped = false;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(deps: SinkWorkerDeps, sink: AuditSink, key: string) {
    this.#deps = deps;
    this.#sink = sink;
    this.#key = key;
  }

  start(): void {
    this.#running ??= this.#run().catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeSignal.wake();
    await this.#running;
    this.#sink.close();
    await this.#deps.leases.release(sinkLease(this.#key)).catch(() => {});
  }

  async #run(): Promise<void> {
    const { idleMs = IDLE_MS, log, metrics } = this.#deps;
    const sink = this.#sink.name;
    while (!this.#stopped) {
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
        const requestedMs = error instanceof SinkError ? error.retryAfterMs : 0;
        const pauseMs = Math.max(requestedMs, backoff(this.#failures, 2 * idleMs, MAX_PAUSE_MS));
        pause = pauseMs * (1 + Math.random() * JITTER);
      }
      if (pause > 0) await this.#wakeSignal.wait(pause);
    }
  }

  /** Sends the next batch. Returns whether there may be more. */
  async #sendBatch(): Promise<boolean> {
    const { store, metrics, leases } = this.#deps;
    const name = sinkLease(this.#key);
    // Nothing is written while there is nothing to send.
    if ((await this.#nextLines()).lines.length === 0) {
      if (performance.now() - this.#sentAt > DELIVERY_TIMES.lingerMs) await leases.release(name);
      return false;
    }
    if (!(await leases.acquire(name))) return false;
    // Another process may have sent until its lease ended: this is the progress while this one holds it.
    const { lines, next } = await this.#nextLines();
    if (lines.length === 0) return false;
    await this.#sink.send({ lines });
    this.#sentAt = performance.now();
    await store.write(async (tx) => {
      if (await leases.confirm(tx, name)) await storeSinkProgress(tx, this.#key, next);
    });
    metrics.count("wharf_audit_sink_entries_total", { sink: this.#sink.name }, lines.length);
    return lines.length >= BATCH_SIZE;
  }

  async #nextLines() {
    const { reader } = this.#deps.store;
    const { entry, checkpoint } = await readSinkProgress(reader, this.#key);
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
