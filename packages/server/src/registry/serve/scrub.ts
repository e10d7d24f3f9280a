import { setTimeout as sleep } from "node:timers/promises";
import { Leases } from "../../delivery/leases.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import { readInstallation, replaceInstallation } from "../../store/tables/installation.ts";
import {
  blobsAfter,
  damagedBlobs,
  type ExaminedBlob,
  lockBlob,
  markDamaged,
} from "../../store/tables/registry/blobs.ts";
import type { ContentStorage, Examined } from "../storage/content-storage.ts";
import { boundFolder } from "../storage/folder-id.ts";

/** A clock in milliseconds, and pauses by it that reject once the signal is aborted. */
export interface Timing {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const MONOTONIC: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
};

export interface ScrubDeps {
  readonly store: Store;
  readonly storage: ContentStorage;
  readonly metrics: Pick<Metrics, "count">;
  readonly log: Logger;
  /** 0: off. */
  readonly bytesPerSecond: number;
  readonly timing?: Timing;
}

/** The position of the scrub, which the next process continues. */
export interface ScrubState {
  /** The last blob that was examined in this round; empty between rounds. */
  readonly last: string;
  /** The long blob whose examination has begun. */
  readonly begun?: string;
  /** The time at which the last round finished; 0 for never. */
  readonly finished: number;
}

const STATE = "registry_scrub";
const LEASE = "registry-scrub";
const LEASE_TIMES = { leaseMs: 60_000 };

/** The pause between passes: damaged blobs are examined again in each, because an operator may have repaired them. */
const INTERVAL_MS = 3_600_000;

/** A round begins this long after the last one. */
const ROUND_MS = 7 * 24 * 3_600_000;

/** The position is written this often: a stopped round repeats as much. */
const SAVE_MS = 30_000;

/**
 * A blob that takes longer is left out of a round once it was interrupted: a server that always stops earlier would examine
 * none of those after it.
 */
const LONG_MS = 600_000;

const BATCH_SIZE = 100;

/** Damaged blobs that are examined again in one pass. */
const MAX_DAMAGED = 1_000;

/** Costs of a blob beside its bytes, as bytes: small ones are seeks and statements. */
const BLOB_BYTES = 64 * 1024;

/**
 * Reads all blobs again, at a bounded rate and in one process at a time, and marks those whose content is damaged. They are
 * not deleted: the next push of the same content repairs them, and so does a file from a backup.
 */
export class Scrub {
  readonly #deps: ScrubDeps;
  readonly #leases: Leases;
  readonly #stopping = new AbortController();
  readonly #timing: Timing;
  #running: Promise<void> | undefined;

  constructor(deps: ScrubDeps) {
    this.#deps = deps;
    this.#timing = deps.timing ?? MONOTONIC;
    this.#leases = new Leases(deps.store, LEASE_TIMES);
  }

