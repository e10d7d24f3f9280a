import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GroupSchema, newChildUid, newRootUid, OrgStatus } from "@wharf/contract";
import fc from "fast-check";
import { RESOURCES } from "../src/app/resources.ts";
import { ENGINE_LIMITS } from "../src/engine/limits.ts";
import { ListIndexes } from "../src/engine/list/list-indexes.ts";
import { readRows, type Scan } from "../src/engine/list/scan.ts";
import { SkipIndex } from "../src/engine/list/skip-index.ts";
import { RangeSet } from "../src/engine/visible/range-set.ts";
import { VisibleRows } from "../src/engine/visible/visible-rows.ts";
import { groups } from "../src/iam/groups.ts";
import { TimeSlices } from "../src/lib/scheduling/time-slices.ts";
import type { Reader, Value } from "../src/store/db/connection.ts";
import { openStore } from "../src/store/db/open.ts";
import type { Store } from "../src/store/db/store.ts";
import type { Condition, Order } from "../src/store/resources/query.ts";
import { positionOf } from "../src/store/resources/rows.ts";
import { FIXED, Random, SEED } from "./support/oracle/random.ts";
import { runs, usualTest } from "./support/oracle/runs.ts";
import { newDatabase } from "./support/server/postgres.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES } from "./support/server/test-server.ts";

/** So few that many rows share them: order among equals matters. */
const NAMES = ["amber", "birch", "cedar", "dune"];
const FOLDERS = 40;
const PER_FOLDER = 9;
const COLUMNS = ["uid", "name", "created", "updated"] as const;

interface Known {
  readonly uid: string;
  readonly id: number;
  name: string;
  readonly created: number;
  updated: number;
}

/** Passes statements on, and keeps them. Something else may happen before each. */
class CountingReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly #reader: Reader;
  statements: string[] = [];
  before: () => Promise<void> = async () => {};

  constructor(reader: Reader) {
    this.#reader = reader;
    this.dialect = reader.dialect;
  }

  async get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    this.statements.push(sql);
    await this.before();
    return this.#reader.get<R>(sql, ...params);
  }

  async all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    this.statements.push(sql);
    await this.before();
    return this.#reader.all<R>(sql, ...params);
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    this.statements.push(sql);
    await this.before();
    return this.#reader.arrays<R>(sql, ...params);
  }
}

