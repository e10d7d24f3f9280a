import { setTimeout as sleep } from "node:timers/promises";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { type Upstream, UpstreamMode } from "@wharf/contract";
import { Leases } from "../../delivery/leases.ts";
import { backoff } from "../../delivery/retry-schedule.ts";
import type { DeliveryTimes } from "../../delivery/times.ts";
import { aborted } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  dueUpstreams,
  NEVER_DUE,
  recordSyncEnd,
  recordSyncStart,
  setUpstreamDue,
  type UpstreamState,
  upstreamStates,
} from "../../store/tables/registry/upstream-states.ts";
import { type CopyDeps, UpstreamCopy } from "./copy-upstream.ts";
import type { SyncResult } from "./sync-result.ts";

/** Upstreams that this process copies at a time. */
const CONCURRENCY = 2;

const BATCH_SIZE = 100;

/** The pause after a failure doubles with each. */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

/** Copies upstreams with the mode SYNC when they are due. Each is copied by one process at a time. */
export class SyncScheduler {
  readonly #deps: CopyDeps;
  readonly #leases: Leases;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  #loop: Promise<void> | undefined;

  constructor(deps: CopyDeps, times: DeliveryTimes) {
    this.#deps = deps;
    this.#leases = new Leases(deps.store, times);
    this.#pollMs = times.idlePollMs;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#running.values());
    await this.#leases.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#begin().catch((error) => {
        this.#deps.log.error({ err: error }, "due synchronizations were not read");
      });
      await sleep(this.#pollMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #begin(): Promise<void> {
    for (const uid of await dueUpstreams(this.#deps.store.reader, Date.now(), BATCH_SIZE)) {
      if (this.#stopping.signal.aborted || this.#running.size >= CONCURRENCY) return;
      if (this.#running.has(uid) || !(await this.#leases.acquire(leaseOf(uid)))) continue;
      const done = this.#synchronize(uid).finally(() => this.#running.delete(uid));
      this.#running.set(uid, done);
    }
  }

  async #synchronize(uid: string): Promise<void> {
    try {
      await this.#copy(uid);
    } catch (error) {
      // Another process goes on, or this one after its next start.
      const isStopped = this.#stopping.signal.aborted;
      if (!isStopped)
        this.#deps.log.error({ err: error, upstream: uid }, "upstream not synchronized");
    }
    await this.#leases.release(leaseOf(uid)).catch(() => {});
  }

  async #copy(uid: string): Promise<void> {
    const { store, catalog } = this.#deps;
    const upstream = await catalog.upstreams.find(store.reader, uid);
    const state = (await upstreamStates(store.reader, [uid])).get(uid);
    if (state === undefined || state.due > Date.now()) return;
    if (upstream?.mode !== UpstreamMode.SYNC) {
      return store.write((tx) => setUpstreamDue(tx, uid, NEVER_DUE));
    }
    const confirm = async (tx: Transaction) => {
      if (!(await this.#leases.confirm(tx, leaseOf(uid))))
        throw aborted("another process copies it");
      if (!(await catalog.upstreams.table.keep(tx, uid))) throw aborted("the upstream was deleted");
    };
    await store.write((tx) => recordSyncStart(tx, uid, Date.now()));
    const copy = new UpstreamCopy(this.#deps, upstream, confirm, this.#stopping.signal);
    const result = await copy.run();
    await store.write(async (tx) => {
      if (!(await this.#leases.confirm(tx, leaseOf(uid)))) return;
      await recordSyncEnd(tx, uid, endOf(upstream, state, result, Date.now()));
    });
  }
}

function endOf(
  { syncInterval }: Upstream,
  { due: before, failures: earlier }: UpstreamState,
  result: SyncResult,
  now: number,
): Parameters<typeof recordSyncEnd>[2] {
  const failures = result.error === "" ? 0 : earlier + 1;
  const planned = syncInterval === undefined ? NEVER_DUE : now + durationMs(syncInterval);
  const retry = now + (failures > 0 ? backoff(failures, FIRST_RETRY_MS, MAX_RETRY_MS) : 0);
  const due = failures > 0 ? Math.min(planned, retry) : planned;
  return { before, due, synced: now, failures, result: JSON.stringify(result) };
}

function leaseOf(uid: string): string {
  return `upstream sync ${uid}`;
}