  start(): void {
    if (this.#deps.bytesPerSecond > 0) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#leases.close();
  }

  /** Examines what is due, unless another process does. */
  async pass(now = Date.now()): Promise<void> {
    if (!(await this.#leases.acquire(LEASE))) return;
    try {
      const { store } = this.#deps;
      for (const blob of await damagedBlobs(store.reader, MAX_DAMAGED)) await this.#examine(blob);
      const state = await readScrubState(store.reader);
      // A round that finished in the future, by a clock that was set back since, is not recent.
      const isRecent = Math.abs(now - state.finished) < ROUND_MS;
      if (state.last !== "" || !isRecent) await this.#round(state);
    } finally {
      await this.#leases.release(LEASE);
    }
  }

  async #run(): Promise<void> {
    const { log } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.pass();
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, "the scrub of the registry was interrupted");
      }
      await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #round({ last, begun, finished }: ScrubState): Promise<void> {
    const { store, log } = this.#deps;
    let position = last;
    let [blobs, damaged] = [0, 0];
    let saved = this.#timing.now();
    for (let batch = BATCH_SIZE; batch === BATCH_SIZE; ) {
      const found = await blobsAfter(store.reader, position, BATCH_SIZE);
      for (const blob of found) {
        const { digest, size } = blob;
        const isLong = this.#durationOf(size) > LONG_MS;
        if (digest === begun) {
          const seconds = Math.ceil(this.#durationOf(size) / 1_000);
          log.warn(
            { digest, seconds },
            "the scrub of a blob was interrupted: until the next round",
          );
        } else {
          if (isLong) await writeScrubState(store, { last: position, begun: digest, finished });
          if (await this.#examine(blob)) damaged++;
          blobs++;
        }
        position = digest;
        if (!isLong && this.#timing.now() - saved < SAVE_MS) continue;
        await writeScrubState(store, { last: position, finished });
        saved = this.#timing.now();
      }
      batch = found.length;
    }
    await writeScrubState(store, { last: "", finished: Date.now() });
    log.info({ blobs, damaged }, "a scrub of the registry is finished");
  }

  /** Returns whether a blob is damaged. */
  async #examine(blob: ExaminedBlob): Promise<boolean> {
    const { storage, metrics } = this.#deps;
    await this.#wait(BLOB_BYTES);
    const examined = await storage.examine(blob, async (bytes) => {
      metrics.count("wharf_registry_scrubbed_bytes_total", {}, bytes);
      await this.#wait(bytes);
    });
    const isChanged = (examined.problem !== undefined) !== blob.damaged > 0;
    const isDamaged = isChanged ? await this.#record(blob, examined) : blob.damaged > 0;
    const outcome = isDamaged ? "damaged" : "good";
    metrics.count("wharf_registry_scrubbed_blobs_total", { outcome });
    return isDamaged;
  }

  /**
   * Records a change, unless a push has stored the content again meanwhile. A push stores the file before its transaction,
   * which waits for the lock of this one or is waited for: so a mark never outlives the repair.
   */
  async #record({ digest }: ExaminedBlob, { problem, version }: Examined): Promise<boolean> {
    const { store, storage, log } = this.#deps;
    await this.#checkFolder();
    const isRecorded = await store.write(async (tx) => {
      if (!(await lockBlob(tx, digest))) return false;
      if ((await storage.versionOf(digest)) !== version) return false;
      await markDamaged(tx, digest, problem === undefined ? 0 : Date.now());
      return true;
    });
    if (!isRecorded) return false;
    if (problem === undefined) log.info({ digest }, "the content of a blob is repaired");
    else log.error({ digest, problem }, "the content of a blob is damaged: push it again");
    return problem !== undefined;
  }

  /** Without its folder, such as before a mount, every blob would look missing. */
  async #checkFolder(): Promise<void> {
    const { storage, store } = this.#deps;
    const bound = await boundFolder(store.reader);
    if (storage.folderId() === bound) return;
    throw new Error("the folder of the registry is not the one that the store is bound to");
  }

  #durationOf(bytes: number): number {
    return (bytes * 1_000) / this.#deps.bytesPerSecond;
  }

  /** Waits for as long as so many bytes take; rejects once the scrub is stopped or another process has the lease. */
  async #wait(bytes: number): Promise<void> {
    await this.#timing.sleep(this.#durationOf(bytes), this.#stopping.signal);
    if (!this.#leases.holds(LEASE)) throw new Error("another process has taken over the scrub");
  }
}

export async function readScrubState(
  reader: Parameters<typeof readInstallation>[0],
): Promise<ScrubState> {
  const text = await readInstallation(reader, STATE);
  return text === undefined ? { last: "", finished: 0 } : (JSON.parse(text) as ScrubState);
}

function writeScrubState(store: Store, state: ScrubState): Promise<void> {
  return store.write((tx) => replaceInstallation(tx, STATE, JSON.stringify(state)));
}
