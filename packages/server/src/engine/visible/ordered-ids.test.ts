import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Position } from "../../store/resources/query.ts";
import { comparePositions, indexIn, OrderedIds, type OrderedRow } from "./ordered-ids.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const names = fc.constantFrom("a", "b", "c", "d", "e");
const row = (id: number, key: string): OrderedRow => ({ id, key, mark: id % 7 });

/** Rows to begin with, then changes: rows that leave, and rows that join. */
const sizes = fc.integer({ min: 0, max: 700 });
const change = fc.record({
  leaving: fc.array(fc.nat(2_000), { maxLength: 40 }),
  joining: fc.array(names, { maxLength: 40 }),
});

test("ids stay in order and complete through any changes", () => {
  const property = fc.property(sizes, fc.array(change, { maxLength: 12 }), (size, changes) => {
    let model = Array.from({ length: size }, (_, id) => row(id, "abcde"[id % 5] as string));
    model.sort(comparePositions);
    const ids = new OrderedIds();
    for (const one of model) ids.append(one);
    const keys = () => new Map<number, Position["key"]>(model.map(({ id, key }) => [id, key]));
    let made = size;
    for (const { leaving, joining } of changes) {
      const gone = new Set(leaving.map((at) => model[at % Math.max(model.length, 1)]?.id));
      const all = ids.marked(new Set([0, 1, 2, 3, 4, 5, 6]));
      assert.equal(all.length, model.length);
      const before = keys();
      model = model.filter(({ id }) => !gone.has(id));
      const added = joining.map((key) => row(made++, key));
      model = [...model, ...added].sort(comparePositions);
      const removed = all.filter(({ id }) => gone.has(id));
      ids.correct(removed, added, before);
      assert.equal(ids.size, model.length);
      assert.deepEqual(
        ids.slice(0, model.length).ids,
        model.map(({ id }) => id),
      );
      const from = Math.floor(model.length / 3);
      assert.deepEqual(
        ids.slice(from, 9).marks,
        model.slice(from, from + 9).map(({ mark }) => mark),
      );
    }
    for (const [index, one] of model.entries()) {
      const block = ids.blockAt(one);
      assert.ok(block);
      const found = ids.indexOf(block) + indexIn(block, one, keys(), false);
      assert.equal(found, index);
      assert.equal(ids.indexOf(block) + indexIn(block, one, keys(), true), index + 1);
    }
  });
  fc.assert(property, { seed: SEED, numRuns: 15 });
});

test("rows are found by their marks", () => {
  const ids = new OrderedIds();
  for (let id = 0; id < 1_000; id++) ids.append(row(id, "a"));
  const found = ids.marked(new Set([3])).map(({ id }) => id);
  assert.deepEqual(
    found,
    Array.from({ length: 1_000 }, (_, id) => id).filter((id) => id % 7 === 3),
  );
  assert.deepEqual(ids.marked(new Set([9])), []);
});
