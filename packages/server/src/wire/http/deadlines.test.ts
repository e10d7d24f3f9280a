import assert from "node:assert/strict";
import { test } from "node:test";
import { Deadlines, Expiring } from "./deadlines.ts";

class Item extends Expiring {
  expired = 0;
  age = 0;
  override expire(): void {
    this.expired += 1;
    this.age = performance.now() - this.started;
  }
}

test("entries expire once; removed entries do not", async () => {
  const deadlines = new Deadlines(40);
  const items = Array.from({ length: 5 }, () => new Item());
  for (const item of items) deadlines.add(item);
  for (const at of [2, 0, 4]) deadlines.delete(items[at] as Item);
  const last = items[3] as Item;
  while (last.expired === 0) await new Promise((resolve) => setTimeout(resolve, 40));
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.deepEqual(
    items.map((item) => item.expired),
    [0, 1, 0, 1, 0],
  );
});

test("later entries expire later", async () => {
  const deadlines = new Deadlines(100);
  const first = new Item();
  deadlines.add(first);
  await new Promise((resolve) => setTimeout(resolve, 80));
  const second = new Item();
  deadlines.add(second);
  while (second.expired === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(first.expired, 1);
  for (const { age } of [first, second]) assert.ok(age >= 100, `one expired after ${age} ms`);
});
