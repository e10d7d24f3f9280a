/** The queue of recomputations: one organization's images do not hold up those of others. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ConcurrentReads } from "../src/exposure/work/concurrent-reads.ts";
import { ExposureWorker, type Handlers } from "../src/exposure/work/worker.ts";
import { openLog } from "../src/observe/logger.ts";
import { Metrics } from "../src/observe/metrics.ts";
import type { Store } from "../src/store/db/store.ts";
import {
  dueWork,
  finishAll,
  finishWork,
  nextWork,
  requestWork,
  type Work,
} from "../src/store/tables/exposure/work/work.ts";
import { digest } from "./support/registry/oci-image.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

/** Later than the server's own worker looks. */
const LATER = Date.now() + 3_600_000;

onEachStore("reading of images", (world) => {
  let direct: DirectStore;
  before(async () => {
    direct = await DirectStore.open(world.server);
  });
  after(() => direct.close());

  const repoOf = (number: number) => `${String(number).repeat(40)}/${String(number).repeat(16)}`;
  const keyOf = (owner: number, image: number) => `${repoOf(owner)} ${digest(image)}`;

  test("is shared between organizations, and written in the order in which it ends", async () => {
    const keys = [keyOf(1, 1), keyOf(1, 2), keyOf(1, 3), keyOf(1, 4), keyOf(2, 1)];
    const requests = keys.map((key) => ({ kind: "image", key, due: LATER }) as const);
    await direct.store.write((tx) => requestWork(tx, requests));
    const ends = new Map<string, () => void>();
    const { signal } = new AbortController();
    let count = 0;
    const reads = new ConcurrentReads(
      (work) =>
        new Promise((resolve) => {
          ends.set(work.key, () => resolve(() => direct.store.write((tx) => finishWork(tx, work))));
        }),
      signal,
      () => count++,
    );
    const startAll = async () => {
      while (!reads.isFull) {
        const except = { keys: reads.keys, owners: reads.busyOwners };
        const work = await nextWork(direct.store.reader, LATER, ["image"], except);
        if (work === undefined) return;
        reads.start(work);
      }
    };
    await startAll();
    assert.deepEqual([...ends.keys()], [keyOf(1, 1), keyOf(1, 2), keyOf(2, 1)]);
    ends.get(keyOf(2, 1))?.();
    ends.get(keyOf(1, 2))?.();
    while (count < 2) await new Promise((resolve) => setImmediate(resolve));
    // What was read and is not written yet is not read again.
    await startAll();
    assert.deepEqual([...ends.keys()].slice(3), [keyOf(1, 3)]);
    const finished = reads.take();
    assert.deepEqual(
      finished.map(({ work }) => work.key),
      [keyOf(2, 1), keyOf(1, 2)],
    );
    for (const { write } of finished) await write();
    for (const key of [keyOf(1, 1), keyOf(1, 3)]) ends.get(key)?.();
    await reads.settled();
    await startAll();
    ends.get(keyOf(1, 4))?.();
    await reads.settled();
    for (const { write } of reads.take()) await write();
    assert.equal(
      await nextWork(direct.store.reader, LATER, ["image"], { keys: [], owners: [] }),
      undefined,
    );
  });

  test("that fails rejects when it would be written", async () => {
    const failing = new ConcurrentReads(
      async () => {
        throw new Error("it failed");
      },
      new AbortController().signal,
      () => {},
    );
    failing.start({
      kind: "image",
      key: keyOf(3, 1),
      due: 0,
      sequence: 1,
      attempts: 0,
      cursor: "",
    });
    await failing.settled();
    const [finished] = failing.take();
    await assert.rejects(async () => finished?.write(), /it failed/);
  });
});

describe("a worker", () => {
  /** The items that it does one by one, until none is left. */
  async function doneBy(finishNeedless: (store: Store) => Handlers["finishNeedless"]) {
    const database = await NewDatabase.of("sqlite");
    const store = await database.store();
    const { log } = openLog("silent", { write() {}, flushSync() {} });
    const requests = ["a", "b", "c"].map((key) => ({ kind: "tags", key }) as const);
    await store.write((tx) => requestWork(tx, requests));
    const done: string[] = [];
    const handlers: Handlers = {
      readImage: () => Promise.reject(new Error("there are no images")),
      finishNeedless: finishNeedless(store),
      handlers: {
        tags: async (work) => {
          done.push(work.key);
          await store.write((tx) => finishWork(tx, work));
        },
      },
    };
    const deps = { store, log, metrics: new Metrics() };
    const worker = new ExposureWorker(deps, handlers, { leaseMs: 60_000 });
    worker.start();
    await until(async () => (await dueWork(store.reader, LATER, ["tags"], 1)).length === 0);
    await worker.stop();
    await database.close();
    return done;
  }

  test("does the work that is not needless", async () => {
    const done = await doneBy((store) => async (batch) => {
      const [first, ...rest] = batch as [Work, ...Work[]];
      if (first.key !== "a") return batch;
      await store.write((tx) => finishAll(tx, [first]));
      return rest;
    });
    assert.deepEqual(done, ["b", "c"]);
  });

  test("does all of it if it cannot tell what is needless", async () => {
    const done = await doneBy(() => () => Promise.reject(new Error("it cannot tell")));
    assert.deepEqual(done, ["a", "b", "c"]);
  });
});
