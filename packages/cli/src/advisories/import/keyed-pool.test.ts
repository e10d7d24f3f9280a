import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { processKeyed } from "./keyed-pool.ts";

/** Work that ends on demand. */
class Desk {
  readonly log: string[] = [];
  readonly #ends = new Map<string, { resolve: () => void; reject: (why: Error) => void }>();

  readonly work = (thing: string): Promise<void> => {
    this.log.push(`begin ${thing}`);
    return new Promise<void>((resolve, reject) => {
      this.#ends.set(thing, { resolve, reject });
    }).then(() => void this.log.push(`end ${thing}`));
  };

  async end(thing: string): Promise<void> {
    this.#ends.get(thing)?.resolve();
    await settled();
  }

  async fail(thing: string): Promise<void> {
    this.#ends.get(thing)?.reject(new Error(thing));
    await settled();
  }
}

/** Each beginning takes a turn of the event loop; these are more than anything here needs. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function* each(...things: string[]): AsyncGenerator<string> {
  yield* things;
}

const alone = (thing: string) => [thing];
const never = () => false;

describe("keyed pool", () => {
  test("limits concurrency", async () => {
    const desk = new Desk();
    const done = processKeyed(each("a", "b", "c", "d"), alone, desk.work, never);
    await settled();
    assert.deepEqual(desk.log, ["begin a", "begin b", "begin c"]);
    await desk.end("b");
    assert.deepEqual(desk.log.slice(3), ["end b", "begin d"]);
    for (const thing of ["a", "c", "d"]) await desk.end(thing);
    await done;
  });

  test("runs items of one key sequentially", async () => {
    const desk = new Desk();
    const done = processKeyed(each("a1", "a2", "b1"), ([key = ""]) => [key], desk.work, never);
    await settled();
    assert.deepEqual(desk.log, ["begin a1"]);
    await desk.end("a1");
    assert.deepEqual(desk.log.slice(1), ["end a1", "begin a2", "begin b1"]);
    await desk.end("a2");
    await desk.end("b1");
    await done;
  });

  test("stops at the first failure, after items in progress", async () => {
    const desk = new Desk();
    const done = processKeyed(each("a", "b", "c", "d"), alone, desk.work, never);
    let isOver = false;
    const rejected = assert.rejects(done, { message: "b" }).then(() => {
      isOver = true;
    });
    await settled();
    await desk.fail("b");
    assert.equal(isOver, false);
    await desk.end("a");
    await desk.end("c");
    await rejected;
    assert.ok(!desk.log.includes("begin d"));
  });

  test("stops when aborted, after items in progress", async () => {
    const desk = new Desk();
    let enough = false;
    const done = processKeyed(each("a", "b", "c", "d", "e"), alone, desk.work, () => enough);
    await settled();
    enough = true;
    for (const thing of ["a", "b", "c"]) await desk.end(thing);
    await done;
    assert.deepEqual(desk.log.slice(3), ["end a", "end b", "end c"]);
  });
});
