import { ConfigError } from "../../config/settings.ts";
import type { WharfError } from "../../lib/errors.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import type { Driver, Reader } from "./connection.ts";
import { GroupCommit, type Work } from "./group-commit.ts";
import { StoreHealth } from "./health.ts";
import { migrations } from "./migrations.ts";
import { probe } from "./probe.ts";

/** Durations of commits, for the metrics. */
export interface StoreTimings {
  committed(milliseconds: number, writes: number): void;
}

/** A request whose client may give up. */
export interface Abandonable {
  /** The error of a request that nobody waits for any more. */
  readonly abandoned?: WharfError | undefined;
}

/**
 * The data store. Reads see what is committed; a write resolves when it is durable. The store has all SQL;
 * it imports `lib/`, the settings and the contract.
 */
export class Store {
  readonly reader: Reader;
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
    driver.observe?.((failure) => health.failed(failure));
  }

  /** Opens the store and migrates its tables. */
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

  /**
   * Runs work for a request, unless the request is abandoned before the work begins: its client has given up, or has
   * sent it again. Work that has begun runs to its end.
   */
  writeFor<T>(request: Abandonable, work: Work<T>): Promise<T> {
    return this.#commits.write((tx) => {
      const { abandoned } = request;
      if (abandoned !== undefined) throw abandoned;
      return work(tx);
    });
  }

  /** The access version, which grows with every change of access. Never older than the call. */
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

/** The advisory lock of migrations: of replicas that start together, one migrates. */
const MIGRATION_LOCK = 7_240_901;

/** An older version would corrupt the data of a newer one. */
function newerStore(step: number, known: number): ConfigError {
  return new ConfigError(
    `the store was migrated by a newer version of wharf (step ${step}, this version knows ${known}): run that version, or restore an earlier backup`,
  );
}

async function migrate(
  { dialect, writer, begin, commit, rollback }: Driver,
  tables: readonly ResourceTable[],
) {
  const schema = tables.flatMap((table) => table.schema(dialect));
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
    for (const sql of schema) await writer.run(sql);
    await commit();
  } catch (error) {
    await rollback().catch(() => {});
    throw error;
  }
}
