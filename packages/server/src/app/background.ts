import { Retention } from "../engine/retention.ts";
import type { RegistrySync } from "../registry/reconcile/registry-sync.ts";
import { resumeSeverities } from "../vulnerabilities/severities/severity-changes.ts";
import type { Core } from "./core.ts";

/** What runs beside requests: checks of the store, retention, reconciling, and updates that a stop interrupted. */
export class BackgroundTasks {
  readonly #core: Core;
  readonly #sync: RegistrySync;
  readonly #retention: Retention;
  readonly #stopping = new AbortController();
  #resumed: Promise<void> | undefined;

  constructor(core: Core, sync: RegistrySync) {
    this.#core = core;
    this.#sync = sync;
    this.#retention = new Retention(core);
  }

  start(): void {
    const { engine, log, store } = this.#core;
    store.health.start();
    this.#sync.start();
    this.#retention.start();
    this.#resumed = resumeSeverities(engine, this.#stopping.signal).catch((error) => {
      log.error({ err: error }, "update of advisories after changed severities failed");
    });
  }

  /** Waits for what has begun. Also stops a start that has failed. */
  async stop(): Promise<void> {
    const { engine, log } = this.#core;
    this.#stopping.abort();
    await this.#resumed;
    await this.#retention.stop();
    await this.#sync.stop();
    await engine.auditAggregator.flush().catch((error) => {
      log.error({ err: error }, "aggregated audit entries not written");
    });
  }
}
