import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import { type BlobTotals, countDamaged, totalsAfter } from "../../store/tables/registry/blobs.ts";
import { countUploads } from "../../store/tables/registry/uploads.ts";
import { readScrubState, type ScrubState } from "./scrub.ts";

/** Counts that are short reads. */
const COUNT_INTERVAL_MS = 60_000;

/** Sums over all blobs are read this often, in batches. */
const SUM_INTERVAL_MS = 3_600_000;
const BATCH_SIZE = 1_000;

/** The pause between batches, in which others read. */
const PAUSE_MS = 5;

interface Counts {
  readonly uploads: number;
  readonly damaged: number;
  readonly scrub: ScrubState;
}

/** Metrics of what the registry stores, read from the store in the background: a scrape costs nothing. */
export class StoredUsage {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #counts: Counts | undefined;
  #totals: BlobTotals | undefined;
  #running: Promise<void> | undefined;

  constructor(store: Store, metrics: Pick<Metrics, "watchGauge">, log: Logger) {
    this.#store = store;
    this.#log = log;
    for (const [name, help, read] of this.#gauges())
      metrics.watchGauge(`wharf_registry_${name}`, help, read);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async count(): Promise<void> {
    const { reader } = this.#store;
    this.#counts = {
      uploads: await countUploads(reader),
      damaged: await countDamaged(reader),
      scrub: await readScrubState(reader),
    };
  }

  async sum(): Promise<void> {
    const { signal } = this.#stopping;
    let totals: BlobTotals = { blobs: 0, stored: 0, linked: 0, last: "" };
    for (let batch = BATCH_SIZE; batch === BATCH_SIZE; ) {
      const next = await totalsAfter(this.#store.reader, totals.last, BATCH_SIZE);
      batch = next.blobs;
      totals = {
        blobs: totals.blobs + next.blobs,
        stored: totals.stored + next.stored,
        linked: totals.linked + next.linked,
        last: next.last,
      };
      await sleep(PAUSE_MS, undefined, { signal, ref: false });
    }
    this.#totals = totals;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let nextSum = 0; !signal.aborted; ) {
      try {
        await this.count();
        if (performance.now() >= nextSum) {
          await this.sum();
          nextSum = performance.now() + SUM_INTERVAL_MS;
        }
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, "usage of the registry not measured");
      }
      await sleep(COUNT_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #gauges(): [name: string, help: string, read: () => number | undefined][] {
    return [
      ["uploads_open", "Uploads that are not finished.", () => this.#counts?.uploads],
      ["blobs", "Blobs that are stored.", () => this.#totals?.blobs],
      ["stored_bytes", "Bytes of blobs, each counted once.", () => this.#totals?.stored],
      [
        "linked_bytes",
        "Bytes of blobs, each counted for every repo that has it.",
        () => this.#totals?.linked,
      ],
      [
        "damaged_blobs",
        "Blobs whose content was found damaged and not repaired yet.",
        () => this.#counts?.damaged,
      ],
      [
        "scrub_progress_ratio",
        "Share of the blobs that the current round of the scrub has read; 0 between rounds.",
        () => this.#counts && progressOf(this.#counts.scrub),
      ],
      [
        "scrub_last_success_timestamp_seconds",
        "When the scrub last finished a round.",
        () => this.#counts && finishedOf(this.#counts.scrub),
      ],
    ];
  }
}

/** Digests are evenly distributed, and examined in their order. */
function progressOf({ last }: ScrubState): number {
  const [, hex = ""] = last.split(":");
  return hex === "" ? 0 : Number.parseInt(hex.slice(0, 8), 16) / 2 ** 32;
}

/** In seconds; undefined before the first round. */
function finishedOf({ finished }: ScrubState): number | undefined {
  return finished === 0 ? undefined : finished / 1_000;
}
