import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ENGINE_LIMITS } from "../../src/engine/limits.ts";
import { ListIndexes } from "../../src/engine/list/list-indexes.ts";
import { countRows, readRows, type Scan } from "../../src/engine/list/scan.ts";
import { SkipIndex } from "../../src/engine/list/skip-index.ts";
import { TimeSlices } from "../../src/lib/scheduling/time-slices.ts";
import type { Reader } from "../../src/store/db/connection.ts";
import type { Store } from "../../src/store/db/store.ts";
import type { Condition, Order, Range, TreeRange } from "../../src/store/resources/query.ts";
import { partitionRanges } from "../../src/store/resources/range-counts.ts";
import type { ResourceTable } from "../../src/store/resources/resource-table.ts";
import {
  type CountingReader,
  RowCountingReader,
  StepCountingReader,
} from "../support/lists/counting-readers.ts";
import {
  COMMON_DIGEST,
  COMMON_ROLE,
  FOREST_FOLDERS,
  FOREST_KINDS,
  FOREST_ROOT,
  plantForest,
} from "../support/lists/forest.ts";
import { NewDatabase } from "../support/server/new-database.ts";
import { STORES, type StoreKind } from "../support/server/test-server.ts";

/**
 * What a page may cost, however many rows there are: steps of the virtual machine on SQLite, where a sort
 * of 500 rows takes most of them, and rows of plan nodes on PostgreSQL, which prefers to sort 4,000 rows to
 * skipping 1,000.
 */
const MAX_COST = { sqlite: 16_000, postgres: 16_000 } as const;

/** The kinds that are searched: on PostgreSQL, which takes a round trip for each statement, only some. */
const KINDS: Readonly<Record<StoreKind, readonly string[]>> = {
  sqlite: [...FOREST_KINDS.keys()],
  postgres: ["groups", "tags"],
};

const COLUMNS = ["uid", "name", "created", "updated"] as const;

interface Search {
  readonly what: string;
  readonly scan: Omit<Scan, "listIndexes" | "task">;
}

const RANGES: readonly (readonly [name: string, range: TreeRange])[] = [
  ["everything", { everything: true }],
  ["children of the root", { childrenOf: FOREST_ROOT }],
  ["below the root", { below: FOREST_ROOT, self: false }],
  ...FOREST_FOLDERS.flatMap(({ name, uid }): [string, TreeRange][] => [
    [`children of ${name}`, { childrenOf: uid }],
    [`below ${name}`, { below: uid, self: false }],
    [`below ${name} and itself`, { below: uid, self: true }],
  ]),
];

const FILTERS: ReadonlyMap<string, readonly Condition[]> = new Map<string, readonly Condition[]>([
  ["role bindings", [{ column: "role_uid", value: COMMON_ROLE }]],
  ["tags", [{ column: "digest", value: COMMON_DIGEST }]],
]);

/** Every order at every scope, with and without a filter that all rows meet, at several skips. */
async function* searches(
  reader: Reader,
  kind: string,
  table: ResourceTable,
): AsyncIterable<Search> {
  const { partitions } = table.shape;
  const hasNames = kind !== "advisories" && kind !== "role bindings";
  const filters = [[], ...(FILTERS.has(kind) ? [[FILTERS.get(kind) as never]] : [])].map((one) =>
    one.flat(),
  );
  for (const [name, tree] of RANGES) {
    // As lists do: without partitions that are empty there.
    const ranges: readonly Range[] =
      partitions === undefined ? [tree] : await partitionRanges(reader, table, tree, [0]);
    if (ranges.length === 0) continue;
    for (const column of COLUMNS.filter((one) => one !== "name" || hasNames)) {
      for (const descending of [false, true]) {
        for (const conditions of filters) {
          for (const skip of conditions.length > 0 ? [0] : [0, 200, 3_000]) {
            const order: Order = { column, descending };
            const filtered = conditions.length > 0 ? ", filtered" : "";
            const what = `${kind} ${name} by ${column}${descending ? " desc" : ""}, skip ${skip}${filtered}`;
            const rows = { filters: conditions, order, start: undefined, skip, limit: 51 };
            yield { what, scan: { table, ranges, form: "data", ...rows } };
          }
        }
      }
    }
  }
}

for (const store of STORES) {
  describe(`the cost of lists on ${store}`, () => {
    let database: NewDatabase;
    let opened: Store;
    let indexes: ListIndexes;
    let reader: CountingReader;
    before(async () => {
      database = await NewDatabase.of(store);
      opened = await database.store();
      for (const kind of KINDS[store]) await plantForest(opened, kind);
      indexes = new ListIndexes(opened, ENGINE_LIMITS.listIndexes);
      reader =
        store === "sqlite"
          ? new StepCountingReader(join(database.folder, "wharf.db"), opened.reader)
          : new RowCountingReader(opened.reader);
      if (store === "postgres") await opened.write((tx) => tx.run("ANALYZE"));
    });
    after(async () => {
      await indexes.stop();
      reader.close();
      await database.close();
    });

    async function read({ scan }: Search): Promise<number> {
      const whole = { ...scan, listIndexes: indexes, task: new TimeSlices().task("test") };
      await readRows(reader, new SkipIndex(ENGINE_LIMITS.skipStride), whole);
      const cost = reader.taken();
      await countRows(reader, whole);
      return cost + reader.taken();
    }

    for (const [kind, { table }] of FOREST_KINDS) {
      if (!KINDS[store].includes(kind)) continue;
      test(`of ${kind} does not grow with their scope`, async (t) => {
        const all = await Array.fromAsync(searches(opened.reader, kind, table));
        // The first read of a list asks for its index.
        for (const search of all) {
          await read(search);
          await indexes.idle();
        }
        const costs: { what: string; cost: number }[] = [];
        for (const search of all) costs.push({ what: search.what, cost: await read(search) });
        costs.sort((a, b) => b.cost - a.cost);
        const shown = [...costs.slice(0, 3), ...costs.slice(-1)];
        for (const { what, cost } of shown) t.diagnostic(`${cost}: ${what}`);
        const tooHigh = costs.filter(({ cost }) => cost > MAX_COST[store]);
        assert.deepEqual(tooHigh, []);
      });
    }
  });
}
