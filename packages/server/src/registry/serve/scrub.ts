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

export interface ScrubDeps {
  readonly store: Store;
  readonly storage: ContentStorage;
  readonly metrics: Pick<Metrics, "count">;
  readonly log: Logger;
  /** 0: off. */
  readonly bytesPerSecond: number;
}

/** The position of the scrub, which the next process continues. */
export interface ScrubState {
  /** The last blob that was examined in this round; empty between rounds. */
  readonly last: string;
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
  #running: Promise<void> | undefined;
  /** The time of the next read, by `performance.now()`. */
  #nextRead = 0;

  constructor(deps: ScrubDeps) {
    this.#deps = deps;
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
      await this.#checkFolder();
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

  async #round({ last, finished }: ScrubState): Promise<void> {
    const { store, log } = this.#deps;
    let position = last;
    let [blobs, damaged] = [0, 0];
    let saved = performance.now();
    for (let batch = BATCH_SIZE; batch === BATCH_SIZE; ) {
      const found = await blobsAfter(store.reader, position, BATCH_SIZE);
      for (const blob of found) {
        if (await this.#examine(blob)) damaged++;
        blobs++;
        position = blob.digest;
        if (performance.now() - saved < SAVE_MS) continue;
        await writeScrubState(store, { last: position, finished });
        saved = performance.now();
      }
      batch = found.length;
    }
    await writeScrubState(store, { last: "", finished: Date.now() });
    log.info({ blobs, damaged }, "a scrub of the registry is finished");
  }

  /** Returns whether a blob is damaged. */
  async #examine(blob: ExaminedBlob): Promise<boolean> {
    const { storage, metrics } = this.#deps;
    await this.#pace(BLOB_BYTES);
    const examined = await storage.examine(blob, async (bytes) => {
      metrics.count("wharf_registry_scrubbed_bytes_total", {}, bytes);
      await this.#pace(bytes);
    });
    const isDamaged = examined.problem !== undefined;
    const outcome = isDamaged ? "damaged" : "good";
    metrics.count("wharf_registry_scrubbed_blobs_total", { outcome });
    if (isDamaged !== blob.damaged > 0) return this.#record(blob, examined);
    return isDamaged;
  }

  /**
   * Records a change, unless a push has stored the content again meanwhile. A push stores the file before its transaction,
   * which waits for the lock of this one or is waited for: so a mark never outlives the repair.
   */
  async #record({ digest }: ExaminedBlob, { problem, version }: Examined): Promise<boolean> {
    const { store, storage, log } = this.#deps;
    if (version === "") await this.#checkFolder();
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

  /** Waits until so many bytes may be read; rejects once the scrub is stopped or another process has the lease. */
  async #pace(bytes: number): Promise<void> {
    const { bytesPerSecond } = this.#deps;
    const now = performance.now();
    this.#nextRead = Math.max(now, this.#nextRead) + (bytes * 1_000) / bytesPerSecond;
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    await sleep(this.#nextRead - now, undefined, { signal, ref: false });
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
