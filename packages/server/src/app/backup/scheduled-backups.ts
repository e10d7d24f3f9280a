import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import { ChildProgram } from "../../lib/child-program.ts";
import { type Cron, parseCron } from "../../lib/cron.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import {
  initInstallation,
  readInstallation,
  replaceInstallation,
} from "../../store/tables/installation.ts";

/** Beside this file, in the sources and in the build. */
const PROGRAM = join(import.meta.dirname, `backup-process${extname(import.meta.filename)}`);

/** Timers cannot wait longer than 24 days, and clocks are set: the time is looked at again. */
const MAX_WAIT_MS = 60_000;

/** The row with the last time of the schedule that a server has taken. */
export const LAST = "last-scheduled-backup";

export type BackupTask = Pick<
  Settings,
  | "data"
  | "databaseUrl"
  | "secretKeyFile"
  | "backupDir"
  | "backupKeep"
  | "backupRecipients"
  | "backupPassphraseFile"
>;

export type BackupOutcome =
  | {
      readonly ok: true;
      readonly file: string;
      readonly rows: number;
      readonly bytes: number;
      readonly deleted: number;
    }
  | { readonly ok: false; readonly message: string };

export interface ScheduledBackupsDeps {
  readonly settings: Settings;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Backups by the schedule of the settings. Of all replicas, one takes each time. */
export class ScheduledBackups {
  readonly #deps: ScheduledBackupsDeps;
  readonly #cron: Cron | undefined;
  readonly #program: ChildProgram | undefined;
  #timer: NodeJS.Timeout | undefined;
  #child: ChildProcess | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: ScheduledBackupsDeps) {
    this.#deps = deps;
    this.#cron = parseCron(deps.settings.backupSchedule);
    if (this.#cron !== undefined) this.#program = new ChildProgram(PROGRAM);
  }

  /** A time that passed while no server ran is made up for at once. */
  start(): void {
    const cron = this.#cron;
    if (cron === undefined) return;
    this.#running = readInstallation(this.#deps.store.reader, LAST)
      .then((last) => this.#waitFor(cron, cron.next(Number(last ?? Date.now()))))
      .catch((error) => this.#deps.log.error({ err: error }, "backups are not scheduled"));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    // It removes what it has written.
    this.#child?.kill("SIGTERM");
    await this.#running;
  }

  #waitFor(cron: Cron, due: number): void {
    if (this.#isStopped) return;
    const wait = Math.max(0, Math.min(due - Date.now(), MAX_WAIT_MS));
    this.#timer = setTimeout(() => {
      if (Date.now() < due) {
        this.#waitFor(cron, due);
        return;
      }
      this.#running = this.#backUp(due).finally(() => this.#waitFor(cron, cron.next(Date.now())));
    }, wait).unref();
  }

  async #backUp(due: number): Promise<void> {
    const { log, metrics } = this.#deps;
    const began = performance.now();
    try {
      if (!(await this.#take(due))) return;
      const outcome = await this.#run();
      const seconds = (performance.now() - began) / 1000;
      if (!outcome.ok) throw new Error(outcome.message);
      metrics.backedUp({ seconds, bytes: outcome.bytes });
      const { file, rows, bytes, deleted } = outcome;
      log.info({ file, rows, bytes, deleted, ms: Math.round(seconds * 1000) }, "backed up");
    } catch (error) {
      if (this.#isStopped) return;
      metrics.count("wharf_backups_total", { outcome: "failed" });
      log.error({ err: error }, "backup failed");
    }
  }

  /** Whether this server does it: the first one that claims a time. */
  #take(due: number): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      await tx.acquireLock();
      const last = await initInstallation(tx, LAST, "0");
      if (Number(last) >= due) return false;
      await replaceInstallation(tx, LAST, String(due));
      return true;
    });
  }

  #run(): Promise<BackupOutcome> {
    const { settings } = this.#deps;
    const { data, databaseUrl, secretKeyFile, backupDir, backupKeep } = settings;
    const { backupRecipients, backupPassphraseFile } = settings;
    const task: BackupTask = {
      ...{ data, databaseUrl, secretKeyFile, backupDir, backupKeep },
      ...{ backupRecipients, backupPassphraseFile },
    };
    return new Promise((resolve, reject) => {
      const program = this.#program as ChildProgram;
      const child = program.start([], { env: process.env, stderr: "inherit" });
      this.#child = child;
      child.once("message", (outcome) => resolve(outcome as BackupOutcome));
      child.once("error", reject);
      child.once("exit", (code, signal) =>
        reject(new Error(`the process of the backup ended with ${signal ?? code}`)),
      );
      child.send(task);
    });
  }
}
