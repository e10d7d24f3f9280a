import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseDatabaseUrl, shownHost } from "../../config/database-url.ts";
import { ConfigError, type Settings } from "../../config/settings.ts";
import { databaseError, dataDirectoryError } from "../../lib/startup-errors.ts";
import { readSecretKey, type SecretKey } from "../../secrets/key.ts";
import { Secrets } from "../../secrets/secrets.ts";
import { type CopiedTable, copiedTables, countRows } from "../../store/copy/copied-table.ts";
import { type Definitions, readDefinitions } from "../../store/copy/definitions.ts";
import {
  openPostgresSnapshot,
  openSqliteSnapshot,
  type Snapshot,
} from "../../store/copy/snapshot.ts";
import type { Dialect } from "../../store/db/connection.ts";
import { DATABASE } from "../../store/db/open.ts";
import { schemaOf } from "../../store/db/store.ts";
import { lastStep, readRecords } from "../../store/schema/records.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { newerStore } from "../../store/schema/store-errors.ts";
import { RESOURCES } from "../resources.ts";

/** Location of a store and of its secret key. */
export type StoreLocation = Pick<Settings, "data" | "databaseUrl" | "secretKeyFile">;

/** A store at one moment, with all that is needed to build it again. */
export interface StoreSource {
  readonly snapshot: Snapshot;
  readonly tables: readonly CopiedTable[];
  readonly definitions: Definitions;
  readonly step: number;
  readonly rows: number;
  readonly secretKey: SecretKey;
}

/** The tables that copies leave empty: they belong to running servers. */
const EMPTY = ["commit_markers", "store_probes"];

export function schemaFor(dialect: Dialect): Schema {
  return schemaOf(
    Object.values(RESOURCES).map((resource) => resource.table),
    dialect,
  );
}

/** The names of all tables that may be ours. */
export function ownTables(dialect: Dialect): ReadonlySet<string> {
  return new Set(schemaFor(dialect).tableNames());
}

/** Opens a store to be copied, while its server runs or not. It is neither changed nor upgraded. */
export async function openSource(location: StoreLocation): Promise<StoreSource> {
  const snapshot = await openSnapshot(location);
  try {
    return await describe(location, snapshot);
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

async function openSnapshot({ data, databaseUrl }: StoreLocation): Promise<Snapshot> {
  if (databaseUrl !== "") {
    const hosts = parseDatabaseUrl(databaseUrl).hosts.map(shownHost);
    return openPostgresSnapshot(databaseUrl).catch((error) => {
      throw databaseError(hosts, error);
    });
  }
  const path = join(data, DATABASE);
  if (!existsSync(path))
    throw new ConfigError(`there is no store in ${data}: name its directory with --data`);
  try {
    return openSqliteSnapshot(path);
  } catch (error) {
    throw dataDirectoryError(data, error);
  }
}

async function describe(location: StoreLocation, snapshot: Snapshot): Promise<StoreSource> {
  const { reader } = snapshot;
  const { dialect } = reader;
  const own = ownTables(dialect);
  const tables = await copiedTables(reader, own);
  if (!tables.some(({ name }) => name === "migrations"))
    throw new ConfigError("the database has no tables of wharf");
  // Early versions recorded steps only. A failed statement would end the transaction of PostgreSQL.
  const early = { step: await lastStep(reader), version: "", pending: "" };
  const { columns } = tables.find(({ name }) => name === "migrations") as CopiedTable;
  const hasRecords = columns.some(({ name }) => name === "pending");
  const records = (hasRecords ? await readRecords(reader) : undefined) ?? early;
  const newestStep = schemaFor(dialect).last;
  if (records.step > newestStep) throw newerStore(records, newestStep);
  if (records.pending !== "")
    throw new ConfigError("the store is being upgraded: wait until a server has started on it");
  const secretKey = await readSecretKey(location, reader);
  if (!(await new Secrets(secretKey.key).isKeyOf(reader)))
    throw new ConfigError(`${secretKey.from} is not the secret key of this store`);
  let rows = 0;
  for (const table of tables) rows += await countRows(reader, table);
  const definitions = await readDefinitions(
    reader,
    tables,
    EMPTY.filter((name) => own.has(name)),
  );
  return { snapshot, tables, definitions, step: records.step, rows, secretKey };
}
