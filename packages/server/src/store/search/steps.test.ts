import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newChildUid, newRootUid } from "@wharf/contract";
import { CountedTask } from "../../lib/testing/counted-task.ts";
import { BitSet } from "./bit-set.ts";
import { IndexedRows } from "./indexed-rows.ts";
import { PlaceFilter } from "./place-filter.ts";
import { RowFilter } from "./row-filter.ts";
import type { RowMatch } from "./row-match.ts";
import { RowOrder } from "./row-order.ts";
import { RowOrders } from "./row-orders.ts";
import type { RowSource } from "./row-source.ts";

const ROWS = 100_000;

/** Rows that may be looked at before other tasks can run. */
const MAX_ROWS_PER_STEP = 16_384;

/** Rows in two groups, one below the other, in the order of their ids. */
function someRows() {
  const rows = new IndexedRows();
  const root = newRootUid();
  const parents = [root, newChildUid(root)];
  const uids = Array.from({ length: ROWS }, (_, at) => newChildUid(parents[at % 2] as string));
  for (const [at, uid] of uids.entries()) rows.put(at + 1, uid, 0);
  const slotOf = (at: number) => rows.slots.find(at + 1) as number;
  return { rows, uids, parents, slotOf };
}

/** The rows of which a test of their index holds. */
function matching(slotOf: (at: number) => number, test: (at: number) => boolean): RowMatch {
  const rows = new BitSet();
  for (let at = 0; at < ROWS; at++) if (test(at)) rows.add(slotOf(at));
  return { rows, excluded: false, changed() {}, async find() {} };
}

describe("the steps of a search", () => {
  const { rows, uids, parents, slotOf } = someRows();
  const inOrder = uids.map((uid, row) => ({ uid, row })).sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const byUid = Uint32Array.from(inOrder, ({ row }) => slotOf(row));
  const filterOf = async (test: (at: number) => boolean, task = new CountedTask()) => {
    const places = await PlaceFilter.of([{ below: parents[1] as string, self: false }], task);
    return RowFilter.of(rows, { places, matches: [matching(slotOf, test)] }, task);
  };
  const isBelow = (row: number) => row % 2 === 1;

  test("test all rows", async () => {
    const task = new CountedTask();
    const filter = await filterOf((row) => row % 3 === 0, task);
    assert.ok(task.steps >= ROWS / MAX_ROWS_PER_STEP, `${task.steps} steps`);
    const expected = uids.map((_, row) => isBelow(row) && row % 3 === 0);
    assert.deepEqual(
      uids.map((_, row) => filter.has(slotOf(row))),
      expected,
    );
    assert.equal(filter.count, expected.filter(Boolean).length);
  });

  test("walk to the end of a list, and sort a short one", async () => {
    const orders = new RowOrders(rows, {} as RowSource, byUid);
    const page = { order: { column: "uid", descending: false }, limit: 10 } as const;
    for (const share of [1, 50]) {
      const isFound = (row: number) => isBelow(row) && row % share === 0;
      const filter = await filterOf((row) => row % share === 0);
      const all = inOrder.filter(({ row }) => isFound(row));
      const task = new CountedTask();
      const skip = Math.max(all.length - 5, 0);
      const found = await orders.page(filter, { ...page, skip }, task);
      assert.deepEqual(
        found.map(({ key }) => key),
        all.slice(skip).map(({ uid }) => uid),
      );
      const rowsPerStep = share === 1 ? MAX_ROWS_PER_STEP : 256;
      const walked = share === 1 ? ROWS : all.length;
      assert.ok(task.steps >= walked / rowsPerStep, `${task.steps} steps`);
    }
  });

  test("merge changes into an order", async () => {
    const ranks = new Map(byUid.entries().map(([rank, slot]) => [slot, rank]));
    const order = new RowOrder((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
    order.fill(byUid);
    const expected = new Set(byUid);
    for (let row = 0; row < ROWS; row += 97) {
      const slot = slotOf(row);
      // Some are gone; the others move to the end, or to the beginning.
      if (row % 3 === 0) expected.delete(slot);
      else ranks.set(slot, row % 2 === 0 ? ROWS + row : -row);
      order.changed(slot, row % 3 !== 0);
    }
    const task = new CountedTask();
    const sorted = await order.slots(task);
    assert.ok(task.steps >= (2 * ROWS) / MAX_ROWS_PER_STEP, `${task.steps} steps`);
    assert.deepEqual(
      [...sorted],
      [...expected].sort((a, b) => order.compare(a, b)),
    );
  });
});
