import { ConfigError } from "../../config/settings.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import type { Driver, Reader } from "./connection.ts";
import { GroupCommit, type Work } from "./group-commit.ts";
import { StoreHealth } from "./health.ts";
import { migrations } from "./migrations.ts";
import { probe } from "./probe.ts";

/** How long reads and commits took, for the metrics. */
export interface StoreTimings {
  committed(milliseconds: number, writes: number): void;
}

/** Everything that is kept, behind one door: reads see what is committed, writes are durable. */
export class Store {
  readonly reader: Reader;
  /** Whether it can be written. */
  readonly health: StoreHealth;
  readonly #driver: Driver;
  readonly #commits: GroupCommit;

  private constructor(driver: Driver, timings: StoreTimings) {
    this.#driver = driver;
    this.reader = driver.reader;
    const health = new StoreHealth(() => probe(this));
    this.health = health;
    this.#commits = new GroupCommit(driver, {
      committed(ms, writes) {
        timings.committed(ms, writes);
        health.committed();
      },
      failed: (failure) => health.failed(failure),
    });
  }

  /** Opens the store and brings its tables up to date. */
  static async open(
    driver: Driver,
    tables: readonly ResourceTable[],
    timings: StoreTimings,
  ): Promise<Store> {
    try {
      await migrate(driver, tables);
    } catch (error) {
      await driver.close();
      throw error;
    }
    return new Store(driver, timings);
  }

  /** Runs work in a transaction that it may share with others; resolves when it is durable. */
  write<T>(work: Work<T>): Promise<T> {
    return this.#commits.write(work);
  }

  /** The number that moves with every change of who may do what. Never older than the question. */
  async accessVersion(): Promise<number> {
    const sql = "SELECT version FROM access_version";
    return (await this.#driver.readShared<{ version: number }>(sql))?.version ?? 0;
  }

  /** Removes from the database's files what was deleted from these small tables. */
  scrub(tables: readonly string[]): Promise<void> {
    return this.#driver.scrub(tables);
  }

  async close(): Promise<void> {
    this.health.stop();
    await this.#commits.idle();
    await this.#driver.close();
  }
}

/** Held while tables are made, so that replicas that start together do not both make them. */
const MIGRATION_LOCK = 7_240_901;

/** What a newer version has changed, an older one could not keep right. */
function newerStore(step: number, known: number): ConfigError {
  return new ConfigError(
    `the store is of a newer version of wharf (step ${step}, this one knows ${known}): run that version, or restore a backup of before`,
  );
}

async function migrate(
  { dialect, writer, begin, commit, rollback }: Driver,
  tables: readonly ResourceTable[],
) {
  const shape = tables.flatMap((table) => table.schema(dialect));
  const steps = migrations(dialect);
  await begin();
  try {
    if (dialect.name === "postgres")
      await writer.get("SELECT pg_advisory_xact_lock(?)", MIGRATION_LOCK);
    await writer.run(`CREATE TABLE IF NOT EXISTS migrations (step ${dialect.integer} PRIMARY KEY)`);
    const done = await writer.get<{ step: number | null }>(
      "SELECT max(step) AS step FROM migrations",
    );
    const latest = done?.step ?? 0;
    if (latest > steps.length) throw newerStore(latest, steps.length);
    for (let step = latest + 1; step <= steps.length; step++) {
      for (const sql of steps[step - 1] ?? []) await writer.run(sql);
      await writer.run("INSERT INTO migrations (step) VALUES (?)", step);
    }
    for (const sql of shape) await writer.run(sql);
    await commit();
  } catch (error) {
    await rollback().catch(() => {});
    throw error;
  }
}
