import { ConfigError } from "../../config/settings.ts";
import { UpgradeError } from "../../lib/startup-errors.ts";
import type { Dialect, Reader } from "../db/connection.ts";
import { backfill } from "./backfill.ts";
import { buildIndex, dropIndex } from "./build-index.ts";
import { differences, isEmpty } from "./differences.ts";
import type { MigrationSession } from "./migration-session.ts";
import { readSchema, type StoredSchema, type StoredTable } from "./read-schema.ts";
import {
  finishStep,
  type Records,
  readRecords,
  readStep,
  recordDigests,
  recordStep,
} from "./records.ts";
import { ALL_TABLES, isTableStep, type Step, splitStatements, type TableStep } from "./step.ts";
import { tableChanges } from "./table-changes.ts";
import { createIndex, createTable, digestOf, type TableSchema } from "./table-schema.ts";

/** The schema of this version: recorded steps, and the tables that are derived from definitions. */
export interface Schema {
  readonly version: string;
  readonly steps: readonly Step[];
  readonly tables: readonly TableSchema[];
}

/** The columns to fill after the transaction of a step, by table. As JSON, `Records.pending`. */
type PendingWork = Readonly<Record<string, readonly string[]>>;

/**
 * Upgrades a store by the steps that it lacks. A step is a short transaction, which also records it, and
 * then work that running replicas do not notice: backfills and indexes. After an interruption the next
 * start finishes that work.
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
    const { steps } = this.#schema;
    if (pending !== "") await this.#timed(last, () => this.#finish(last, JSON.parse(pending)));
    for (let number = last + 1; number <= steps.length; number++) {
      await this.#timed(number, () => this.#apply(number));
    }
    await this.#settleTables();
  }

  async #timed(number: number, work: () => Promise<void>): Promise<void> {
    const of = this.#schema.steps.length;
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
    const step = this.#schema.steps[number - 1] as Step;
    const { session } = this.#migration;
    const pending = await this.#migration.transaction(`step ${number}`, async () => {
      // On SQLite an admin command may upgrade the store at the same time.
      const applied = await readStep(session, number);
      if (applied !== undefined) return applied.pending;
      const { statements, work } = isTableStep(step)
        ? await this.#planTables(step)
        : this.#planStatements(step);
      if (statements.length > 0) await session.script(statements.join(";\n"));
      const left = work === undefined ? "" : JSON.stringify(work);
      await recordStep(session, number, { version: this.#schema.version, pending: left });
      return left;
    });
    if (pending !== "") await this.#finish(number, JSON.parse(pending));
  }

  #planStatements(step: Exclude<Step, TableStep>) {
    const { statements, online } = splitStatements(step, (table) => this.#before.has(table));
    return { statements, work: online.length === 0 ? undefined : {} };
  }

  async #planTables(step: TableStep): Promise<{ statements: string[]; work: PendingWork }> {
    const { dialect } = this.#migration.session;
    const work: Record<string, readonly string[]> = {};
    const statements: string[] = [];
    for (const [table, stored] of await this.#tablesOf(step)) {
      const changes = tableChanges(table, stored, step, dialect);
      statements.push(...changes.statements);
      if (changes.backfill.length > 0) work[table.name] = changes.backfill;
    }
    return { statements, work };
  }

  /** The stored tables that a step concerns. Missing ones are created from their definition later. */
  async #tablesOf({ table: wanted }: TableStep): Promise<[TableSchema, StoredTable][]> {
    const found = await readSchema(this.#migration.session);
    return this.#schema.tables.flatMap((table) => {
      const stored = found.get(table.name);
      const isMeant = wanted === ALL_TABLES || wanted === table.name;
      return isMeant && stored !== undefined ? [[table, stored]] : [];
    });
  }

  /** Does what is left of a step after its transaction. All of it can be repeated. */
  async #finish(number: number, pending: PendingWork): Promise<void> {
    const step = this.#schema.steps[number - 1] as Step;
    const { session } = this.#migration;
    const changed = isTableStep(step) ? await this.#finishTables(step, pending) : [];
    if (!isTableStep(step)) await this.#finishStatements(step);
    await this.#migration.transaction(`step ${number}`, async () => {
      await recordDigests(session, changed);
      await finishStep(session, number);
    });
  }

  async #finishStatements(step: Exclude<Step, TableStep>): Promise<void> {
    for (const work of splitStatements(step, (table) => this.#before.has(table)).online) {
      if ("index" in work) await buildIndex(this.#migration, this.#observer, work.index, work.sql);
      else await this.#repeat(work.repeat);
    }
  }

  async #repeat(sql: string): Promise<void> {
    const { session } = this.#migration;
    const change = () => this.#migration.transaction("a backfill", () => session.run(sql));
    while ((await change()) > 0);
  }

  async #finishTables(step: TableStep, pending: PendingWork): Promise<TableSchema[]> {
    const tables = await this.#tablesOf(step);
    for (const [table, stored] of tables) {
      const columns = pending[table.name] ?? [];
      if (columns.length > 0) await backfill(this.#migration, table, columns);
      const { staleIndexes, missingIndexes } = differences(table, stored);
      for (const index of staleIndexes) {
        await this.#migration.retry(`dropping index ${index}`, () =>
          dropIndex(this.#migration, index),
        );
      }
      for (const index of missingIndexes) {
        await buildIndex(
          this.#migration,
          this.#observer,
          index.name,
          createIndex(table.name, index),
        );
      }
    }
    return tables.map(([table]) => table);
  }

  /** Creates missing tables, and checks that steps have made the others what their definitions say. */
  #settleTables(): Promise<void> {
    const { session } = this.#migration;
    return this.#migration.transaction("creating tables", async () => {
      const stored = await readSchema(session);
      const { digests } = (await readRecords(session)) as Records;
      const unsettled = this.#schema.tables.filter(
        (one) => digests.get(one.name) !== digestOf(one),
      );
      const missing = unsettled.filter(({ name }) => !stored.has(name));
      const differing = unsettled.find((table) => {
        const found = stored.get(table.name);
        return found !== undefined && !isEmpty(differences(table, found));
      });
      if (differing !== undefined) throw unrecordedChange(differing.name);
      const statements = createStatements(missing, session.dialect);
      if (statements.length > 0) await session.script(statements.join(";\n"));
      await recordDigests(session, unsettled);
    });
  }
}

function unrecordedChange(table: string): Error {
  return new Error(
    `the table ${table} differs from its definition: append a step for it (CONTRIBUTING.md, "Changing the schema")`,
  );
}

/** The statements that create tables and their indexes. */
export function createStatements(tables: readonly TableSchema[], dialect: Dialect): string[] {
  return tables.flatMap((table) => [
    createTable(table, dialect),
    ...table.indexes.map((index) => createIndex(table.name, index)),
  ]);
}
