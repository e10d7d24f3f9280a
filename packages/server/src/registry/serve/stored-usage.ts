import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import { countDamaged } from "../../store/tables/registry/blobs.ts";
import { countUploads } from "../../store/tables/registry/uploads.ts";
import { type EndedPass, readPassState, readStored, shareBefore } from "../collection/findings.ts";
import { readScrubState, type ScrubState } from "./scrub.ts";

const INTERVAL_MS = 60_000;

interface Counts {
  readonly uploads: number;
  readonly damaged: number;
  readonly scrub: ScrubState;
  /** Sums over all blobs, of the last pass. */
  readonly stored: Awaited<ReturnType<typeof readStored>>;
  readonly collected: EndedPass | undefined;
}

/** Metrics of what the registry stores, read from the store in the background: a scrape costs nothing. */
export class StoredUsage {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #counts: Counts | undefined;
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
      stored: await readStored(reader),
      collected: (await readPassState(reader, "collection")).ended,
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.count().catch((error) =>
        this.#log.error({ err: error }, "usage of the registry not measured"),
      );
      await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #gauges(): [name: string, help: string, read: () => number | undefined][] {
    return [
      ["uploads_open", "Uploads that are not finished.", () => this.#counts?.uploads],
      ["blobs", "Blobs that are stored.", () => this.#counts?.stored?.blobs],
      ["stored_bytes", "Bytes of blobs, each counted once.", () => this.#counts?.stored?.bytes],
      [
        "linked_bytes",
        "Bytes of blobs, each counted for every repo that has it.",
        () => this.#counts?.stored?.linkedBytes,
      ],
      [
        "damaged_blobs",
        "Blobs whose content was found damaged and not repaired yet.",
        () => this.#counts?.damaged,
      ],
      [
        "scrub_progress_ratio",
        "Share of the blobs that the current round of the scrub has read; 0 between rounds.",
        () => this.#counts && shareBefore(this.#counts.scrub.last),
      ],
      [
        "scrub_last_success_timestamp_seconds",
        "When the scrub last finished a round.",
        () => this.#counts && secondsOf(this.#counts.scrub.finished),
      ],
      [
        "collection_last_success_timestamp_seconds",
        "When garbage was last collected.",
        () => secondsOf(this.#counts?.collected?.finished),
      ],
      [
        "collection_last_duration_seconds",
        "How long that took.",
        () => this.#counts?.collected && durationOf(this.#counts.collected),
      ],
    ];
  }
}

/** In seconds. */
function durationOf({ began, finished }: EndedPass): number {
  return (finished - began) / 1_000;
}

/** A time; undefined for 0, which is never. */
function secondsOf(milliseconds: number | undefined): number | undefined {
  return milliseconds ? milliseconds / 1_000 : undefined;
}
