import { AuditMaintenance } from "../audit/maintenance.ts";
import { AuditSinks } from "../audit/sinks/sinks.ts";
import { Retention } from "../engine/retention.ts";
import { ClockWatch } from "../observe/clock-watch.ts";
import { databaseTime } from "../store/db/database-time.ts";
import { resumeSeverities } from "../vulnerabilities/severities/severity-changes.ts";
import type { Areas } from "./areas.ts";
import { ScheduledBackups } from "./backup/scheduled-backups.ts";
import type { Core } from "./core.ts";
import { KeyAge } from "./key-age.ts";

/** The areas that work beside requests. */
export type BackgroundAreas = Pick<Areas, "registry" | "delivery" | "exposure">;

/**
 * Tasks beside requests: checks of store and clocks, retention, checkpoints and sinks of the audit log, reconciling,
 * delivery of events, reading of images and imports of vulnerability sources, scheduled backups, rotation of old keys, and
 * updates that a stop interrupted.
 */
export class BackgroundTasks {
  readonly #core: Core;
  readonly #registry: Areas["registry"];
  readonly #delivery: Areas["delivery"];
  readonly #exposure: Areas["exposure"];
  readonly #retention: Retention;
  readonly #audit: AuditMaintenance;
  readonly #auditSinks: AuditSinks;
  readonly #backups: ScheduledBackups;
  readonly #keyAge: KeyAge;
  readonly #clocks: ClockWatch;
  readonly #stopping = new AbortController();
  #resumed: Promise<void> | undefined;

  constructor(core: Core, { registry, delivery, exposure }: BackgroundAreas) {
    this.#core = core;
    this.#registry = registry;
    this.#delivery = delivery;
    this.#exposure = exposure;
    this.#retention = new Retention(core);
    this.#audit = new AuditMaintenance(core);
    this.#auditSinks = new AuditSinks(core);
    this.#backups = new ScheduledBackups(core);
    this.#keyAge = new KeyAge(core);
    this.#clocks = new ClockWatch({ ...core, databaseTime: () => databaseTime(core.store.reader) });
  }

  /** Of several processes of a server, the first one also does what is to be done once. */
  start({ isFirst }: { readonly isFirst: boolean }): void {
    const { log, store } = this.#core;
    store.health.start();
    this.#clocks.start();
    if (isFirst) {
      this.#registry.sync.start();
      this.#registry.server?.start();
      this.#registry.retention?.start();
      this.#retention.start();
      this.#audit.start();
      this.#auditSinks.start();
      this.#delivery.start();
      this.#exposure.start();
      this.#backups.start();
      this.#keyAge.start();
    }
    this.#resumed = resumeSeverities(this.#core, this.#stopping.signal).catch((error) => {
      log.error({ err: error }, "update of advisories after changed severities failed");
    });
  }

  /** Waits for what has begun. Also stops a start that has failed. */
  async stop(): Promise<void> {
    const { audit, log } = this.#core;
    this.#clocks.stop();
    this.#stopping.abort();
    await this.#resumed;
    await this.#backups.stop();
    await this.#keyAge.stop();
    await this.#retention.stop();
    await this.#audit.stop();
    await this.#auditSinks.stop();
    await this.#exposure.stop();
    await this.#registry.sync.stop();
    await this.#registry.retention?.stop();
    await this.#registry.server?.stop();
    await this.#delivery.stop();
    const { anonymous, denials, reads } = audit;
    for (const aggregator of [anonymous, denials, reads]) {
      await aggregator.flush().catch((error) => {
        log.error({ err: error }, "aggregated audit entries not written");
      });
    }
  }
}