for (const kind of STORES) {
  describe(`lists over many ranges (${kind})`, () => {
    /** One writes, as another process would; lists are read from the other. */
    let writing: Store;
    let reading: Store;
    let reader: CountingReader;
    let rows: VisibleRows;
    let indexes: ListIndexes;
    let folder = "";
    const slices = new TimeSlices();
    const root = newRootUid();
    const folders = Array.from({ length: FOLDERS }, () => newChildUid(root));
    const known = new Map<string, Known>();
    let made = 0;

    const message = ({ uid, name, created, updated }: Omit<Known, "id">) =>
      groups.toRow(
        create(GroupSchema, {
          uid,
          name,
          status: OrgStatus.READY,
          createTime: timestampFromMs(created),
          updateTime: timestampFromMs(updated),
        }),
      );
    const insert = async (uids: readonly string[]) => {
      const added = uids.map((uid): Known => {
        const id = ++made;
        const created = 1_000 + ((id * 13) % 9);
        const updated = 2_000 + ((id * 5) % 11);
        return { uid, id, name: NAMES[id % NAMES.length] as string, created, updated };
      });
      await writing.write(async (tx) => {
        for (const one of added) await groups.table.insert(tx, message(one));
      });
      for (const one of added) known.set(one.uid, one);
    };
    const update = async (one: Known, name: string, updated: number) => {
      await writing.write((tx) => groups.table.update(tx, message({ ...one, name, updated })));
      Object.assign(one, { name, updated });
    };
    const remove = async ({ uid }: Known) => {
      await writing.write((tx) => groups.table.delete(tx, uid));
      known.delete(uid);
    };
    const open = async () => {
      const tables = Object.values(RESOURCES).map((resource) => resource.table);
      const settings = { data: folder, databaseUrl, secretKeyFile: "" };
      return openStore(settings, tables, { committed() {} });
    };
    let databaseUrl = "";
    let sets: RangeSet[] = [];

    before(async () => {
      folder = scratchFolder("wharf-visible-");
      databaseUrl = kind === "postgres" ? await newDatabase() : "";
      writing = await open();
      reading = await open();
      await insert([root, ...folders]);
      for (const one of folders) {
        await insert(Array.from({ length: PER_FOLDER }, () => newChildUid(one)));
      }
      reader = new CountingReader(reading.reader);
      rows = new VisibleRows(reader);
      indexes = new ListIndexes(reading, ENGINE_LIMITS.listIndexes);
      // Most, some, single rows, and such that also have all roots.
      sets = [
        new RangeSet(folders.slice(0, 30), true, false),
        new RangeSet(folders.slice(0, 4), true, false),
        new RangeSet([...folders.slice(5, 20), newChildUid(root)], false, false),
        new RangeSet(folders.slice(10, 20), true, true),
      ];
    });
    after(async () => {
      await indexes.stop();
      await writing.close();
      await reading.close();
      rmSync(folder, { recursive: true });
    });

    const scanOf = (set: RangeSet, order: Order, more: Partial<Scan> = {}): Scan => ({
      table: groups.table,
      ranges: [],
      many: { set, rows },
      filters: [],
      order,
      start: undefined,
      skip: 0,
      limit: 10,
      form: "json",
      listIndexes: indexes,
      task: slices.task("reader"),
      ...more,
    });
    const read = async (scan: Scan) => {
      const found = await readRows(reader, new SkipIndex(50), scan);
      return found.map((row) => ({
        uid: (JSON.parse(String(row[3])) as { uid: string }).uid,
        row,
      }));
    };
    const count = (scan: Scan) => {
      const { many } = scan;
      assert.ok(many);
      return many.rows.count(reader, { ...scan, set: many.set });
    };
    const expected = (
      set: RangeSet,
      { column, descending }: Order,
      filters: readonly Condition[],
    ) => {
      const names = filters.flatMap((one) => ("value" in one ? [one.value] : []));
      const seen = [...known.values()].filter(
        ({ uid, name }) => set.has(uid) && names.every((one) => one === name),
      );
      seen.sort((a, b) => {
        if (a[column] !== b[column]) return a[column] < b[column] ? -1 : 1;
        return a.id - b.id;
      });
      return (descending ? seen.reverse() : seen).map(({ uid }) => uid);
    };

    const steps = fc.record({
      action: fc.constantFrom(
        ...["create", "create", "rename", "touch", "delete", "many", "unlogged", "reach", "reach"],
      ),
      at: fc.nat(),
      set: fc.nat(3),
      column: fc.constantFrom(...COLUMNS),
      descending: fc.boolean(),
      skip: fc.integer({ min: 0, max: 320 }),
      hasFilter: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
    });
    type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

    /** What the caller sees after a role binding more, or less. */
    const without = (set: RangeSet, uid: string) => {
      const isIn = set.uids.includes(uid);
      const uids = isIn ? set.uids.filter((one) => one !== uid) : [...set.uids, uid];
      return new RangeSet(uids, set.areTops, set.hasRoots, new WeakRef(set));
    };
    const change = async ({ action, at, set }: Step) => {
      const parent = folders[at % FOLDERS] as string;
      const leaves = [...known.values()].filter(({ uid }) => uid.length > parent.length);
      const one = leaves[at % leaves.length] as Known;
      if (action === "create") await insert([newChildUid(parent)]);
      if (action === "rename") await update(one, NAMES[at % 3] as string, one.updated);
      if (action === "touch") await update(one, one.name, 2_000 + (at % 40));
      if (action === "delete") await remove(one);
      if (action === "reach") sets[set] = without(sets[set] as RangeSet, parent);
      // More than a transaction names, and a change by a server that writes no log.
      if (action === "many" && at % 7 === 0) {
        await insert(Array.from({ length: 501 }, () => newChildUid(folders[35] as string)));
      }
      if (action !== "unlogged") return;
      await update(one, NAMES[at % 4] as string, one.updated);
      await writing.write((tx) => tx.run("DELETE FROM row_log"));
    };

    test("after any changes, every page is that of a plain sort", async () => {
      const check = async (step: Step) => {
        await change(step);
        const set = sets[step.set] as RangeSet;
        const order: Order = { column: step.column, descending: step.descending };
        const filters = step.hasFilter
          ? [{ column: "name", value: NAMES[step.at % 4] as string }]
          : [];
        const all = expected(set, order, filters);
        const { skip } = step;
        const first = await read(scanOf(set, order, { filters, skip }));
        assert.deepEqual(
          first.map(({ uid }) => uid),
          all.slice(skip, skip + 10),
        );
        assert.equal(await count(scanOf(set, order, { filters })), all.length);
        const last = first.at(-1);
        if (last === undefined) return;
        const start = { ...positionOf(last.row), inclusive: false };
        for (const further of [0, 3]) {
          const next = await read(
            scanOf(set, order, { filters, start, skip: further, limit: 200 }),
          );
          const from = skip + first.length + further;
          assert.deepEqual(
            next.map(({ uid }) => uid),
            all.slice(from, from + 200),
          );
        }
      };
      const property = fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (all) => {
        for (const step of all) await check(step);
      });
      await fc.assert(property, { ...FIXED, numRuns: runs(3, 40) });
    });

    usualTest(
      "a walk misses and repeats nothing while others write between its statements",
      async () => {
        const random = new Random(SEED);
        const parent = folders[1] as string;
        const around = new RangeSet(folders.slice(0, 12), true, false);
        for (const column of COLUMNS) {
          const order: Order = { column, descending: column === "name" };
          const stable = expected(around, order, []);
          const moving = Array.from({ length: 60 }, () => newChildUid(parent));
          await insert(moving);
          // Lists of single rows are kept in order by their ids, in every order.
          const set = new RangeSet([...stable, ...moving], false, false);
          reader.before = async () => {
            if (random.below(4) > 0) return;
            const one = known.get(random.pick(moving));
            if (one === undefined) return;
            if (random.below(8) === 0) await remove(one);
            else await update(one, random.pick(NAMES), 2_000 + random.below(30));
          };
          const seen: string[] = [];
          let next: Scan["start"];
          do {
            const page = await read(scanOf(set, order, { start: next }));
            seen.push(...page.map(({ uid }) => uid));
            const last = page.length < 10 ? undefined : page.at(-1);
            next = last && { ...positionOf(last.row), inclusive: false };
          } while (next !== undefined);
          reader.before = async () => {};
          const were = new Set(stable);
          assert.deepEqual(
            seen.filter((uid) => were.has(uid)),
            stable,
            column,
          );
          const rest = await read(scanOf(set, order, { skip: 1, limit: 1_000 }));
          assert.deepEqual(
            rest.map(({ uid }) => uid),
            expected(set, order, []).slice(1),
          );
          for (const uid of moving) if (known.has(uid)) await remove(known.get(uid) as Known);
        }
      },
    );

    usualTest("a row that moves while another one is placed does not mislead it", async () => {
      const order: Order = { column: "name", descending: false };
      const uids = Array.from({ length: 6 }, () => newChildUid(folders[2] as string));
      await insert(uids);
      const set = new RangeSet(uids, false, false);
      const listed = async () =>
        (await read(scanOf(set, order, { limit: 200 }))).map(({ uid }) => uid);
      const [, , middle, , , moved] = uids.map((uid) => known.get(uid) as Known);
      const rename = (one: Known | undefined, name: string) =>
        update(one as Known, name, (one as Known).updated);
      for (let before = 0; before < 8; before++) {
        for (const [at, uid] of uids.entries()) await rename(known.get(uid), `name-${at}`);
        assert.deepEqual(await listed(), uids);
        await rename(moved, "name-0-moved");
        let statements = 0;
        reader.before = async () => {
          // Among the rows that the other one is compared with, this one then is the first, where it was the third.
          if (statements++ === before) await rename(middle, "a name before all");
        };
        await listed();
        reader.before = async () => {};
        assert.deepEqual(await listed(), expected(set, order, []), `before statement ${before}`);
      }
      for (const uid of uids) await remove(known.get(uid) as Known);
    });

    usualTest(
      "after a change of the caller's own access, a list is derived from the former one",
      async () => {
        const order: Order = { column: "updated", descending: false };
        const filters = [{ column: "name", value: NAMES[0] as string }];
        let set = new RangeSet(folders.slice(0, 30), true, false);
        await read(scanOf(set, order, { filters }));
        for (const uid of [folders[3], folders[33], folders[3]] as string[]) {
          set = without(set, uid);
          reader.statements = [];
          const scan = scanOf(set, order, { filters, limit: 200 });
          const found = await read(scan);
          const all = expected(set, order, filters);
          assert.equal(await count(scan), all.length);
          assert.deepEqual(
            found.map((one) => one.uid),
            all,
          );
          const walks = reader.statements.filter((sql) => sql.includes("OFFSET"));
          assert.deepEqual(walks, [], "the rows are not read again");
        }
      },
    );

    usualTest("after a change elsewhere, a page takes as many statements as it needs", async () => {
      const set = sets[0] as RangeSet;
      for (const column of COLUMNS) {
        const order: Order = { column, descending: false };
        for (const skip of [0, 150]) {
          const scan = scanOf(set, order, { skip });
          await read(scan);
          await count(scan);
          await insert([newChildUid(folders[39] as string)]);
          reader.statements = [];
          await read(scanOf(set, order, { skip }));
          await count(scan);
          const { length } = reader.statements;
          assert.ok(length <= 8, `${column} ${skip}: ${length} statements`);
        }
      }
    });

    usualTest("the log keeps the last 20,000 changes, and is trimmed once for many", async () => {
      const kind = groups.table.shape.name;
      const logged = async () => {
        const sql = "SELECT version FROM row_log WHERE kind = ? ORDER BY version";
        return (await reading.reader.arrays<[number]>(sql, kind)).map(([version]) => version);
      };
      const at = 25_600;
      await writing.write(async (tx) => {
        await tx.run("DELETE FROM row_log");
        await tx.run("UPDATE counts SET changes = ? WHERE uid = '' AND kind = ?", at - 2, kind);
        const sql = "INSERT INTO row_log (kind, version, since, uids) VALUES (?, ?, 0, '')";
        for (const version of [5_599, 5_600, 5_601]) await tx.run(sql, kind, version);
      });
      await insert([newChildUid(folders[4] as string)]);
      assert.deepEqual(await logged(), [5_599, 5_600, 5_601, at - 1]);
      await insert([newChildUid(folders[4] as string)]);
      assert.deepEqual(await logged(), [5_601, at - 1, at]);
    });
  });
}
