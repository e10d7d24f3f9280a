import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Driver, Reader } from "../db/connection.ts";
import { openSqlite } from "../db/sqlite.ts";
import { Store } from "../db/store.ts";
import { countRange, readPage } from "../testing/one-range.ts";
import { RecordingReader } from "../testing/recording-reader.ts";
import type { Condition, Order, PageQuery, Range } from "./query.ts";
import { ResourceTable } from "./resource-table.ts";

const SMALL = "a".repeat(40);
/** Many rows, by their counts. */
const BIG = "b".repeat(40);
const BIG_FOLDER = `${BIG}/${"c".repeat(16)}`;
const MANY = 1_000_000;

const things = new ResourceTable({
  uidIsParent: false,
  name: "things",
  isScope: true,
  hasChildren: true,
  hasTerms: true,
  filterColumns: [{ name: "role_uid", type: "text" }],
});

const BY_NAME: Order = { column: "name", descending: false };
const BY_TIME: Order = { column: "created", descending: true };

describe("the reader of a list on SQLite", () => {
  const directory = mkdtempSync(join(tmpdir(), "wharf-cost-"));
  let driver: Driver;
  before(async () => {
    driver = openSqlite(join(directory, "wharf.db"));
    const store = await Store.open(driver, [things], { committed() {} });
    await store.write(async (tx) => {
      for (const statement of things.statements()) await tx.run(statement);
      const sql =
        "INSERT INTO counts (uid, kind, children, descendants, changes) VALUES (?, 'things', ?, ?, 1)";
      for (const [uid, rows] of [
        ["", MANY],
        [SMALL, 1_000],
        [BIG, MANY],
        [BIG_FOLDER, MANY],
      ] as const)
        await tx.run(sql, uid, rows, rows);
      // This role has one row more than "few".
      for (let row = 0; row <= 1_001; row++)
        await tx.run(
          `INSERT INTO things (uid, parent, root, name, created, updated, encoding, terms, role_uid, data, json)
           VALUES (?, ?, ?, 'x', 0, 0, 0, '[]', ?, x'', '')`,
          `${SMALL}/${String(row).padStart(16, "0")}`,
          SMALL,
          SMALL,
          row === 0 ? "rare" : "common",
        );
    });
  });
  after(async () => {
    await driver.close();
    rmSync(directory, { recursive: true });
  });

  /** Whether all statements that may visit many rows are costly reads, or none. */
  async function isCostly(ask: (reader: Reader) => Promise<unknown>): Promise<boolean> {
    const costly = new RecordingReader(driver.reader);
    const recording = new RecordingReader(driver.reader);
    await ask(Object.assign(recording, { costly }));
    // Bounded by themselves.
    const others = recording.statements.filter(({ sql }) => !sql.includes("LIMIT ?) few"));
    assert.ok(costly.statements.length === 0 || others.length === 0);
    return costly.statements.length > 0;
  }

  const page = (range: Range, order: Order, query: Partial<PageQuery> = {}) =>
    isCostly((reader) => {
      const all = { range, order, filters: [], offset: 0, limit: 50, ...query };
      return readPage(reader, things, all, "json");
    });
  const count = (range: Range, filters: readonly Condition[]) =>
    isCostly((reader) => countRange(reader, things, range, filters));
  const below = (uid: string): Range => ({ below: uid, self: false });

  test("is the plain one for pages by an index", async () => {
    assert.ok(!(await page({ everything: true }, BY_TIME)));
    assert.ok(!(await page(below(BIG), BY_NAME)));
    assert.ok(!(await page(below(BIG), BY_NAME, { offset: 900 })));
    assert.ok(!(await page({ childrenOf: BIG_FOLDER }, BY_NAME)));
    assert.ok(!(await page({ uids: [BIG, SMALL] }, BY_TIME)));
  });

  test("is that of costly reads for deep skips, and for many rows without an index", async () => {
    assert.ok(await page(below(BIG), BY_NAME, { offset: 1_000 }));
    assert.ok(await page(below(BIG), BY_NAME, { limit: 10_001 }));
    assert.ok(await page({ childrenOf: BIG_FOLDER }, BY_TIME));
    assert.ok(await page(below(BIG_FOLDER), BY_NAME));
    assert.ok(!(await page({ childrenOf: SMALL }, BY_TIME)));
  });

  test("depends on how many rows have a value, not on the range", async () => {
    const filters = (value: string) => [{ column: "role_uid", value }];
    assert.ok(await page(below(SMALL), BY_NAME, { filters: filters("common") }));
    assert.ok(!(await page(below(BIG), BY_NAME, { filters: filters("rare") })));
    assert.ok(await count(below(SMALL), filters("common")));
    assert.ok(!(await count(below(BIG), filters("rare"))));
  });

  test("is that of costly reads for texts and times, unless few rows can match", async () => {
    assert.ok(await page(below(SMALL), BY_NAME, { filters: [{ text: "openssl" }] }));
    assert.ok(await count(below(BIG), [{ column: "updated", after: 5 }]));
    assert.ok(!(await count(below(SMALL), [{ column: "updated", after: 5 }])));
  });
});
