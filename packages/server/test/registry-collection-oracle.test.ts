/** The collection of garbage deletes exactly what the slow comparison of all rows says. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DiskStorage } from "../src/registry/storage/disk-storage.ts";
import { Random, SEED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { bytesOf, collect, garbageOf, storedBlobs } from "./support/registry/collecting.ts";
import { sha256, sha512 } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

/** More than a page of blobs, and links of one blob that are more than a page of links. */
const BLOBS = 700;
const REPOS = 40;
const LINKS_OF_BASE = 600;

onEachStore(
  "any blobs and links",
  (world) => {
    let direct: DirectStore;
    let storage: DiskStorage;
    const repos: string[] = [];
    before(async () => {
      direct = await DirectStore.open(world.server);
      storage = new DiskStorage(`${world.server.data}/registry`);
      const api = world.operator();
      for (let at = 0; at < REPOS; at++) {
        const created = await api.repos.create(world.registry.organization, { name: `repo-${at}` });
        repos.push(created.uid);
      }
    });
    after(async () => {
      await storage.close();
      await direct.close();
    });

    /** Rows by statements of many: one each would take minutes. */
    const insert = (table: string, columns: string, rows: readonly (string | number)[][]) =>
      direct.store.write(async (tx) => {
        for (let at = 0; at < rows.length; at += 100) {
          const some = rows.slice(at, at + 100);
          const marks = some.map((row) => `(${row.map(() => "?").join(", ")})`).join(", ");
          const sql = `INSERT INTO ${table} (${columns}) VALUES ${marks} ON CONFLICT DO NOTHING`;
          await tx.run(sql, ...some.flat());
        }
      });

    const fill = async (random: Random, now: number) => {
      const digests = Array.from({ length: BLOBS }, (_, at) =>
        at % 10 === 0 ? sha512(`${at}`) : sha256(`${at}`),
      );
      const all = [...repos, "absent-1", "absent-2"];
      const [links, references]: [(string | number)[][], string[][]] = [[], []];
      for (const digest of digests) {
        for (const repo of random.some(all, random.below(4))) {
          links.push([repo, digest, now + random.pick([-1000, -1, 1000])]);
          if (random.below(2) === 0) references.push([repo, `m-${random.below(3)}`, digest]);
        }
        // Of a repo that does not link to it.
        if (random.below(5) === 0) references.push([random.pick(all), "m-other", digest]);
      }
      const [base = ""] = digests;
      for (let at = 0; at < LINKS_OF_BASE; at++) links.push([`absent-${at}`, base, now + 1000]);
      await insert(
        "blobs",
        "digest, size, created",
        digests.map((digest) => [digest, random.below(1e6), 0]),
      );
      await insert("blob_links", "repo, digest, leased", links);
      await insert("manifest_references", "repo, manifest, digest", references);
    };

    test("previews and collections agree with the comparison", async () => {
      const { store } = direct;
      const random = new Random(SEED);
      for (let round = 0; round < runs(3, 30); round++) {
        const now = Date.now();
        await fill(random, now);
        const garbage = await garbageOf(store, now);
        const all = await storedBlobs(store);
        assert.ok(garbage.length > 100 && garbage.length < all.length - 100);
        const preview = await collect({ store, storage, kind: "preview", now: () => now });
        assert.deepEqual([preview.blobs, preview.bytes], [all.length, bytesOf(all)]);
        const { freedBlobs, freedBytes, blobs, bytes, linkedBytes, leasedBlobs } = await collect({
          ...{ store, storage, now: () => now },
        });
        assert.deepEqual([freedBlobs, freedBytes], [garbage.length, bytesOf(garbage)]);
        assert.deepEqual([preview.freedBlobs, preview.freedBytes], [freedBlobs, freedBytes]);
        assert.equal(preview.leasedBlobs, leasedBlobs);
        const gone = new Set(garbage.map(({ digest }) => digest));
        const left = all.filter(({ digest }) => !gone.has(digest));
        assert.deepEqual(await storedBlobs(store), left);
        assert.deepEqual([blobs, bytes], [left.length, bytesOf(left)]);
        const links = "SELECT blobs.digest, size FROM blobs JOIN blob_links USING (digest)";
        assert.equal(linkedBytes, bytesOf(await store.reader.all(links)));
        const again = await collect({ store, storage, now: () => now });
        assert.deepEqual([again.freedBlobs, again.blobs], [0, left.length]);
        await store.write(async (tx) => {
          for (const table of ["blobs", "blob_links", "manifest_references"])
            await tx.run(`DELETE FROM ${table}`);
        });
      }
    });
  },
  { registry: true, flags: ["--registry-gc-minutes=0", "--exposure-layers=off"] },
);
