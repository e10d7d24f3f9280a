/** The scrub of stored content finds damage and deletes nothing, and pushes repair what it finds. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { Logger } from "../src/observe/logger.ts";
import { Metrics } from "../src/observe/metrics.ts";
import { readScrubState, Scrub } from "../src/registry/serve/scrub.ts";
import { StoredUsage } from "../src/registry/serve/stored-usage.ts";
import { DiskStorage } from "../src/registry/storage/disk-storage.ts";
import { replaceInstallation } from "../src/store/tables/installation.ts";
import { collect } from "./support/registry/collecting.ts";
import { MANIFEST, OciClient, sha256, sha512 } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const UPLOADS = "/v2/acme/app/blobs/uploads/";

onEachStore(
  "the scrub of the registry",
  (world) => {
    let client: OciClient;
    let direct: DirectStore;
    let storage: DiskStorage;
    let folder: string;
    let metrics: Metrics;
    let problems: unknown[][];
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      folder = join(world.server.data, "registry");
      direct = await DirectStore.open(world.server);
      storage = new DiskStorage(folder);
    });
    after(async () => {
      await storage.close();
      await direct.close();
    });
    beforeEach(() => {
      metrics = new Metrics();
      problems = [];
    });

    const scrub = (other: DiskStorage = storage, bytesPerSecond = 1024 ** 3) => {
      const log = {
        info() {},
        error: ({ digest, problem, err }: Record<string, unknown>) =>
          problems.push(err ? [String(err)] : [digest, problem]),
      } as unknown as Logger;
      return new Scrub({ store: direct.store, storage: other, metrics, log, bytesPerSecond });
    };
    /** A whole round, by another process. */
    const round = async (other?: DiskStorage) => {
      const one = scrub(other);
      await one.pass(Date.now() + 2 * WEEK_MS);
      await one.stop();
    };
    const pathOf = (digest: string) => {
      const [algorithm = "", hex = ""] = digest.split(":");
      return join(folder, "blobs", algorithm, hex.slice(0, 2), hex);
    };
    const flip = (digest: string) => {
      const bytes = readFileSync(pathOf(digest));
      bytes[0] = (bytes[0] as number) ^ 1;
      writeFileSync(pathOf(digest), bytes);
    };
    const ask = async (method: string, digest: string, headers = {}) => {
      const answer = await client.send(method, `/v2/acme/app/blobs/${digest}`, { headers });
      return [answer.status, answer.code];
    };
    const another = "its file has another digest";

    test("examines everything once a week, and counts it", async () => {
      await client.blob("acme/app", "good");
      await round();
      assert.deepEqual(problems, []);
      const { body } = await metrics.text();
      assert.match(body, /wharf_registry_scrubbed_blobs_total\{outcome="good"\} [1-9]/);
      assert.match(body, /wharf_registry_scrubbed_bytes_total [1-9]/);
      flip(await client.blob("acme/app", "changes after the round"));
      await scrub().pass();
      assert.deepEqual(problems, []);
      await scrub().pass(Date.now() + WEEK_MS + 1000);
      assert.deepEqual(problems, [[sha256("changes after the round"), another]]);
      await client.blob("acme/app", "changes after the round");
    });

    test("a damaged blob is neither served nor referred to, and a push repairs it", async () => {
      const manifest = await client.manifestOf("acme/app", "flipped");
      const digest = sha256("flipped");
      flip(digest);
      await round();
      assert.deepEqual(problems, [[digest, another]]);
      const { body } = await metrics.text();
      assert.match(body, /wharf_registry_scrubbed_blobs_total\{outcome="damaged"\} 1\b/);
      assert.deepEqual(await ask("GET", digest), [500, "UNKNOWN"]);
      assert.deepEqual(await ask("GET", digest, { range: "bytes=1-2" }), [500, "UNKNOWN"]);
      // Clients that ask before they upload are to upload it.
      assert.deepEqual(await ask("HEAD", digest), [404, undefined]);
      const mount = `/v2/acme/other/blobs/uploads/?mount=${digest}&from=acme/app`;
      assert.equal((await client.send("POST", mount)).status, 202);
      const refused = await client.putManifest("acme/app", "1", manifest, MANIFEST);
      assert.deepEqual([refused.status, refused.code], [404, "MANIFEST_BLOB_UNKNOWN"]);
      assert.ok(existsSync(pathOf(digest)), "nothing is deleted");
      // Damage that stays is reported once.
      await round();
      assert.equal(problems.length, 1);
      await client.blob("acme/app", "flipped");
      assert.deepEqual(await ask("GET", digest), [200, undefined]);
      assert.equal((await client.send("POST", mount)).status, 201);
      assert.equal((await client.putManifest("acme/app", "1", manifest)).status, 201);
    });

    test("content that an operator restores is good again within an hour", async () => {
      const digest = await client.blob("acme/app", "restored");
      const copy = readFileSync(pathOf(digest));
      rmSync(pathOf(digest));
      assert.deepEqual(await ask("GET", digest), [500, "UNKNOWN"]);
      await round();
      assert.deepEqual(problems, [[digest, "its file is missing"]]);
      assert.deepEqual(await ask("HEAD", digest), [404, undefined]);
      writeFileSync(pathOf(digest), copy);
      // No round is due.
      await scrub().pass();
      assert.deepEqual(await ask("GET", digest), [200, undefined]);
    });

    test("a file with another size is not served even before", async () => {
      const digest = await client.blob("acme/app", "truncated");
      truncateSync(pathOf(digest), 4);
      assert.deepEqual(await ask("GET", digest), [500, "UNKNOWN"]);
      await round();
      assert.deepEqual(problems, [[digest, "its file has 4 bytes instead of 9"]]);
      await client.blob("acme/app", "truncated");
    });

    test("content with SHA-512 is examined by it", async () => {
      const digest = sha512("long digest");
      const path = `${UPLOADS}?digest=${digest}`;
      assert.equal((await client.send("POST", path, { body: "long digest" })).status, 201);
      await round();
      assert.deepEqual(problems, []);
      flip(digest);
      await round();
      assert.deepEqual(problems, [[digest, another]]);
      await client.send("POST", path, { body: "long digest" });
    });

    test("a round goes on where a stopped process was", async () => {
      const digests = await Promise.all(
        ["a", "b", "c", "d"].map((one) => client.blob("acme/app", `resumed ${one}`)),
      );
      const [first = "", last = ""] = digests.toSorted();
      for (const one of digests) flip(one);
      const state = JSON.stringify({ last: first, finished: Date.now() });
      await direct.store.write((tx) => replaceInstallation(tx, "registry_scrub", state));
      await scrub().pass();
      const found = problems.map(([digest]) => digest);
      assert.ok(found.includes(last) && !found.includes(first));
      assert.equal(found.length, 3);
      assert.equal((await readScrubState(direct.store.reader)).last, "");
      for (const one of ["a", "b", "c", "d"]) await client.blob("acme/app", `resumed ${one}`);
    });

    test("one process at a time examines, and a stopped one lets the next go on", async () => {
      const slow = scrub(storage, 1);
      const stopped = assert.rejects(slow.pass(Date.now() + 2 * WEEK_MS), { name: "AbortError" });
      const holders = () =>
        direct.store.reader.all("SELECT 1 FROM leases WHERE name = 'registry-scrub'");
      await until(async () => (await holders()).length > 0);
      flip(await client.blob("acme/app", "examined by one"));
      await round();
      assert.deepEqual(problems, []);
      await slow.stop();
      await stopped;
      await round();
      assert.equal(problems.length, 1);
      await client.blob("acme/app", "examined by one");
    });

    test("a push that stores the content again during the examination wins", async () => {
      class Raced extends DiskStorage {
        override async examine(...args: Parameters<DiskStorage["examine"]>) {
          const examined = await super.examine(...args);
          if (args[0].digest === sha256("raced")) await client.blob("acme/app", "raced");
          return examined;
        }
      }
      flip(await client.blob("acme/app", "raced"));
      const raced = new Raced(folder);
      await round(raced);
      await raced.close();
      assert.deepEqual(problems, []);
      assert.deepEqual(await ask("GET", sha256("raced")), [200, undefined]);
    });

    test("another folder, such as one that is not mounted, is no damage", async () => {
      const empty = scratchFolder("wharf-unmounted-");
      const unmounted = new DiskStorage(empty);
      await assert.rejects(round(unmounted), /is not the one that the store is bound to/);
      cpSync(join(folder, "folder-id"), join(empty, "folder-id"));
      class Vanishing extends DiskStorage {
        override async examine(...args: Parameters<DiskStorage["examine"]>) {
          rmSync(join(empty, "folder-id"), { force: true });
          return super.examine(...args);
        }
      }
      const vanishing = new Vanishing(empty);
      await assert.rejects(round(vanishing), /is not the one that the store is bound to/);
      assert.deepEqual(problems, []);
      await Promise.all([unmounted.close(), vanishing.close()]);
    });

    test("a rate of 0 turns it off, and a pass that fails is logged and not the last", async () => {
      class Unreachable extends DiskStorage {
        override async examine(): Promise<never> {
          throw new Error("unreachable");
        }
      }
      const unreachable = new Unreachable(folder);
      await direct.store.write((tx) => replaceInstallation(tx, "registry_scrub", '{"last":"sha"}'));
      const [off, on] = [scrub(unreachable, 0), scrub(unreachable)];
      off.start();
      await off.stop();
      assert.deepEqual(problems, []);
      on.start();
      await until(async () => problems.length > 0);
      await on.stop();
      assert.deepEqual(problems, [["Error: unreachable"]]);
      await unreachable.close();
      await scrub().pass();
    });

    test("what is stored is measured", async () => {
      await client.blob("acme/one", "shared by two");
      await client.blob("acme/two", "shared by two");
      await client.begin("acme/one");
      flip(await client.blob("acme/one", "damaged"));
      await round();
      const usage = new StoredUsage(direct.store, metrics, { error() {} } as unknown as Logger);
      const collected = await collect({ store: direct.store, storage });
      await usage.count();
      const { body } = await metrics.text();
      const figure = (name: string) =>
        Number(new RegExp(`^wharf_registry_${name} (\\S+)$`, "m").exec(body)?.[1]);
      const sum = async (sql: string) =>
        Number((await direct.store.reader.get<{ sum: number }>(sql))?.sum);
      const linked = "SELECT sum(size) AS sum FROM blobs JOIN blob_links USING (digest)";
      assert.equal(figure("stored_bytes"), await sum("SELECT sum(size) AS sum FROM blobs"));
      assert.equal(figure("linked_bytes"), await sum(linked));
      assert.ok(figure("linked_bytes") >= figure("stored_bytes") + 13);
      assert.equal(figure("blobs"), await sum("SELECT count(*) AS sum FROM blobs"));
      assert.equal(figure("uploads_open"), await sum("SELECT count(*) AS sum FROM uploads"));
      assert.equal(figure("damaged_blobs"), 1);
      const { began, finished } = collected;
      assert.equal(figure("collection_last_success_timestamp_seconds"), finished / 1000);
      assert.equal(figure("collection_last_duration_seconds"), (finished - began) / 1000);
      assert.equal(figure("scrub_progress_ratio"), 0);
      assert.ok(figure("scrub_last_success_timestamp_seconds") > Date.now() / 1000 - 600);
      await usage.stop();
    });

    test("a round examines more blobs than it reads from the store at a time", async () => {
      const names = Array.from({ length: 101 }, (_, at) => `one of many ${at}`);
      const digests: string[] = [];
      // All at once would be refused on a busy machine.
      for (const name of names) digests.push(await client.blob("acme/app", name));
      const last = digests.toSorted().at(-1) as string;
      flip(last);
      await round();
      assert.ok(problems.some(([digest]) => digest === last));
    });
  },
  { registry: true, flags: ["--registry-gc-minutes=0", "--exposure-layers=off"] },
);
