/** The recomputations that a server has to do, as its database has them. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 5;

export class ExposureQueue implements Disposable {
  readonly #database: DatabaseSync;

  constructor(data: string) {
    this.#database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  }

  /** Waits until nothing is to be computed any more. Events are delayed on purpose, and not waited for. */
  async settled(): Promise<void> {
    while (this.#waits()) await sleep(POLL_MS);
  }

  /** Waits until the records of a vulnerability were derived from its advisory, and all findings that follow are stored. */
  async found(vulnerability: string): Promise<void> {
    const sql = "SELECT 1 AS found FROM vulnerability_record_names WHERE name = ?";
    const byName = this.#database.prepare(sql);
    while (byName.get(vulnerability) === undefined) await sleep(POLL_MS);
    await this.settled();
  }

  /** The number of findings of a vulnerability. */
  findings(vulnerability: string): number {
    const sql = "SELECT count(*) AS rows FROM findings WHERE vulnerability = ?";
    return Number(this.#database.prepare(sql).get(vulnerability)?.rows);
  }

  #waits(): boolean {
    const sql =
      "SELECT 1 AS waits FROM exposure_work WHERE kind <> 'notify' AND kind <> 'backfill' LIMIT 1";
    return this.#database.prepare(sql).get() !== undefined;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
