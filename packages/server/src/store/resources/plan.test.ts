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
import { readList } from "./list.ts";
import type { Condition, Order, PageQuery, Range } from "./query.ts";
import { ResourceTable } from "./resource-table.ts";

const ROOT = "a".repeat(40);
const FOLDER = `${ROOT}/${"b".repeat(16)}`;
/** A root and folders that have, by their counts, all its rows, and a tenth of them. */
const BIG_ROOT = "c".repeat(40);
const BIG_FOLDER = `${BIG_ROOT}/${"d".repeat(16)}`;
const TENTH = `${BIG_ROOT}/${"e".repeat(16)}`;
const MANY = 1_000_000;
/** Folders that have half of these rows together. */
const SCOPES = Array.from({ length: 101 }, (_, at) => {
  return `${BIG_FOLDER}/${String(at).padStart(16, "0")}`;
});

const UID_INDEX = "sqlite_autoindex_things_1";
const SORTS = "USE TEMP B-TREE FOR ORDER BY";

const things = new ResourceTable({
  uidIsParent: false,
  name: "things",
  isScope: true,
  hasChildren: true,
  filterColumns: [
    { name: "identity_uid", type: "text" },
    { name: "role_uid", type: "text" },
    { name: "relationship_type", type: "integer" },
  ],
});

/** A partitioned table, whose rows have no children. */
const leaves = new ResourceTable({
  uidIsParent: false,
  name: "leaves",
  isScope: false,
  hasChildren: false,
  uniqueNames: true,
  partitions: [0, 1, 2],
  childOrders: ["created", "updated"],
  filterColumns: [{ name: "digest", type: "text" }],
});

