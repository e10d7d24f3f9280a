import { ConfigError } from "../../config/settings.ts";
import { UpgradeError } from "../../lib/startup-errors.ts";
import type { Reader } from "../db/connection.ts";
import { backfill } from "./backfill.ts";
import { buildIndex } from "./build-index.ts";
import type { MigrationSession } from "./migration-session.ts";
import { readSchema, type StoredSchema } from "./read-schema.ts";
import { type Records, readStep, recordPending, recordStep } from "./records.ts";
import type { Schema } from "./schema.ts";
import { addMissingColumn, createdIndex, isBackfill, type Statement } from "./statements.ts";

/**
 * Upgrades a store by the steps that it lacks. A step is a short transaction, which also records it, and then statements
 * that running replicas do not notice: backfills, those that repeat, and indexes of tables that existed. After an
 * interruption the next start goes on with them.
 */
export class Migration {
  readonly #migration: MigrationSession;
  readonly #observer: Reader;
  readonly #schema: Schema;
  readonly #before: StoredSchema;

  /** `before` is the stored schema; `observer` reads while the session works. */
  constructor(migration: MigrationSession, observer: Reader, schema: Schema, before: StoredSchema) {
    this.#migration = migration;
    this.#observer = observer;
    this.#schema = schema;
    this.#before = before;
  }

  async run({ step: last, pending }: Records): Promise<void> {
    if (pending !== "") await this.#timed(last, () => this.#finish(last, pending));
    for (let number = last + 1; number <= this.#schema.last; number++) {
      await this.#timed(number, () => this.#apply(number));
    }
  }

  async #timed(number: number, work: () => Promise<void>): Promise<void> {
    const of = this.#schema.last;
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      throw error instanceof ConfigError ? error : new UpgradeError(number, of, error);
    }
    const ms = Math.round(performance.now() - began);
    this.#migration.log.info(
      { step: number, of, ms },
      `upgrade of the store: step ${number} of ${of} took ${ms} ms`,
    );
  }

  async #apply(number: number): Promise<void> {
    const { session } = this.#migration;
    const statements = this.#schema.step(number);
    const pending = await this.#migration.transaction(`step ${number}`, async () => {
      // On SQLite an admin command may upgrade the store at the same time.
      const applied = await readStep(session, number);
      if (applied !== undefined) return applied.pending;
      const stored = await readSchema(session);
      const hasColumn = (table: string, column: string) =>
        stored.get(table)?.columns.has(column) ?? false;
      const script = statements.flatMap((one) =>
        isBackfill(one) || this.#isOnline(one)
          ? []
          : addMissingColumn(one.sql, session.dialect, hasColumn),
      );
      if (script.length > 0) await session.script(script.join(";\n"));
      const left = statements.some((one) => this.#isOnline(one)) ? "0" : "";
      await recordStep(session, number, { version: this.#schema.version, pending: left });
      return left;
    });
    if (pending !== "") await this.#finish(number, pending);
  }

  /**
   * On PostgreSQL, CREATE INDEX within a transaction would lock out all writers of a table in use, and on SQLite a
   * transaction should end.
   */
  #isOnline(statement: Statement): boolean {
    if (isBackfill(statement) || statement.repeats) return true;
    const created = createdIndex(statement.sql);
    return created !== undefined && this.#before.has(created.table);
  }

  /** Does what is left of a step after its transaction, and records how far it is. All of it can be repeated. */
  async #finish(number: number, pending: string): Promise<void> {
    const statements = this.#schema.step(number);
    const record = (next: string) =>
      this.#migration.transaction(`step ${number}`, () =>
        recordPending(this.#migration.session, number, next),
      );
    // Earlier versions recorded the columns that were left, as JSON.
    for (let at = Number.parseInt(pending, 10) || 0; at < statements.length; at++) {
      const statement = statements[at] as Statement;
      if (!this.#isOnline(statement)) continue;
      await this.#runOnline(statement);
      await record(String(at + 1));
    }
    await record("");
  }

  async #runOnline(statement: Statement): Promise<void> {
    if (isBackfill(statement)) {
      const table = this.#schema.table(statement.table);
      if (table !== undefined) await backfill(this.#migration, table, statement.column);
    } else if (statement.repeats) {
      await this.#repeat(statement.sql);
    } else {
      const { index = "" } = createdIndex(statement.sql) ?? {};
      await buildIndex(this.#migration, this.#observer, index, statement.sql);
    }
  }

  async #repeat(sql: string): Promise<void> {
    const { session } = this.#migration;
    const change = () => this.#migration.transaction("a backfill", () => session.run(sql));
    while ((await change()) > 0);
  }
}
