import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GroupSchema, newChildUid, newRootUid, parentOf, TagSchema } from "@wharf/contract";
import fc from "fast-check";
import { RESOURCES } from "../src/app/resources.ts";
import { ListIndexes } from "../src/engine/list/list-indexes.ts";
import { countRows, readRows, type Scan } from "../src/engine/list/scan.ts";
import { SkipIndex } from "../src/engine/list/skip-index.ts";
import { TimeSlices } from "../src/lib/scheduling/time-slices.ts";
import { checkInvariants } from "../src/store/check/invariants.ts";
import type { Store } from "../src/store/db/store.ts";
import type { Filter, Order, Range } from "../src/store/resources/query.ts";
import { positionOf, type ResourceRow } from "../src/store/resources/rows.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

const { groups, tags } = RESOURCES;
const TABLES = Object.values(RESOURCES).map(({ table }) => table);

/** So small that a few dozen rows need entries and blocks, and builds take many steps. */
const LIMITS = { sortedRows: 6, blockRows: 4, batchRows: 8 };

const ROOT = newRootUid();
const FOLDER = newChildUid(ROOT);
const INNER = newChildUid(FOLDER);
const PARENTS = [ROOT, FOLDER, FOLDER, INNER];
const NAMES = ["a", "b", "b-20260101", "ç", "\u{1f433}", "\ue000", "zz"];
const COLUMNS = ["uid", "name", "created", "updated"] as const;

const DIGESTS = ["sha256:0", "sha256:1"];

/** The digest of a tag changes with its name. */
function digestOf(name: string): string {
  return DIGESTS[name.length % 2] as string;
}

/** A row as the model has it. */
interface Known {
  readonly uid: string;
  readonly parent: string;
  name: string;
  readonly created: number;
  updated: number;
  readonly id: number;
  part: number | undefined;
}

/** Both kinds: groups, which are scopes themselves, and tags, which are partitioned. */
const KINDS = {
  groups: {
    table: groups.table,
    row: ({ uid, name, created, updated }: Omit<Known, "id">): ResourceRow =>
      groups.toRow(create(GroupSchema, { uid, name, ...times(created, updated) })),
    partitions: [undefined],
  },
  tags: {
    table: tags.table,
    row: ({ uid, name, created, updated }: Omit<Known, "id">): ResourceRow =>
      tags.toRow(
        create(TagSchema, { uid, name, digest: digestOf(name), ...times(created, updated) }),
      ),
    partitions: [0, 2],
  },
} as const;
type Kind = keyof typeof KINDS;

function times(created: number, updated: number) {
  return { createTime: timestampFromMs(created), updateTime: timestampFromMs(updated) };
}

/** A replica: a store, and the indexes of lists as a server builds them. */
class Replica {
  readonly store: Store;
  readonly indexes: ListIndexes;
  readonly #skips = new SkipIndex(5);
  readonly #task = new TimeSlices().task("test");

  constructor(store: Store) {
    this.store = store;
    this.indexes = new ListIndexes(store, LIMITS);
  }

  async list(kind: Kind, range: Range, filters: readonly Filter[], order: Order, skip: number) {
    const scan: Scan = {
      table: KINDS[kind].table,
      ranges: [range],
      filters,
      order,
      start: undefined,
      skip,
      limit: 5,
      form: "data",
      listIndexes: this.indexes,
      task: this.#task,
    };
    const { reader } = this.store;
    const rows = await readRows(reader, this.#skips, scan);
    return { ids: rows.map((row) => positionOf(row).id), total: await countRows(reader, scan) };
  }
}

/** The order of the databases: by bytes. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" || typeof b === "number") return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function listed(all: readonly Known[], range: Range, { column, descending }: Order): number[] {
  const isIn = ({ uid, parent, part }: Known) => {
    if (range.partitions !== undefined && !range.partitions.includes(part ?? -1)) return false;
    if ("childrenOf" in range) return parent === range.childrenOf;
    if (!("below" in range)) return true;
    return uid.startsWith(`${range.below}/`) || (range.self && uid === range.below);
  };
  const sorted = all.filter(isIn).sort((a, b) => compare(a[column], b[column]) || a.id - b.id);
  const ids = sorted.map(({ id }) => id);
  return descending ? ids.reverse() : ids;
}

for (const kind of STORES) {
  describe(`indexes of lists on ${kind}`, () => {
    let database: NewDatabase;
    let replicas: [Replica, Replica];
    const known: Record<Kind, Known[]> = { groups: [], tags: [] };
    let clock = 1_000;

    before(async () => {
      database = await NewDatabase.of(kind);
      replicas = [new Replica(await database.store()), new Replica(await database.store())];
      for (const uid of [ROOT, FOLDER, INNER]) await insert(0, "groups", uid, "scope");
      for (let at = 0; at < 40; at++) await grow(at, at % 3 === 0 ? "tags" : "groups", at);
    });
    after(async () => {
      for (const { indexes } of replicas) await indexes.stop();
      await database.close();
    });

    const storeOf = (replica: number) => (replicas[replica % 2] as Replica).store;

    async function insert(replica: number, of: Kind, uid: string, name: string): Promise<void> {
      const time = clock++ % 7 === 0 ? clock - 1 : clock;
      const row = KINDS[of].row({
        ...{ uid, parent: parentOf(uid), name, created: time, updated: time, part: undefined },
      });
      const { table } = KINDS[of];
      const id = await storeOf(replica).write(async (tx) => {
        // Tags have unique names.
        if (!(await table.insert(tx, row))) return undefined;
        const sql = `SELECT id FROM ${table.shape.name} WHERE uid = ?`;
        return (await tx.get<{ id: number }>(sql, uid))?.id;
      });
      if (id === undefined) return;
      const { parent, created, updated, partition: part } = row;
      known[of].push({ uid, parent, name, created, updated, id, part });
    }

    function grow(replica: number, of: Kind, number: number): Promise<void> {
      const parent = PARENTS[number % PARENTS.length] as string;
      const name = NAMES[number % NAMES.length] as string;
      return insert(replica, of, newChildUid(parent), of === "tags" ? `${number}${name}` : name);
    }

    /** A row that can be changed; the groups of the tree itself stay. */
    function some(of: Kind, number: number): Known | undefined {
      const leaves = known[of].filter(({ uid }) => ![ROOT, FOLDER, INNER].includes(uid));
      return leaves[number % leaves.length];
    }

