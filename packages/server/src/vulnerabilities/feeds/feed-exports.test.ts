import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type ExportLimits, FeedExports } from "./feed-exports.ts";

const LIMITS: ExportLimits = {
  ...{ most: 3, perAddress: 2, waiting: 2, waitMs: 20, longestMs: 60_000 },
};

/** Something that is read in two pieces, and knows when nobody reads it any more. */
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

const REFUSED = { code: "RESOURCE_EXHAUSTED", httpStatus: 503 };

test("files come whole, one after the other", async () => {
  const exports = new FeedExports(LIMITS);
  for (let count = 0; count < 5; count++) {
    assert.equal(await textOf(await exports.make("a", file().make)), "ab");
  }
});

test("only some are made at a time, fewer of them for one address", async () => {
  const exports = new FeedExports(LIMITS);
  const first = await exports.make("a", file().make);
  await exports.make("a", file().make);
  await assert.rejects(exports.make("a", file().make), REFUSED);
  await exports.make("b", file().make);
  await assert.rejects(exports.make("c", file().make), REFUSED);
  const waiting = exports.make("c", file().make);
  assert.equal(await textOf(first), "ab");
  await waiting;
});

test("whoever waits goes when there is room for them, the first before others", async () => {
  const exports = new FeedExports({ ...LIMITS, waitMs: 60_000 });
  const [first, , third] = [
    await exports.make("a", file().make),
    await exports.make("a", file().make),
    await exports.make("b", file().make),
  ];
  const order: string[] = [];
  const wait = async (address: string) => {
    const made = await exports.make(address, file().make);
    order.push(address);
    return made;
  };
  const waiting = [wait("a"), wait("c")];
  await assert.rejects(exports.make("d", file().make), REFUSED, "the line is full");
  await iteratorOf(third).return();
  await turn();
  assert.deepEqual(order, ["c"], "for the other address there is no room yet");
  await iteratorOf(first).return();
  await Promise.all(waiting);
  assert.deepEqual(order, ["c", "a"]);
});

test("what nobody reads, fails or is not there takes no place", async () => {
  const exports = new FeedExports({ ...LIMITS, most: 1 });
  const unread = file();
  await iteratorOf(await exports.make("a", unread.make)).return();
  const left = file();
  for await (const _ of ((await exports.make("a", left.make)) as Made).body) break;
  assert.ok(left.state.isOver);
  assert.equal(await exports.make("a", async () => undefined), undefined);
  const failing = exports.make("a", () => Promise.reject(new Error("no store")));
  await assert.rejects(failing, /no store/);
  assert.deepEqual(await exports.make("a", async () => ({ body: "short" })), { body: "short" });
  const pieces = iteratorOf(await exports.make("a", file().make));
  await pieces.return();
  await pieces.return();
  const only = await exports.make("a", file().make);
  await assert.rejects(exports.make("b", file().make), REFUSED, "left twice, it was one place");
  assert.equal(await textOf(only), "ab");
});

test("what is not read in time ends, and is not taken for whole", async () => {
  const exports = new FeedExports({ ...LIMITS, most: 1, longestMs: 5, waitMs: 60_000 });
  const late = file();
  const pieces = iteratorOf(await exports.make("a", late.make));
  assert.deepEqual(await pieces.next(), { done: false, value: "a" });
  await exports.make("b", file().make);
  assert.ok(late.state.isOver);
  await assert.rejects(pieces.next(), { code: "DEADLINE_EXCEEDED" });
});
