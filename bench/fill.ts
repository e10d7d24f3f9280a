/**
 * `node bench/fill.ts DIR COUNT KIND`: creates a database with COUNT groups or advisories in one
 * organization, with the modules of the server, so that rows, indexes and counts are those of the server.
 *
 * Unlike single creates: no audit entries and no events (the benchmarked lists and reads use neither),
 * indexes are created after the rows, and commits do not wait for the disk.
 */
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GroupSchema, OrgStatus } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import { BatchWriter } from "@wharf/server/store/db/commit/batch-writer.ts";
import { insertUnlessThere } from "@wharf/server/store/db/commit/insert-rows.ts";
import { LockedRows } from "@wharf/server/store/db/commit/locked-rows.ts";
import type { ChangeKind, Changes } from "@wharf/server/store/db/commit/participant.ts";
import type { Transaction } from "@wharf/server/store/db/commit/transaction.ts";
import { updateOf } from "@wharf/server/store/db/commit/update-rows.ts";
import type { Driver } from "@wharf/server/store/db/connection.ts";
import { openSqlite } from "@wharf/server/store/db/sqlite.ts";
import { Store } from "@wharf/server/store/db/store.ts";
import { CountChanges } from "@wharf/server/store/resources/counts.ts";
import type { ResourceTable } from "@wharf/server/store/resources/resource-table.ts";
import type { ResourceRow } from "@wharf/server/store/resources/rows.ts";
import { createdIndex } from "@wharf/server/store/schema/statements.ts";
import { advisoryRows } from "./advisory-rows.ts";
import { bindingRows, type TableRow } from "./binding-rows.ts";
import { ORGANIZATION, teamNamed } from "./organization.ts";
import { numbers } from "./random.ts";
import { tagRows } from "./tag-rows.ts";
import { treeRows } from "./tree-rows.ts";

const { groups, advisories, roleBindings, tags } = RESOURCES;

/** The tables whose indexes are created after the rows. */
const FILLED = [groups.table, advisories.table, roleBindings.table, tags.table];

/** Rows per transaction: few commits, and a write-ahead log that fits in memory. */
const BATCH_SIZE = 50_000;

/** The first creation time; the others are in the seven weeks after, in random order. */
const FIRST_MS = Date.UTC(2026, 0, 1);

function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}

function rowOf(uid: string, word: string, made: number): ResourceRow {
  const time = timestampFromMs(FIRST_MS + made);
  return groups.toRow(
    create(GroupSchema, {
      uid,
      ...teamNamed(word),
      status: OrgStatus.READY,
      createTime: time,
      updateTime: time,
    }),
  );
}

/** Ascending, so that the index of uids grows at its end; names are in random order. */
function* groupRows(count: number): Iterable<ResourceRow> {
  const next = numbers(count);
  const uids = Array.from({ length: count }, () => `${ORGANIZATION}/${hex(next())}${hex(next())}`);
  for (const uid of uids.sort()) yield rowOf(uid, hex(next()), next());
}

/** A transaction for bulk inserts: this program begins and commits it. */
function transaction({ writer }: Driver, counts: CountChanges): Transaction {
  return {
    dialect: writer.dialect,
    get: writer.get.bind(writer) as Transaction["get"],
    all: writer.all.bind(writer) as Transaction["all"],
    arrays: writer.arrays.bind(writer) as Transaction["arrays"],
    run: writer.run.bind(writer),
    locked: new LockedRows(true),
    send: async (sql, ...params) => void (await writer.run(sql, ...params)),
    changeOne: async (sql, ...params) => (await writer.run(sql, ...params)) > 0,
    insert: async (target, row) => (await writer.run(insertUnlessThere(target), ...row)) > 0,
    update: async (target, row) => void (await writer.run(updateOf(target, 1), ...row)),
    changes: (kind) =>
      (kind === (CountChanges as ChangeKind<Changes>) ? counts : new kind()) as never,
    earlierChanges: (kind) => new kind(),
    atEnd() {},
    accessChanged() {},
    relyOnAccess: async () => 0,
    async acquireLock() {},
  };
}

/** The rows to fill the database with, by kind. */
type Rows = (count: number) => Iterable<TableRow>;

const KINDS: ReadonlyMap<string, Rows> = new Map<string, Rows>([
  ["groups", (count) => inTable(groups.table, groupRows(count))],
  ["advisories", (count) => inTable(advisories.table, advisoryRows(count))],
  ["bindings", bindingRows],
  ["tags", (count) => inTable(tags.table, tagRows(count))],
  ["tree", (count) => inTable(groups.table, treeRows(count))],
]);

function* inTable(table: ResourceTable, rows: Iterable<ResourceRow>): Iterable<TableRow> {
  for (const row of rows) yield [table, row];
}

async function insertAll(driver: Driver, rows: Rows, count: number): Promise<void> {
  const counts = new CountChanges();
  const tx = transaction(driver, counts);
  await driver.begin();
  await groups.table.insert(tx, rowOf(ORGANIZATION, "organization", 0));
  for (const batch of batches(rows(count))) {
    // Terms are added with one statement per table, in the order of their index.
    for (const [table, some] of Map.groupBy(batch, ([table]) => table)) {
      const existing = await table.insertAll(
        tx,
        some.map(([, row]) => row),
      );
      if (existing !== undefined) throw new Error(`${existing.uid} exists already`);
    }
    await driver.commit();
    await driver.begin();
  }
  await counts.store(new BatchWriter(driver, true));
  await driver.commit();
}

function* batches(rows: Iterable<TableRow>): Iterable<TableRow[]> {
  let batch: TableRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function fill(folder: string, count: number, rows: Rows): Promise<void> {
  const driver = openSqlite(join(folder, "wharf.db"));
  const tables = Object.values(RESOURCES).map((resource) => resource.table);
  const store = await Store.open(driver, tables, { committed() {} });
  const { writer } = driver;
  await writer.run("PRAGMA synchronous = OFF");
  await writer.run("PRAGMA cache_size = -1000000");
  await writer.run("PRAGMA temp_store = MEMORY");
  const indexes = FILLED.flatMap((table) => table.statements()).filter((sql) => createdIndex(sql));
  for (const sql of indexes) await writer.run(`DROP INDEX ${createdIndex(sql)?.index}`);
  await insertAll(driver, rows, count);
  for (const sql of indexes) await writer.run(sql);
  await writer.get("PRAGMA wal_checkpoint(TRUNCATE)");
  await store.close();
}

const [folder, count, kind = ""] = process.argv.slice(2);
const filled = KINDS.get(kind);
if (folder === undefined || !Number.isInteger(Number(count)) || filled === undefined) {
  console.error(`usage: node bench/fill.ts DIR COUNT ${[...KINDS.keys()].join("|")}`);
  process.exit(2);
}
await fill(folder, Number(count), filled);
