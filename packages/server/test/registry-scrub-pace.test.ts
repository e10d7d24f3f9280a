/** The pace of the scrub, and its position over restarts, by a clock that only its own pauses advance. */
import assert from "node:assert/strict";
import { after, before, beforeEach, mock, test } from "node:test";
import type { Logger } from "../src/observe/logger.ts";
import { readScrubState, Scrub } from "../src/registry/serve/scrub.ts";
import type { StoredBlob } from "../src/registry/storage/content-storage.ts";
import { DiskStorage } from "../src/registry/storage/disk-storage.ts";
import { replaceInstallation } from "../src/store/tables/installation.ts";
import { OciClient } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

/** Bytes of a blob of which the scrub reads several pieces. */
const SIZE = 1024 * 1024 + 5;

/** Costs of a blob beside its bytes. */
const BLOB_BYTES = 64 * 1024;

/** The longest read. */
const READ_BYTES = 512 * 1024;

onEachStore(
  "the time of a scrub",
  (world) => {
    let direct: DirectStore;
    let storage: DiskStorage;
    /** All blobs, in the order of the scrub. */
    let digests: readonly string[];
    /** Digests that were examined to the end. */
    let examined: string[];
    let warnings: unknown[];
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      const token = await world.signer.token(pusher);
      const client = new OciClient(world.server.url, `Bearer ${token}`);
      direct = await DirectStore.open(world.server);
      class Counting extends DiskStorage {
        override async examine(blob: StoredBlob, pace: (bytes: number) => Promise<void>) {
          const result = await super.examine(blob, pace);
          examined.push(blob.digest);
          return result;
        }
      }
      storage = new Counting(`${world.server.data}/registry`);
      const pushed: string[] = [];
      for (const byte of [1, 2, 3, 4, 5, 6])
        pushed.push(await client.blob("acme/app", Buffer.alloc(SIZE, byte)));
      digests = pushed.toSorted();
    });
    after(async () => {
      await storage.close();
      await direct.close();
    });
    beforeEach(async () => {
      [examined, warnings] = [[], []];
      await direct.store.write((tx) =>
        replaceInstallation(tx, "registry_scrub", JSON.stringify({ last: "", finished: 0 })),
      );
    });

    const state = () => readScrubState(direct.store.reader);
    const killedAt = (time: number) => (end: number) => {
      if (end > time) throw new Error("killed");
    };
    /** Runs a pass in a process of its own. `pause` gets the end of each pause before it begins. */
    const pass = async (bytesPerSecond: number, pause: (end: number) => void = () => {}) => {
      let [now, bytes] = [0, 0];
      const timing = {
        now: () => now,
        async sleep(ms: number) {
          assert.ok(bytes <= (now * bytesPerSecond) / 1_000 + READ_BYTES, "it keeps to its pace");
          pause(now + ms);
          now += ms;
        },
      };
      const count = (name: string, _labels: object, more = 1) => {
        if (name === "wharf_registry_scrubbed_bytes_total") bytes += more;
      };
      const log = {
        info() {},
        warn: (fields: unknown) => warnings.push(fields),
        error: (fields: unknown) => assert.fail(JSON.stringify(fields)),
      } as unknown as Logger;
      const { store } = direct;
      const one = new Scrub({ store, storage, metrics: { count }, log, bytesPerSecond, timing });
      const problem = await one.pass().catch(({ message }: Error) => message);
      await one.stop();
      return { bytes, took: now, problem };
    };

    test("a round takes the time of its bytes and blobs, and not more", async () => {
      const rate = 1_000_000;
      const { bytes, took } = await pass(rate);
      assert.deepEqual(examined, digests);
      assert.equal(bytes, 6 * SIZE);
      assert.equal(Math.round(took), Math.round((6 * (SIZE + BLOB_BYTES) * 1_000) / rate));
      assert.equal((await pass(rate)).bytes, 0, "no round is due");
    });

    test("a killed round goes on, and the next one begins at the first blob", async () => {
      // A blob in 20 s: its position is kept after each second one, as of 30 s.
      const rate = (SIZE + BLOB_BYTES) / 20;
      await pass(rate, killedAt(70_000));
      assert.deepEqual(examined, digests.slice(0, 3));
      assert.equal((await state()).last, digests[1]);
      await pass(rate);
      assert.deepEqual(examined.slice(3), digests.slice(2));
      const { last, finished } = await state();
      assert.equal(last, "");
      assert.ok(finished > 0);
      examined = [];
      const due = JSON.stringify({ last, finished: 1 });
      await direct.store.write((tx) => replaceInstallation(tx, "registry_scrub", due));
      await pass(rate);
      assert.deepEqual(examined, digests);
    });

    test("blobs that take longer than the server runs are left out, and no others", async () => {
      // A blob in 20 minutes.
      const rate = (SIZE + BLOB_BYTES) / 1_200;
      const hour = 3_600_000;
      await pass(rate, killedAt(1.1 * hour));
      assert.deepEqual(examined, digests.slice(0, 3));
      await pass(rate, killedAt(0.3 * hour));
      assert.deepEqual(examined, digests.slice(0, 3), "the fourth is left out, the fifth too long");
      await pass(rate);
      assert.deepEqual(examined, digests.toSpliced(3, 2));
      const seconds = Math.ceil(SIZE / rate);
      assert.deepEqual(
        warnings,
        [3, 4].map((at) => ({ digest: digests[at], seconds })),
      );
      assert.equal((await state()).last, "");
    });

    test("a process that stalls for longer than its lease reads no more", async () => {
      const real = performance.now.bind(performance);
      const { bytes, problem } = await pass((SIZE + BLOB_BYTES) / 20, (end) => {
        if (end > 50_000) mock.method(performance, "now", () => real() + 61_000);
      });
      mock.restoreAll();
      assert.equal(problem, "another process has taken over the scrub");
      assert.ok(bytes < 3 * SIZE);
    });

    test("a round that finished in the future, by a clock that was set back, is not recent", async () => {
      const future = JSON.stringify({ last: "", finished: Date.now() + 30 * 24 * 3_600_000 });
      await direct.store.write((tx) => replaceInstallation(tx, "registry_scrub", future));
      await pass(1_000_000);
      assert.deepEqual(examined, digests);
    });

    test("a short blob is examined again after an interruption", async () => {
      const rate = (SIZE + BLOB_BYTES) / 20;
      for (const _ of [1, 2, 3]) await pass(rate, killedAt(15_000));
      assert.deepEqual(examined, []);
      await pass(rate);
      assert.deepEqual([examined, warnings], [digests, []]);
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);
