import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import { PassLoop } from "../pass-loop.ts";
import type { ContentStorage } from "../storage/content-storage.ts";
import { CollectionPass } from "./collection-pass.ts";
import { PASS_NAMES, type PassKind } from "./findings.ts";

/** Without collections, previews at this interval sum up what is stored. */
const PREVIEW_INTERVAL_MS = 3_600_000;

export interface CollectorDeps {
  readonly store: Store;
  readonly storage: ContentStorage;
  readonly metrics: Pick<Metrics, "count">;
  readonly log: Logger;
  /** Time from the end of a collection to the begin of the next; 0 for collections on request only. */
  readonly intervalMs: number;
  readonly settleMs: number;
}

/** Runs passes through the content of this server's registry: at an interval, and on request. */
export class Collector {
  readonly #deps: CollectorDeps;
  readonly #loops: Readonly<Record<PassKind, PassLoop>>;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
    const { intervalMs } = deps;
    this.#loops = {
      collection: this.#loop("collection", intervalMs),
      preview: this.#loop("preview", intervalMs === 0 ? PREVIEW_INTERVAL_MS : 0),
    };
  }

  get intervalMs(): number {
    return this.#deps.intervalMs;
  }

  start(): void {
    for (const loop of Object.values(this.#loops)) loop.start();
  }

  /** Looks for a requested pass immediately. */
  wake(kind: PassKind): void {
    this.#loops[kind].wake();
  }

  /** Stops after the current step; the next pass continues from its checkpoint. */
  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#loops).map((loop) => loop.stop()));
  }

  #loop(kind: PassKind, intervalMs: number): PassLoop {
    const { store, log } = this.#deps;
    return new PassLoop({
      ...{ store, name: PASS_NAMES[kind], intervalMs, atStart: false },
      run: (holder, signal) => this.#run(kind, holder, signal),
      failed: (failed) =>
        log.error({ pass: kind, ...failed }, "garbage of the registry not collected"),
    });
  }

  async #run(kind: PassKind, holder: string, signal: AbortSignal): Promise<void> {
    const { metrics, log } = this.#deps;
    const pass = new CollectionPass({
      ...{ ...this.#deps, kind, holder, signal, now: Date.now },
      deleted: (blobs) => {
        const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
        metrics.count("wharf_registry_collected_blobs_total", {}, blobs.length);
        metrics.count("wharf_registry_collected_bytes_total", {}, bytes);
      },
    });
    const { began, finished, ...findings } = await pass.run();
    if (kind === "collection")
      log.info({ ms: finished - began, ...findings }, "garbage of the registry is collected");
  }
}