    async function rename(replica: number, of: Kind, number: number): Promise<void> {
      const one = some(of, number);
      if (one === undefined) return;
      const name = `${of === "tags" ? `${number}.${clock}` : ""}${NAMES[(number >> 3) % NAMES.length]}`;
      const row = KINDS[of].row({ ...one, name, updated: clock++ });
      await storeOf(replica).write((tx) => KINDS[of].table.update(tx, row));
      Object.assign(one, { name, updated: row.updated, part: row.partition });
    }

    async function remove(replica: number, of: Kind, number: number): Promise<void> {
      const one = some(of, number);
      if (one === undefined) return;
      await storeOf(replica).write((tx) => KINDS[of].table.delete(tx, one.uid));
      known[of].splice(known[of].indexOf(one), 1);
    }

    const changes = { grow, rename, remove };
    const queries = fc.record({
      of: fc.constantFrom<Kind>("groups", "groups", "tags"),
      top: fc.constantFrom("", ROOT, FOLDER, INNER),
      reach: fc.constantFrom("children", "below", "self"),
      partition: fc.nat(1),
      column: fc.constantFrom(...COLUMNS),
      descending: fc.boolean(),
      isFiltered: fc.boolean(),
      skip: fc.nat(40),
      replica: fc.nat(1),
    });
    type Query = typeof queries extends fc.Arbitrary<infer T> ? T : never;

    function rangeOf({ of, top, reach, partition }: Query): Range {
      const part = KINDS[of].partitions[partition % KINDS[of].partitions.length];
      const partitions = part === undefined ? {} : { partitions: [part] };
      if (reach === "children") return { childrenOf: top, ...partitions };
      if (top === "") return { everything: true, ...partitions };
      return { below: top, self: reach === "self", ...partitions };
    }

    /** Groups by a common column, and tags by one of their own. */
    function filtersOf({ of, isFiltered }: Query): Filter[] {
      if (!isFiltered) return [];
      if (of === "groups") return [{ column: "name", value: NAMES[1] as string }];
      return [{ column: "digest", value: DIGESTS[1] as string }];
    }

    function expected(query: Query): { ids: number[]; total: number } {
      const { of, column, descending, skip } = query;
      const [filter] = filtersOf(query);
      const rows = known[of].filter((row) => {
        if (filter === undefined) return true;
        return (filter.column === "name" ? row.name : digestOf(row.name)) === filter.value;
      });
      const ids = listed(rows, rangeOf(query), { column, descending });
      return { ids: ids.slice(skip, skip + 5), total: ids.length };
    }

    function read(query: Query): Promise<{ ids: number[]; total: number }> {
      const { of, column, descending, skip, replica } = query;
      const reading = replicas[replica] as Replica;
      return reading.list(of, rangeOf(query), filtersOf(query), { column, descending }, skip);
    }

    test("have the rows of their lists, whatever two replicas write meanwhile", async () => {
      const steps = fc.record({
        change: fc.constantFrom(...(["grow", "grow", "rename", "remove"] as const)),
        of: fc.constantFrom<Kind>("groups", "tags"),
        number: fc.nat(100_000),
        query: queries,
        others: fc.array(queries, { maxLength: 3 }),
      });
      const property = fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (all) => {
        for (const { change, of, number, query, others } of all) {
          const earlier = expected(query);
          const [found] = await Promise.all([read(query), changes[change](number, of, number)]);
          const later = expected(query);
          const about = JSON.stringify({ change, of, query });
          // The list is that of a moment between its request and its response.
          const isOne = [earlier, later].some(({ ids }) => String(ids) === String(found.ids));
          assert.ok(isOne, `${about}: ${found.ids}, neither ${earlier.ids} nor ${later.ids}`);
          for (const other of [query, ...others]) {
            assert.deepEqual(await read(other), expected(other), JSON.stringify(other));
          }
        }
        // Builds in progress are left to the next run in half of the cases.
        if (all.length % 2 === 0) for (const { indexes } of replicas) await indexes.idle();
        const { reader } = replicas[0].store;
        assert.deepEqual(await checkInvariants(reader, TABLES, () => {}), []);
      });
      await fc.assert(property, { ...FIXED, numRuns: runs(8, 150) });
      const complete = await replicas[0].store.reader.all<{ form: string; filtered: number }>(
        `SELECT DISTINCT form, filter_by <> '' AS filtered FROM list_indexes WHERE state = 'complete'
         ORDER BY form, filtered`,
      );
      assert.deepEqual(
        complete.map(({ form, filtered }) => [form, Boolean(filtered)]),
        [
          ["blocks", false],
          ["entries", false],
          ["entries", true],
        ],
      );
    });
  });
}
