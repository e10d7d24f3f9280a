import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Driver, Reader } from "../../db/connection.ts";
import { openSqlite } from "../../db/sqlite.ts";
import { Store } from "../../db/store.ts";
import { countRange, readPage } from "../../testing/one-range.ts";
import { RecordingReader } from "../../testing/recording-reader.ts";
import type { Condition, Order, Range } from "../query.ts";
import { ResourceTable } from "../resource-table.ts";

const ROOT = "a".repeat(40);
const SMALL = "b".repeat(40);
const MANY = 1_000_000;

/** A table as advisories have it. */
const notes = new ResourceTable({
  uidIsParent: false,
  name: "notes",
  isScope: false,
  hasChildren: false,
  uniqueNames: true,
  orderedByName: false,
  isInGroups: true,
  partitions: [0, 1],
  childOrders: ["updated"],
  filterColumns: [],
  hasTerms: true,
});

const RARE = { kind: "alias", anyOf: ["rare"], excluded: false };
const SEVERAL = { kind: "alias", anyOf: ["rare", "other"], excluded: false };
const COMMON = { kind: "state", anyOf: ["2"], excluded: false };
const EXCLUDED = { kind: "author", anyOf: ["x"], excluded: true };
const TEXT = { text: "ar" };

const ORDERS: readonly Order["column"][] = ["uid", "created", "updated"];

/** Ranges that have very many rows by their counts. */
const LARGE: readonly Range[] = [
  { everything: true, partitions: [0] },
  { below: ROOT, self: true, partitions: [0] },
  { childrenOf: ROOT, partitions: [0] },
];

describe("the plan of a list by terms on SQLite", () => {
  const directory = mkdtempSync(join(tmpdir(), "wharf-plan-"));
  let driver: Driver;
  before(async () => {
    driver = openSqlite(join(directory, "wharf.db"));
    const store = await Store.open(driver, [notes], { committed() {} });
    await store.write(async (tx) => {
      for (const statement of notes.statements()) await tx.run(statement);
      const sql =
        "INSERT INTO counts (uid, kind, children, descendants, changes) VALUES (?, 'notes/0', ?, ?, 1)";
      for (const uid of ["", ROOT]) await tx.run(sql, uid, MANY, MANY);
      await tx.run(sql, SMALL, 3, 3);
      const common = "INSERT INTO notes_terms (kind, value, row_id) VALUES ('state', '2', ?)";
      for (let row = 0; row < 10_001; row++) await tx.run(common, row);
      for (let row = 0; row < 5; row++) {
        await tx.run(
          "INSERT INTO notes_terms (kind, value, row_id) VALUES ('alias', 'rare', ?)",
          row,
        );
      }
    });
  });
  after(async () => {
    await driver.close();
    rmSync(directory, { recursive: true });
  });

  async function explain(ask: (reader: Reader) => Promise<unknown>): Promise<string> {
    const recording = new RecordingReader(driver.reader);
    await ask(recording);
    // The statement that counts the rows with a term comes before.
    const last = recording.statements.at(-1);
    assert.ok(last !== undefined);
    const plan = `EXPLAIN QUERY PLAN ${last.sql}`;
    const steps = await driver.reader.all<{ detail: string }>(plan, ...last.params);
    return steps.map(({ detail }) => detail).join("\n");
  }

  const page = (range: Range, filters: readonly Condition[], column: Order["column"] = "uid") =>
    explain((reader) => {
      const query = { range, filters, order: { column, descending: false }, offset: 0, limit: 51 };
      return readPage(reader, notes, query, "data");
    });
  const total = (range: Range, filters: readonly Condition[]) =>
    explain((reader) => countRange(reader, notes, range, filters));

  test("begins with the rows that have a rare term", async () => {
    const bound = { column: "updated", after: 5, until: 9 } as const;
    for (const range of LARGE) {
      for (const filters of [[RARE], [SEVERAL], [COMMON, RARE, EXCLUDED, TEXT], [RARE, bound]]) {
        const plans = await Promise.all(ORDERS.map((column) => page(range, filters, column)));
        for (const plan of [...plans, await total(range, filters)]) {
          assert.match(plan, /^SEARCH notes USING INTEGER PRIMARY KEY \(rowid=\?\)$/m, plan);
          assert.match(plan, /SEARCH notes_terms USING PRIMARY KEY \(kind=\? AND value=\?\)/);
        }
      }
    }
  });

  test("begins with the words that contain a text", async () => {
    for (const range of LARGE) {
      for (const plan of [await page(range, [TEXT, COMMON]), await total(range, [TEXT])]) {
        assert.match(plan, /^SEARCH notes USING INTEGER PRIMARY KEY \(rowid=\?\)$/m, plan);
        assert.match(plan, /SCAN w\nSEARCH t USING PRIMARY KEY \(kind=\? AND value=\?\)/);
      }
    }
  });

  test("walks the order and tests rows for common or excluded terms", async () => {
    for (const range of LARGE) {
      for (const filter of [COMMON, EXCLUDED]) {
        for (const column of ["uid", "updated"] as const) {
          const plan = await page(range, [filter], column);
          const index = "childrenOf" in range && column === "updated" ? "parent_" : "root_";
          const begin = column === "uid" || "everything" in range ? "" : index;
          assert.ok(plan.includes(`INDEX notes_by_${begin}part_${column} `), plan);
          assert.match(
            plan,
            /SEARCH notes_terms USING PRIMARY KEY \(kind=\? AND value=\? AND row_id=\?\)/,
          );
          assert.ok(!plan.includes("TEMP B-TREE"), plan);
        }
        assert.match(await total(range, [filter]), /notes USING COVERING INDEX/);
      }
    }
  });

  test("tests the rows of a small range", async () => {
    for (const filter of [RARE, COMMON, TEXT]) {
      const range = { below: SMALL, self: true, partitions: [0] };
      const plan = await page(range, [filter]);
      assert.match(plan, /INDEX notes_by_part_uid \(part=\? AND uid>\? AND uid<\?\)/, plan);
    }
  });
});
