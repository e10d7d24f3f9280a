/** Effects of changes of a registry on the packages of its images: tags, deletions, repeated pushes, upgrades. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { requestWork } from "../src/store/tables/exposure/work/work.ts";
import { MANIFEST } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { ImageWorld, layerOf, spdxOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const SPDX = "application/spdx+json";

onEachStore(
  "images that change",
  (world) => {
    let images: ImageWorld;
    let count = 0;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    const nextName = () => `acme/changes-${count++}`;

    /** A new image with an SBOM of these packages. */
    async function pushed(name: string, tag: string, purls: readonly string[]) {
      const image = await images.push(name, tag, "no file system");
      const sbom = await images.attach(name, image.digest, SPDX, spdxOf(purls, `${name}:${tag}`));
      return { ...image, sbom: sbom.digest };
    }

    async function taggingOf(name: string, digest: string) {
      const { tags, tagged, untagged } = await images.read(name, digest);
      return { tags, isTagged: tagged > 0, isUntagged: untagged > 0 };
    }

    async function countOf(table: string, where: string): Promise<number> {
      const sql = `SELECT count(*) AS count FROM ${table} WHERE ${where}`;
      return Number((await images.rows<{ count: number }>(sql))[0]?.count);
    }

    test("have the number of their tags, and of those of their indexes", async () => {
      const name = nextName();
      const one = await images.push(name, "", "no file system");
      assert.deepEqual(await taggingOf(name, one.digest), {
        ...{ tags: 0, isTagged: false, isUntagged: false },
      });
      const bytes = await images.client.get(`/v2/${name}/manifests/${one.digest}`);
      for (const tag of ["a", "b"]) await images.client.putManifest(name, tag, bytes.bytes);
      assert.equal((await taggingOf(name, one.digest)).tags, 2);
      await images.index(name, "all", [{ mediaType: MANIFEST, ...one }]);
      assert.deepEqual(await taggingOf(name, one.digest), {
        ...{ tags: 3, isTagged: true, isUntagged: false },
      });
      const { tagged } = await images.read(name, one.digest);
      const other = await images.push(name, "a", "another file system");
      assert.equal((await taggingOf(name, one.digest)).tags, 2);
      assert.equal((await taggingOf(name, other.digest)).tags, 1);
      for (const tag of ["b", "all"]) await images.delete(name, tag);
      const after = await images.read(name, one.digest);
      assert.deepEqual([after.tags, after.tagged], [0, tagged]);
      assert.ok(after.untagged >= tagged);
    });

    test("that are deleted leave nothing, and neither do packages of no other image", async () => {
      const name = nextName();
      const shared = "pkg:npm/shared-by-two@1";
      const one = await pushed(name, "one", [shared, "pkg:npm/only-in-one@1"]);
      const two = await pushed(name, "two", [shared, "pkg:npm/only-in-two@1"]);
      const { id } = await images.read(name, one.digest);
      await images.delete(name, one.digest);
      await images.settled();
      assert.equal(await images.find(name, one.digest), undefined);
      assert.equal(await countOf("image_packages", `image = ${id}`), 0);
      assert.equal(await countOf("package_versions", "name = 'only-in-one'"), 0);
      assert.equal(await countOf("package_versions", "name = 'shared-by-two'"), 1);
      assert.equal((await images.read(name, two.digest)).packages, 2);
    });

    test("that are pushed again after their deletion are read again", async () => {
      const name = nextName();
      const one = await images.push(
        name,
        "one",
        layerOf({ "lib/apk/db/installed": "P:a\nV:1\n\n" }),
      );
      const { bytes } = await images.client.get(`/v2/${name}/manifests/${one.digest}`);
      assert.equal((await images.read(name, one.digest)).packages, 1);
      await images.delete(name, one.digest);
      assert.equal((await images.client.putManifest(name, "one", bytes)).status, 201);
      const image = await images.read(name, one.digest);
      assert.deepEqual([image.packages, image.tags], [1, 1]);
    });

    test("lose what their SBOM has said when it is deleted", async () => {
      const name = nextName();
      const image = await pushed(name, "one", ["pkg:npm/in-a-deleted-sbom@1"]);
      assert.equal((await images.read(name, image.digest)).packages, 1);
      await images.delete(name, image.sbom);
      const after = await images.read(name, image.digest);
      assert.deepEqual([after.state, after.packages, after.document], [4, 0, ""]);
      assert.equal(await countOf("package_versions", "name = 'in-a-deleted-sbom'"), 0);
    });

    test("lose what the SBOM of their index has said when the index is deleted", async () => {
      const name = nextName();
      const image = await images.push(name, "one", "no file system");
      const index = await images.index(name, "all", [{ mediaType: MANIFEST, ...image }]);
      await images.attach(name, index.digest, SPDX, spdxOf(["pkg:npm/of-index@1"]));
      assert.equal((await images.read(name, image.digest)).source, 2);
      await images.delete(name, index.digest);
      const after = await images.read(name, image.digest);
      assert.deepEqual([after.source, after.packages, after.tags], [0, 0, 1]);
    });

    test("are read once: a repeated push and a new tag change nothing", async () => {
      const name = nextName();
      const { digest } = await pushed(name, "one", ["pkg:npm/once@1"]);
      const { indexed } = await images.read(name, digest);
      const { bytes } = await images.client.get(`/v2/${name}/manifests/${digest}`);
      await images.client.putManifest(name, "two", bytes);
      const again = await images.read(name, digest);
      assert.deepEqual([again.indexed, again.tags], [indexed, 2]);
      const repo = await images.repo(name);
      const path = `/exposure/v2beta1/repos/${repo}/digests/${digest}:reindex`;
      assert.equal((await world.http.post(path, {})).status, 200);
      assert.ok((await images.read(name, digest)).indexed > indexed);
    });

    test("go with their repo", async () => {
      const name = nextName();
      const image = await pushed(name, "one", ["pkg:npm/of-deleted-repo@1"]);
      await images.index(name, "all", [{ mediaType: MANIFEST, ...image }]);
      await images.read(name, image.digest);
      const repo = await images.repo(name);
      await world.operator().repos.delete(repo);
      await images.settled();
      for (const table of ["exposure_images", "image_indexes"]) {
        assert.equal(await countOf(table, `repo = '${repo}'`), 0, table);
      }
      assert.equal(await countOf("package_versions", "name = 'of-deleted-repo'"), 0);
    });

    test("that were stored before are read after an upgrade", async () => {
      const name = nextName();
      const image = await pushed(name, "one", ["pkg:npm/upgraded@1"]);
      await images.index(name, "all", [{ mediaType: MANIFEST, ...image }]);
      await images.settled();
      // As the step of the schema leaves a store.
      const direct = await DirectStore.open(world.server);
      await direct.store.write(async (tx) => {
        for (const table of [
          ...["exposure_work", "exposure_images", "image_indexes", "image_packages"],
          "package_versions",
        ]) {
          await tx.run(`DELETE FROM ${table}`);
        }
        await requestWork(tx, [{ kind: "backfill", key: "" }]);
      });
      await direct.close();
      const { tags, packages, source } = await images.read(name, image.digest);
      assert.deepEqual([tags, packages, source], [2, 1, 1]);
      assert.equal(await countOf("exposure_work", "kind = 'backfill' AND key = 'second'"), 1);
    });
  },
  { registry: true },
);
