import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Heap } from "./heap.ts";

const SEED = 77_031;

test("removing the least again and again sorts", () => {
  const property = fc.property(fc.array(fc.integer()), (numbers) => {
    const heap = new Heap(numbers, (a, b) => a - b);
    const sorted: number[] = [];
    for (let least = heap.least; least !== undefined; least = heap.least) {
      sorted.push(least);
      heap.removeLeast();
    }
    assert.deepEqual(
      sorted,
      numbers.toSorted((a, b) => a - b),
    );
  });
  fc.assert(property, { seed: SEED });
});

test("a least item that has grown makes way for the next", () => {
  const property = fc.property(fc.array(fc.array(fc.nat()), { minLength: 1 }), (lists) => {
    const streams = lists
      .filter((list) => list.length > 0)
      .map((list) => ({ at: 0, list: list.toSorted((a, b) => a - b) }));
    const head = ({ at, list }: { at: number; list: number[] }) => list[at] as number;
    const heap = new Heap(streams, (a, b) => head(a) - head(b));
    const merged: number[] = [];
    for (let least = heap.least; least !== undefined; least = heap.least) {
      merged.push(head(least));
      least.at += 1;
      if (least.at === least.list.length) heap.removeLeast();
      else heap.leastGrew();
    }
    assert.deepEqual(
      merged,
      lists.flat().sort((a, b) => a - b),
    );
  });
  fc.assert(property, { seed: SEED });
});