describe("the plan of a list on SQLite", () => {
  const directory = mkdtempSync(join(tmpdir(), "wharf-plan-"));
  let driver: Driver;
  before(async () => {
    driver = openSqlite(join(directory, "wharf.db"));
    const store = await Store.open(driver, [things, leaves], { committed() {} });
    await store.write(async (tx) => {
      for (const table of [things, leaves])
        for (const statement of table.statements()) await tx.run(statement);
      const sql =
        "INSERT INTO counts (uid, kind, children, descendants, changes) VALUES (?, ?, ?, ?, 1)";
      await tx.run(sql, TENTH, "things", MANY / 10, MANY / 10);
      for (const uid of SCOPES) await tx.run(sql, uid, "things", MANY / 200, MANY / 200);
      for (const uid of ["", BIG_ROOT, BIG_FOLDER]) {
        await tx.run(sql, uid, "things", uid === "" ? 1 : MANY, MANY);
        await tx.run(sql, uid, "leaves/1", uid === BIG_FOLDER ? MANY : 0, MANY);
      }
    });
  });
  after(async () => {
    await driver.close();
    rmSync(directory, { recursive: true });
  });

  async function explainAll(ask: (reader: Reader) => Promise<unknown>): Promise<string[]> {
    const recording = new RecordingReader(driver.reader);
    await ask(recording);
    const plans = recording.statements.map(async ({ sql, params }) => {
      const plan = `EXPLAIN QUERY PLAN ${sql}`;
      const steps = await driver.reader.all<{ detail: string }>(plan, ...params);
      return steps.map(({ detail }) => detail).join("\n");
    });
    return Promise.all(plans);
  }

  async function explain(ask: (reader: Reader) => Promise<unknown>): Promise<string> {
    const [only, ...others] = await explainAll(ask);
    assert.ok(only !== undefined && others.length === 0);
    return only;
  }

  function planOf(
    range: Range,
    column: Order["column"],
    more: Partial<PageQuery> = {},
    table = things,
  ) {
    const order = { column, descending: false };
    const query = { range, filters: [], order, offset: 0, limit: 51, ...more };
    return explain((reader) => readPage(reader, table, query, "json"));
  }

  /** Every way to ask for the same rows must take the same index, in its order. */
  async function inOrderOf(
    index: string,
    range: Range,
    column: Order["column"],
    table = things,
    filters: readonly Condition[] = [],
  ): Promise<void> {
    const key = column === "uid" || column === "name" ? ROOT : 1;
    const start = { key, id: 7, inclusive: false };
    const descending = { order: { column, descending: true } };
    for (const more of [{}, { start }, descending, { ...descending, start }, { offset: 100 }]) {
      const plan = await planOf(range, column, { ...more, filters }, table);
      const about = `${JSON.stringify(range)} by ${column} ${JSON.stringify(more)}:\n${plan}`;
      assert.ok(plan.includes(`INDEX ${index}`), about);
      assert.ok(!plan.includes("TEMP B-TREE"), about);
    }
  }

  const FREE = { everything: true } as const;

  test("of everything reads the index of its order", async () => {
    await inOrderOf(UID_INDEX, FREE, "uid");
    await inOrderOf("things_by_name", FREE, "name");
    await inOrderOf("things_by_created", FREE, "created");
    await inOrderOf("things_by_updated", FREE, "updated");
  });

  test("of an organization reads the index of its root and order", async () => {
    for (const self of [true, false]) {
      const range = { below: ROOT, self };
      await inOrderOf(UID_INDEX, range, "uid");
      await inOrderOf("things_by_root_name", range, "name");
      await inOrderOf("things_by_root_created", range, "created");
      await inOrderOf("things_by_root_updated", range, "updated");
    }
  });

  test("of a large folder walks the order of its organization", async () => {
    const range = { below: BIG_FOLDER, self: true };
    await inOrderOf(UID_INDEX, range, "uid");
    await inOrderOf("things_by_root_name", range, "name");
    await inOrderOf("things_by_root_created", range, "created");
    await inOrderOf("things_by_root_updated", range, "updated");
  });

  test("of a small folder reads its rows alone and sorts them", async () => {
    for (const column of ["name", "created", "updated"] as const) {
      for (const below of [FOLDER, TENTH]) {
        const plan = await planOf({ below, self: false }, column);
        assert.match(plan, new RegExp(`INDEX ${UID_INDEX} \\(uid>\\? AND uid<\\?\\)`));
        assert.ok(plan.includes(SORTS), plan);
      }
    }
    await inOrderOf(UID_INDEX, { below: FOLDER, self: false }, "uid");
  });

  test("of children by name reads the index of parent and name", async () => {
    for (const childrenOf of ["", ROOT, FOLDER, BIG_FOLDER]) {
      await inOrderOf("things_by_parent_name", { childrenOf }, "name");
    }
  });

  test("of few children by anything else reads them alone and sorts them", async () => {
    for (const column of ["uid", "created", "updated"] as const) {
      for (const childrenOf of ["", ROOT, FOLDER]) {
        const plan = await planOf({ childrenOf }, column);
        assert.match(plan, /INDEX things_by_parent_name \(parent=\?\)/);
        assert.ok(plan.includes(SORTS), plan);
      }
    }
  });

  test("of many children walks the order around them", async () => {
    for (const childrenOf of [BIG_ROOT, BIG_FOLDER]) {
      await inOrderOf(UID_INDEX, { childrenOf }, "uid");
      await inOrderOf("things_by_root_created", { childrenOf }, "created");
      await inOrderOf("things_by_root_updated", { childrenOf }, "updated");
    }
  });

  test("with a filter begins at the index of the filter", async () => {
    const filters = {
      name: "things_by_name",
      identity_uid: "things_by_identity_uid",
      role_uid: "things_by_role_uid",
      relationship_type: "things_by_relationship_type",
    };
    for (const [column, index] of Object.entries(filters)) {
      for (const range of [FREE, { below: ROOT, self: false }, { below: FOLDER, self: true }]) {
        for (const order of ["uid", "name", "created"] as const) {
          const plan = await planOf(range, order, { filters: [{ column, value: "x" }] });
          assert.ok(
            plan.includes(`INDEX ${index} (${column}=?)`),
            `${column} by ${order}:\n${plan}`,
          );
        }
      }
    }
  });

  test("of named rows looks up their uids", async () => {
    const plan = await planOf({ uids: [ROOT, FOLDER] }, "name");
    assert.match(plan, new RegExp(`INDEX ${UID_INDEX} \\(uid=\\?\\)`));
  });

  test("that skips far walks an index alone before it fetches any row", async () => {
    const kinds: [Range, Order["column"]][] = [
      [FREE, "uid"],
      [FREE, "name"],
      [{ below: ROOT, self: false }, "uid"],
      [{ below: ROOT, self: false }, "name"],
      [{ below: ROOT, self: true }, "created"],
      [{ childrenOf: ROOT }, "name"],
      [{ childrenOf: BIG_ROOT }, "uid"],
      [{ childrenOf: BIG_FOLDER }, "created"],
      [{ below: BIG_FOLDER, self: true }, "name"],
      [{ below: BIG_FOLDER, self: false }, "updated"],
    ];
    for (const [range, column] of kinds) {
      const plan = await planOf(range, column, { offset: 4_000 });
      const about = `${JSON.stringify(range)} by ${column}:\n${plan}`;
      assert.match(plan, /(SEARCH|SCAN) things USING COVERING INDEX/, about);
      assert.match(plan, /SEARCH r USING INTEGER PRIMARY KEY/, about);
    }
  });

  test("that skips far in sorted rows ranks them instead of limiting them", async () => {
    const recording = new RecordingReader(driver.reader);
    const order = { column: "name", descending: false } as const;
    const range = { below: TENTH, self: true };
    const query = { range, filters: [], order, offset: 4_000, limit: 51 };
    await readPage(recording, things, query, "json");
    const { sql = "" } = recording.statements.at(-1) ?? {};
    assert.match(sql, /row_number\(\) OVER \(ORDER BY \+name ASC, id ASC\)/);
    assert.doesNotMatch(sql, /LIMIT/);
  });

  test("of many scattered scopes walks an index alone", async () => {
    const scopes = SCOPES.map((below): Range => ({ below, self: true }));
    const begins: [elsewhere: Range[], begin: string][] = [
      [[], "root_"],
      [[{ below: ROOT, self: true }], ""],
    ];
    for (const [elsewhere, begin] of begins) {
      const ranges = [...elsewhere, ...scopes];
      for (const column of ["name", "created", "updated"] as const) {
        const order = { column, descending: false };
        const query = { ranges, filters: [], order, offset: 4_000, limit: 51, manyRanges: 100 };
        const plans = await explainAll((reader) => readList(reader, things, query, "json"));
        const plan = plans.at(-1) ?? "";
        assert.ok(plan.includes(`COVERING INDEX things_by_${begin}${column}`), plan);
        assert.match(plan, /SEARCH r USING INTEGER PRIMARY KEY/);
      }
    }
  });

  test("that counts filtered rows begins at the index of the filter", async () => {
    const filters = [{ column: "identity_uid", value: "x" }];
    for (const range of [FREE, { below: ROOT, self: true }, { childrenOf: ROOT }]) {
      const plan = await explain((reader) => countRange(reader, things, range, filters));
      assert.match(plan, /INDEX things_by_identity_uid \(identity_uid=\?\)/);
    }
  });

  test("deep in the order of uids begins where the page does, wherever the range does", async () => {
    const inside = `${BIG_FOLDER}/${"5".repeat(16)}`;
    const start = (key: string, inclusive = false) => ({ start: { key, id: 7, inclusive } });
    const [first, last] = [`${BIG_FOLDER}/`, `${BIG_FOLDER}0`];
    const cases: [more: Partial<PageQuery>, descending: boolean, text: string, params: string[]][] =
      [
        [{}, false, "uid >= ? AND uid < ?", [first, last]],
        [start(inside), false, "uid > ? AND uid < ?", [inside, last]],
        [start(inside, true), false, "uid >= ? AND uid < ?", [inside, last]],
        [start(ROOT), false, "uid >= ? AND uid < ?", [first, last]],
        [start(first), false, "uid > ? AND uid < ?", [first, last]],
        [start(inside), true, "uid >= ? AND uid < ?", [first, inside]],
        [start(inside, true), true, "uid >= ? AND uid <= ?", [first, inside]],
        [start("d".repeat(40)), true, "uid >= ? AND uid < ?", [first, last]],
      ];
    for (const range of [{ childrenOf: BIG_FOLDER }, { below: BIG_FOLDER, self: false }]) {
      for (const [more, descending, text, params] of cases) {
        const recording = new RecordingReader(driver.reader);
        const order = { column: "uid", descending } as const;
        const query = { range, filters: [], order, offset: 0, limit: 51, ...more };
        await readPage(recording, things, query, "json");
        const [asked] = recording.statements;
        const about = JSON.stringify({ range, more, descending });
        assert.equal(
          asked?.sql.match(/(?<!\+)uid [<>]=? \?(?: AND uid [<>]=? \?)*/g)?.join(),
          text,
          about,
        );
        assert.deepEqual(asked?.params.slice(0, params.length), params, about);
      }
    }
  });

  const COLUMNS = ["uid", "name", "created", "updated"] as const;

  /** Every kind of stretch, with what the indexes of its orders begin with. */
  const STRETCHES: readonly (readonly [Range, string])[] = [
    [{ everything: true, partitions: [1] }, ""],
    [{ below: BIG_ROOT, self: true, partitions: [1] }, "root_"],
    [{ childrenOf: BIG_FOLDER, partitions: [1] }, "parent_"],
  ];

  test("of one partition reads the index of the partition and its order", async () => {
    for (const [range, begin] of STRETCHES) {
      for (const column of COLUMNS) {
        const index = `leaves_by_${column === "uid" ? "" : begin}part_${column} `;
        await inOrderOf(index, range, column, leaves);
      }
    }
  });

  test("of rows updated since a time uses the index of update times", async () => {
    const filters = [{ column: "updated", after: 5 } as const];
    for (const [range, begin] of STRETCHES) {
      const index = `leaves_by_${begin}part_updated `;
      await inOrderOf(index, range, "updated", leaves, filters);
      const total = await explain((reader) => countRange(reader, leaves, range, filters));
      assert.match(total, new RegExp(`COVERING INDEX ${index}.*updated>\\?`));
      const recording = new RecordingReader(driver.reader);
      const order = { column: "name", descending: false } as const;
      const query = { range, filters, order, offset: 0, limit: 51 };
      await readPage(recording, leaves, query, "json");
      const [, page] = recording.statements;
      assert.ok(page);
      const sql = `EXPLAIN QUERY PLAN ${page.sql}`;
      const steps = await driver.reader.all<{ detail: string }>(sql, ...page.params);
      assert.ok(steps.some(({ detail }) => detail.includes(`INDEX ${index}`)));
    }
  });

  test("of names that begin with a text reads the stretch of the names' index alone", async () => {
    const filters = [{ column: "name", prefix: "team-" } as const];
    const stretches: readonly (readonly [Range, string, ResourceTable])[] = [
      [FREE, "things_by_name ", things],
      [{ below: ROOT, self: true }, "things_by_root_name ", things],
      [{ childrenOf: BIG_FOLDER }, "things_by_parent_name ", things],
      [{ below: BIG_FOLDER, self: true }, "things_by_root_name ", things],
      // Few names of the organization begin with the text.
      [{ below: TENTH, self: true }, "things_by_root_name ", things],
      ...STRETCHES.map(
        ([range, begin]) => [range, `leaves_by_${begin}part_name `, leaves] as const,
      ),
    ];
    for (const [range, index, table] of stretches) {
      for (const descending of [false, true]) {
        for (const start of [undefined, { key: "team-b", id: 7, inclusive: false }]) {
          const order = { column: "name", descending } as const;
          const query = { range, filters, order, start, offset: 0, limit: 51 };
          const plans = await explainAll((reader) => readPage(reader, table, query, "json"));
          const about = `${JSON.stringify(query)}:\n${plans.join("\n")}`;
          const plan = plans.at(-1) ?? "";
          assert.ok(plan.includes(`INDEX ${index}`) && !plan.includes("TEMP B-TREE"), about);
          // Both ends limit the walk; one of them is that of the page.
          assert.match(plan, /name>\?|\(name,id\)>\(\?,\?\)/, about);
          assert.match(plan, /name<\?|\(name,id\)<\(\?,\?\)/, about);
        }
      }
      const [count = ""] = (
        await explainAll((reader) => countRange(reader, table, range, filters))
      ).slice(-1);
      assert.ok(count.includes(`INDEX ${index}`) && /name>\? AND name<\?/.test(count), count);
    }
  });

  test("of a partition with a filter begins at the index of the filter", async () => {
    for (const [range, begin] of STRETCHES) {
      for (const order of COLUMNS) {
        const digest = { filters: [{ column: "digest", value: "x" }] };
        const found = await planOf(range, order, digest, leaves);
        assert.match(found, /INDEX leaves_by_digest \(digest=\?\)/);
        const name = { filters: [{ column: "name", value: "x" }] };
        const index = begin === "parent_" ? "own_name" : `${begin}part_name`;
        const named = await planOf(range, order, name, leaves);
        assert.ok(named.includes(`INDEX leaves_by_${index} (`), named);
        assert.match(named, /name=\?/);
      }
    }
  });
});
