/** Collection of garbage: what it deletes, what it keeps, and what others do at the same time. */
import assert from "node:assert/strict";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { DiskStorage } from "../src/registry/storage/disk-storage.ts";
import type { Store } from "../src/store/db/store.ts";
import {
  bytesOf,
  type CollectOptions,
  collect,
  endLeases,
  garbageOf,
  storedBlobs,
} from "./support/registry/collecting.ts";
import { INDEX, OciClient, sha256 } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const HOUR_MS = 3_600_000;
const NAME = "acme/app";

onEachStore(
  "the collection of garbage",
  (world) => {
    let client: OciClient;
    let direct: DirectStore;
    let store: Store;
    let storage: DiskStorage;
    let folder: string;
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      folder = join(world.server.data, "registry");
      direct = await DirectStore.open(world.server);
      ({ store } = direct);
      storage = new DiskStorage(folder);
    });
    after(async () => {
      await storage.close();
      await direct.close();
    });
    /** Nothing of earlier tests is garbage. */
    beforeEach(async () => {
      await endLeases(store);
      await run();
    });

    const run = (options: Partial<CollectOptions> = {}) => collect({ store, storage, ...options });
    const pathOf = (digest: string) => {
      const [algorithm = "", hex = ""] = digest.split(":");
      return join(folder, "blobs", algorithm, hex.slice(0, 2), hex);
    };
    const status = async (method: string, digest: string, name = NAME) =>
      (await client.send(method, `/v2/${name}/blobs/${digest}`)).status;
    const has = async (digest: string) =>
      (await storedBlobs(store)).some((one) => one.digest === digest);
    const mount = async (digest: string, from: string, to: string) =>
      (await client.send("POST", `/v2/${to}/blobs/uploads/?mount=${digest}&from=${from}`)).status;
    /** The store, where others do something between what a collection reads and its first transaction that deletes. */
    const raced = (meanwhile: () => Promise<unknown>) => {
      let isDone = false;
      const write: Store["write"] = async (work) => {
        if (!isDone && work.toString().includes("deleteGarbage")) {
          isDone = true;
          await meanwhile();
        }
        return store.write(work);
      };
      return { reader: store.reader, write } as Store;
    };

    test("deletes what no manifest refers to once its lease has ended, with its file", async () => {
      const image = await client.image(NAME, "kept", "kept");
      const digest = await client.blob(NAME, "garbage");
      const leased = await run({ now: () => Date.now() + 23 * HOUR_MS });
      assert.deepEqual([leased.freedBlobs, leased.leasedBlobs, leased.leasedBytes], [0, 1, 7]);
      assert.ok(leased.leasedUntil > Date.now() + 23 * HOUR_MS);
      const now = Date.now() + 25 * HOUR_MS;
      const garbage = await garbageOf(store, now);
      const before = await storedBlobs(store);
      const { freedBlobs, freedBytes, blobs, bytes, leasedBlobs } = await run({ now: () => now });
      assert.deepEqual([freedBlobs, freedBytes], [1, 7]);
      assert.deepEqual([garbage.length, bytesOf(garbage)], [1, 7]);
      assert.deepEqual([blobs, bytes], [before.length - 1, bytesOf(before) - 7]);
      assert.equal(leasedBlobs, 0);
      assert.ok(!existsSync(pathOf(digest)));
      assert.deepEqual([await status("HEAD", digest), await status("GET", digest)], [404, 404]);
      for (const one of [image.layer, image.config]) assert.equal(await status("GET", one), 200);
    });

    test("a preview deletes nothing and finds the same", async () => {
      await client.blob(NAME, "previewed");
      await client.blob("acme/other", "previewed");
      await endLeases(store);
      const before = await storedBlobs(store);
      const preview = await run({ kind: "preview" });
      assert.deepEqual(await storedBlobs(store), before);
      const links = "SELECT sum(size) AS sum FROM blobs JOIN blob_links USING (digest)";
      const linked = Number((await store.reader.get<{ sum: number }>(links))?.sum);
      assert.deepEqual([preview.bytes, preview.linkedBytes], [bytesOf(before), linked]);
      const { freedBlobs, freedBytes } = await run();
      assert.deepEqual([preview.freedBlobs, preview.freedBytes], [freedBlobs, freedBytes]);
      assert.deepEqual([freedBlobs, freedBytes], [1, 9]);
    });

    test("a blob that another repo needs loses only its link", async () => {
      const image = await client.image("acme/needs", "1", "shared");
      assert.equal(await mount(image.layer, "acme/needs", NAME), 201);
      await endLeases(store);
      assert.equal((await run()).freedBlobs, 0);
      assert.equal(await status("HEAD", image.layer), 404);
      assert.equal(await status("GET", image.layer, "acme/needs"), 200);
    });

    test("deleted manifests and repos leave garbage; leases of deleted repos do not count", async () => {
      const one = await client.image("acme/one", "1", "of a manifest");
      const two = await client.image("acme/two", "1", "of a repo");
      await client.send("DELETE", `/v2/acme/one/manifests/${one.digest}`);
      const api = world.operator();
      const { repos } = await api.repos.list({ name: "two" });
      await api.repos.delete(repos[0].uid);
      const first = await run();
      assert.deepEqual([await has(one.layer), await has(two.layer)], [true, false]);
      assert.deepEqual([first.freedBlobs, first.leasedBlobs], [2, 2]);
      await endLeases(store);
      await run();
      assert.equal(await has(one.layer), false);
      await store.write((tx) =>
        tx.run("INSERT INTO blobs (digest, size, created) VALUES ('sha256:ff', 3, 0)"),
      );
      await store.write((tx) =>
        tx.run(
          "INSERT INTO blob_links (repo, digest, leased) VALUES ('gone', 'sha256:ff', ?)",
          Date.now() * 2,
        ),
      );
      assert.equal((await run()).freedBytes, 3);
      assert.deepEqual(await store.reader.all("SELECT * FROM blob_links WHERE repo = 'gone'"), []);
    });

    test("what manifests refer to in other ways stays", async () => {
      const name = "acme/unusual";
      const image = await client.manifestOf(name, "usual");
      const foreign = await client.blob(name, "pushed although it is foreign");
      const mediaType = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip";
      const layers = [...image.layers, { mediaType, digest: foreign, size: 29 }];
      const put = await client.putManifest(name, "windows", { ...image, layers });
      assert.equal(put.status, 201);
      const old = await client.blob(name, "of a manifest of schema 1");
      const type = "application/vnd.docker.distribution.manifest.v1+json";
      const schema1 = { schemaVersion: 1, fsLayers: [{ blobSum: old }], history: [] };
      assert.equal((await client.putManifest(name, "old", schema1, type)).status, 201);
      const missing = { ...schema1, fsLayers: [{ blobSum: sha256("never pushed") }] };
      const refused = await client.putManifest(name, "older", missing, type);
      assert.deepEqual([refused.status, refused.code], [404, "MANIFEST_BLOB_UNKNOWN"]);
      const child = { mediaType: image.mediaType, digest: "", size: 0 };
      const pushed = await client.image(name, "child", "of an index");
      const manifests = [{ ...child, digest: pushed.digest, size: pushed.bytes.length }];
      const index = { schemaVersion: 2, mediaType: INDEX, manifests };
      assert.equal((await client.putManifest(name, "index", index, INDEX)).status, 201);
      await endLeases(store);
      assert.equal((await run()).freedBlobs, 0);
      for (const digest of [foreign, old, pushed.layer])
        assert.equal(await status("GET", digest, name), 200);
    });

    test("a manifest that is pushed meanwhile keeps its blobs", async () => {
      const manifest = await client.manifestOf(NAME, "pushed meanwhile");
      await endLeases(store);
      const put = async () =>
        assert.equal((await client.putManifest(NAME, "meanwhile", manifest)).status, 201);
      assert.equal((await run({ store: raced(put) })).freedBlobs, 0);
      for (const { digest } of [...manifest.layers, manifest.config])
        assert.equal(await status("GET", digest), 200);
    });

    test("a HEAD, a mount or an upload meanwhile keeps a blob", async () => {
      const answers: Record<string, () => Promise<unknown>> = {
        "a HEAD": async () => assert.equal(await status("HEAD", sha256("a HEAD")), 200),
        "a mount": async () =>
          assert.equal(await mount(sha256("a mount"), NAME, "acme/mounted"), 201),
        "an upload": () => client.blob(NAME, "an upload"),
      };
      for (const [content, meanwhile] of Object.entries(answers)) {
        const digest = await client.blob(NAME, content);
        await endLeases(store);
        const { freedBlobs } = await run({ store: raced(meanwhile) });
        assert.deepEqual([content, freedBlobs, await has(digest)], [content, 0, true]);
        const name = content === "a mount" ? "acme/mounted" : NAME;
        const got = await client.get(`/v2/${name}/blobs/${digest}`);
        assert.equal(got.bytes.toString(), content);
        await endLeases(store);
        await run();
        assert.equal(await has(digest), false);
      }
    });

    test("what comes too late fails, and can be repeated", async () => {
      const manifest = await client.manifestOf(NAME, "too late");
      await endLeases(store);
      await run();
      const late = await client.putManifest(NAME, "late", manifest);
      assert.deepEqual([late.status, late.code], [404, "MANIFEST_BLOB_UNKNOWN"]);
      assert.equal(await status("HEAD", sha256("too late")), 404);
      assert.equal(await mount(sha256("too late"), NAME, "acme/mounted"), 202);
      await client.manifestOf(NAME, "too late");
      assert.equal((await client.putManifest(NAME, "late", manifest)).status, 201);
      await run();
      assert.equal(await status("GET", sha256("too late")), 200);
    });

    test("content that is pushed again before its old file is removed stays", async () => {
      const again = async (digest: string, content: string) => {
        assert.equal(await client.blob(NAME, content), digest);
        assert.ok(existsSync(pathOf(digest)));
      };
      /** Pushes the content at a moment of the removal, and looks at the end whether it is there. */
      const pushedAt = async (moment: "before" | "after it was moved") => {
        const content = `pushed ${moment}`;
        const digest = await client.blob(NAME, content);
        const old = Date.now() / 1000 - 7200;
        utimesSync(pathOf(digest), old, old);
        await endLeases(store);
        let isPushed = false;
        class Raced extends DiskStorage {
          override async removeBlobs(
            ...[digests, age, rows]: Parameters<DiskStorage["removeBlobs"]>
          ) {
            if (moment === "before") await again(digest, content);
            await super.removeBlobs(digests, age, {
              ...rows,
              blobs: async (asked) => {
                if (!isPushed && moment !== "before") await again(digest, content);
                isPushed = true;
                return rows.blobs(asked);
              },
            });
          }
        }
        const other = new Raced(folder);
        const { freedBlobs } = await run({ storage: other, settleMs: HOUR_MS });
        await other.close();
        assert.ok(freedBlobs > 0);
        const { bytes } = await client.get(`/v2/${NAME}/blobs/${digest}`);
        assert.equal(bytes.toString(), content);
      };
      await pushedAt("before");
      await pushedAt("after it was moved");
    });

    test("files that were stored just now are left to the hourly clean-up", async () => {
      const digest = await client.blob(NAME, "young");
      await endLeases(store);
      assert.equal((await run({ settleMs: HOUR_MS })).freedBlobs, 1);
      assert.ok(existsSync(pathOf(digest)));
    });

    test("an interrupted pass is continued, and counts everything once", async () => {
      const contents = Array.from({ length: 150 }, (_, at) => `interrupted ${at}`);
      for (const content of contents) await client.blob(NAME, content);
      await endLeases(store);
      const expected = bytesOf(await garbageOf(store, Date.now()));
      const before = (await storedBlobs(store)).length;
      const killed = () => {
        throw new Error("killed");
      };
      await assert.rejects(run({ deleted: killed }), /killed/);
      const left = (await storedBlobs(store)).length;
      assert.ok(left < before && left > before - 150);
      const { freedBlobs, freedBytes, blobs } = await run();
      assert.deepEqual([freedBlobs, freedBytes, blobs], [150, expected, before - 150]);
    });

    test("another replica that has the lease ends the pass, and nothing is deleted by both", async () => {
      const digest = await client.blob(NAME, "of another replica");
      await endLeases(store);
      const steal = () =>
        store.write((tx) => tx.run("UPDATE registry_passes SET holder = 'another'"));
      await assert.rejects(run({ store: raced(steal) }), { code: "ABORTED" });
      assert.ok(await has(digest));
      await store.write((tx) => tx.run("UPDATE registry_passes SET expires = 0"));
    });
  },
  { registry: true, flags: ["--registry-gc-minutes=0", "--exposure-layers=off"] },
);
