/** The packages of images: from attached and uploaded documents, and from layers. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { ExposureWorld } from "./support/exposure/exposure-world.ts";
import { ImageWorld, layerOf, spdxOf } from "./support/world/image-world.ts";
import { onEachStore, onStore } from "./support/world/world.ts";

const SPDX = "application/spdx+json";

onEachStore(
  "inventories of images",
  (world) => {
    let images: ImageWorld;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    test("an image without SBOM has the packages of its layers", async () => {
      const apk =
        "P:musl\nV:1.2.5-r0\nA:x86_64\nL:MIT\no:musl\n\nP:musl-utils\nV:1.2.5-r0\nA:x86_64\no:musl\n\n";
      const layer = layerOf({
        "etc/os-release": "ID=alpine\nVERSION_ID=3.20.3\n",
        "lib/apk/db/installed": apk,
      });
      const { digest } = await images.push("acme/layers", "1", layer);
      const image = await images.read("acme/layers", digest);
      assert.deepEqual(
        [image.state, image.source, image.platform, image.packages],
        [2, 4, "linux/amd64", 2],
      );
      assert.equal(image.detail.operatingSystem, "alpine 3.20.3");
      assert.deepEqual(await images.packages(image.id), [
        "Alpine Alpine:v3.20 musl 1.2.5-r0",
        "Alpine Alpine:v3.20 musl-utils 1.2.5-r0 < musl 1.2.5-r0",
      ]);
    });

    test("signatures of cosign are no images that wait", async () => {
      const { digest } = await images.push("acme/signed", "1", layerOf({ "etc/hostname": "x" }));
      const signature = await images.manifest("acme/signed", `${digest.replace(":", "-")}.sig`, {
        config: JSON.stringify({ architecture: "", os: "" }),
        layers: [{ mediaType: "application/vnd.dev.cosign.simplesigning.v1+json", content: "{}" }],
      });
      await images.settled();
      assert.equal(await images.find("acme/signed", signature.digest), undefined);
      assert.equal((await images.find("acme/signed", digest))?.state, 3);
      const api = world.operator();
      const repoUid = await images.repo("acme/signed");
      const inventory = api.inventory.getImageInventory({ repoUid, digest: signature.digest });
      assert.equal((await rejected(inventory)).code, 5);
    });

    test("an SBOM that is attached as a referrer replaces them", async () => {
      const { digest } = await images.push("acme/referrer", "1", "no layer");
      const before = await images.read("acme/referrer", digest);
      assert.deepEqual([before.state, before.source], [4, 0]);
      const sbom = spdxOf([
        "pkg:npm/left-pad@1.3.0",
        "pkg:apk/alpine/zlib@1.3.1-r1?distro=alpine-3.20",
      ]);
      await images.attach("acme/referrer", digest, SPDX, sbom);
      const image = await images.read("acme/referrer", digest);
      assert.deepEqual([image.state, image.packages, image.detail.format], [2, 2, "SPDX-2.3"]);
      assert.deepEqual(await images.packages(image.id), [
        "Alpine Alpine:v3.20 zlib 1.3.1-r1",
        "npm  left-pad 1.3.0",
      ]);
    });

    test("findings follow from a push and from an advisory, whichever comes first", async (t) => {
      const exposure = await ExposureWorld.open(world);
      t.after(() => exposure.close());
      const name = "acme/affected";
      const first = await images.push(name, "1", "no file system");
      await images.attach(name, first.digest, SPDX, spdxOf(["pkg:npm/affected@1.0.0"]));
      await images.read(name, first.digest);
      assert.deepEqual(await exposure.current(first.digest), []);
      await exposure.importOsv(world.registry.organization, {
        schema_version: "1.7.0",
        id: "GHSA-2222-3333-4444",
        modified: "2026-03-01T00:00:00Z",
        affected: [
          {
            package: { ecosystem: "npm", name: "affected" },
            ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.2.0" }] }],
          },
        ],
      });
      await exposure.drain();
      const finding = "GHSA-2222-3333-4444 pkg:npm/affected@1.0.0 1";
      assert.deepEqual(await exposure.current(first.digest), [finding]);
      const second = await images.push(name, "2", "no file system");
      const sbom = spdxOf(["pkg:npm/affected@1.0.0"], "second");
      const attached = await images.attach(name, second.digest, SPDX, sbom);
      await images.read(name, second.digest);
      assert.deepEqual(await exposure.current(second.digest), [finding]);
      await images.delete(name, attached.digest);
      await images.attach(name, second.digest, SPDX, spdxOf(["pkg:npm/affected@1.2.0"]));
      await images.read(name, second.digest);
      assert.deepEqual(await exposure.current(second.digest), []);
      await exposure.drainAll();
      const events = await images.rows<{ type: string }>(
        "SELECT type FROM events WHERE type LIKE 'exposure.image.%'",
      );
      assert.deepEqual(
        events.map(({ type }) => type),
        ["exposure.image.affected.v1"],
      );
    });

    test("packages of languages have the package of the distribution that owns their files", async () => {
      const { digest } = await images.push("acme/owned", "1", "no file system");
      const sbom = JSON.parse(
        spdxOf(["pkg:apk/alpine/py3-requests@2.32.3-r0", "pkg:pypi/requests@2.32.3"]),
      );
      const comment = "ownership-by-file-overlap: a comment of syft";
      sbom.relationships.push({
        ...{ spdxElementId: "SPDXRef-0", relatedSpdxElement: "SPDXRef-1" },
        ...{ relationshipType: "OTHER", comment },
      });
      await images.attach("acme/owned", digest, SPDX, JSON.stringify(sbom));
      const { id } = await images.read("acme/owned", digest);
      const rows = await images.rows<{ name: string; owner: string }>(
        `SELECT v.name, o.name AS owner FROM image_packages p
         JOIN package_versions v ON v.id = p.version JOIN package_versions o ON o.id = p.owner
         WHERE p.image = ${id}`,
      );
      assert.deepEqual(
        rows.map(({ name, owner }) => [name, owner]),
        [["requests", "py3-requests"]],
      );
    });
  },
  { registry: true },
);

onStore(
  "sqlite",
  "without reading layers",
  (world) => {
    test("an image without SBOM has no packages", async () => {
      const images = await ImageWorld.of(world);
      const layer = layerOf({ "lib/apk/db/installed": "P:musl\nV:1.2.5-r0\n\n" });
      const { digest } = await images.push("acme/off", "1", layer);
      const { state, reason, packages } = await images.read("acme/off", digest);
      assert.deepEqual([state, reason, packages], [3, "no_sbom", 0]);
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);
