import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { type ExportLimits, FeedExports } from "./exports.ts";

const LIMITS: ExportLimits = {
  ...{ concurrency: 3, concurrencyPerAddress: 2, maxWaiting: 2 },
  ...{ waitTimeoutMs: 20, readTimeoutMs: 60_000 },
};

/** A body of two chunks that records when it is closed. */
function file() {
  const state = { isOver: false };
  async function* pieces() {
    try {
      yield "a";
      yield "b";
    } finally {
      state.isOver = true;
    }
  }
  return { state, make: async () => ({ body: pieces() as AsyncIterable<string | Uint8Array> }) };
}

type Made = { body: AsyncIterable<string | Uint8Array> };

const iteratorOf = (made: Made | undefined) =>
  (made as Made).body[Symbol.asyncIterator]() as AsyncIterator<string | Uint8Array> & {
    return(): Promise<unknown>;
  };

async function textOf(made: Made | undefined): Promise<string> {
  let text = "";
  for await (const piece of (made as Made).body) text += piece;
  return text;
}

const REJECTED = { code: "RESOURCE_EXHAUSTED", httpStatus: 503 };

test("sequential files are complete", async () => {
  const exports = new FeedExports(LIMITS);
  for (let count = 0; count < 5; count++) {
    assert.equal(await textOf(await exports.create("a", file().make)), "ab");
  }
});

test("concurrency is limited in total and per address", async () => {
  const exports = new FeedExports(LIMITS);
  const first = await exports.create("a", file().make);
  await exports.create("a", file().make);
  await assert.rejects(exports.create("a", file().make), REJECTED);
  await exports.create("b", file().make);
  await assert.rejects(exports.create("c", file().make), REJECTED);
  const waiting = exports.create("c", file().make);
  assert.equal(await textOf(first), "ab");
  await waiting;
});

test("waiting requests start in order as the limits permit", async () => {
  const exports = new FeedExports({ ...LIMITS, waitTimeoutMs: 60_000 });
  const [first, , third] = [
    await exports.create("a", file().make),
    await exports.create("a", file().make),
    await exports.create("b", file().make),
  ];
  const order: string[] = [];
  const wait = async (address: string) => {
    const made = await exports.create(address, file().make);
    order.push(address);
    return made;
  };
  const waiting = [wait("a"), wait("c")];
  await assert.rejects(exports.create("d", file().make), REJECTED, "the queue is full");
  await iteratorOf(third).return();
  await tick();
  assert.deepEqual(order, ["c"], "the other address is still at its limit");
  await iteratorOf(first).return();
  await Promise.all(waiting);
  assert.deepEqual(order, ["c", "a"]);
});

test("files that are not read, fail or do not exist do not count", async () => {
  const exports = new FeedExports({ ...LIMITS, concurrency: 1 });
  const unread = file();
  await iteratorOf(await exports.create("a", unread.make)).return();
  const left = file();
  for await (const _ of ((await exports.create("a", left.make)) as Made).body) break;
  assert.ok(left.state.isOver);
  assert.equal(await exports.create("a", async () => undefined), undefined);
  const failing = exports.create("a", () => Promise.reject(new Error("no store")));
  await assert.rejects(failing, /no store/);
  assert.deepEqual(await exports.create("a", async () => ({ body: "short" })), { body: "short" });
  const pieces = iteratorOf(await exports.create("a", file().make));
  await pieces.return();
  await pieces.return();
  const only = await exports.create("a", file().make);
  await assert.rejects(exports.create("b", file().make), REJECTED, "closed twice, it counted once");
  assert.equal(await textOf(only), "ab");
});

test("a file that is not read in time ends with an error", async () => {
  const exports = new FeedExports({
    ...LIMITS,
    concurrency: 1,
    readTimeoutMs: 5,
    waitTimeoutMs: 60_000,
  });
  const late = file();
  const pieces = iteratorOf(await exports.create("a", late.make));
  assert.deepEqual(await pieces.next(), { done: false, value: "a" });
  await exports.create("b", file().make);
  assert.ok(late.state.isOver);
  await assert.rejects(pieces.next(), { code: "DEADLINE_EXCEEDED" });
});
