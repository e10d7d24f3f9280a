/** Documents that people upload for images, and the SBOMs that they get back. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertCycloneDx } from "../../advisories/test/cyclonedx-schema.ts";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { MANIFEST, sha256 } from "./support/registry/oci-client.ts";
import { ImageWorld, layerOf, spdxOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const PURLS = ["pkg:npm/left@1.0.0", "pkg:npm/%40scope/right@2.0.0"];

const spdx = (version: string) => spdxOf(PURLS).replace("SPDX-2.3", `SPDX-${version}`);

const cyclonedx = (specVersion: string) =>
  JSON.stringify({
    ...{ bomFormat: "CycloneDX", specVersion, version: 1 },
    components: PURLS.map((purl) => ({ type: "library", name: purl, version: "1", purl })),
  });

const openVex = JSON.stringify({
  "@context": "https://openvex.dev/ns/v0.2.0",
  ...{ "@id": "https://example.com/vex", author: "a supplier", version: 1 },
  timestamp: "2026-03-04T05:06:07Z",
  statements: [
    {
      vulnerability: { name: "CVE-2026-1" },
      products: [{ "@id": PURLS[0] }],
      ...{ status: "not_affected", justification: "vulnerable_code_not_present" },
    },
  ],
});

const statement = (digest: string) =>
  JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://spdx.dev/Document",
    subject: [{ name: "image", digest: { sha256: digest.slice("sha256:".length) } }],
    predicate: JSON.parse(spdxOf(PURLS)),
  });

const envelope = (digest: string) =>
  JSON.stringify({
    payloadType: "application/vnd.in-toto+json",
    payload: Buffer.from(statement(digest)).toString("base64"),
    signatures: [{ sig: "c2lnbmF0dXJl" }],
  });

onEachStore(
  "documents of images by the API",
  (world) => {
    let images: ImageWorld;
    let count = 0;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    async function pushed(layer: Buffer | string = layerOf({ "etc/hostname": "x" })) {
      const name = `acme/uploads-${count++}`;
      const { digest, size } = await images.push(name, "1", layer);
      await images.settled();
      return { name, digest, size, repoUid: await images.repo(name) };
    }

    const base64 = (content: string | Buffer) => Buffer.from(content).toString("base64");

    async function inventoryOf(api: ApiClient, request: object): Promise<Answer> {
      await images.settled();
      return (await api.inventory.getImageInventory(request)).platforms[0];
    }

    world.rule("every format is read, and returned as it is", async (api) => {
      const formats: [format: string, content: string, mediaType: string][] = [
        ...["2.2", "2.3"].map((one): [string, string, string] => [
          ...([`SPDX-${one}`, spdx(one), "application/spdx+json"] as const),
        ]),
        ...["1.2", "1.3", "1.4", "1.5", "1.6", "1.7"].map((one): [string, string, string] => [
          ...([`CycloneDX-${one}`, cyclonedx(one), "application/vnd.cyclonedx+json"] as const),
        ]),
      ];
      const { digest, repoUid } = await pushed();
      formats.push(["SPDX-2.3", statement(digest), "application/json"]);
      formats.push(["SPDX-2.3", envelope(digest), "application/json"]);
      for (const [format, content, mediaType] of formats) {
        for (const sent of [Buffer.from(content), gzipSync(content)]) {
          const request = { repoUid, digest, content: base64(sent) };
          await api.inventory.uploadImageDocument(request);
          const found = await inventoryOf(api, { repoUid, digest });
          assert.deepEqual(
            [found.state, found.source, found.format, found.packages],
            ["INVENTORY_STATE_KNOWN", "INVENTORY_SOURCE_UPLOADED", format, 2],
          );
          assert.deepEqual(
            found.documents.map((one: Answer) => [one.digest, one.kind, one.foundAs, one.used]),
            [[sha256(sent), "sbom", "upload", true]],
          );
          const document = await api.inventory.getSbomDocument({ repoUid, digest });
          assert.deepEqual(
            [Buffer.from(document.content, "base64").toString(), document.mediaType],
            [content, mediaType],
          );
          assert.equal(document.digest, digest);
        }
      }
    });

    world.rule(
      "a VEX document is kept beside the SBOM, and its statements have effect",
      async (api) => {
        const { digest, repoUid } = await pushed();
        await api.inventory.uploadImageDocument({ repoUid, digest, content: base64(spdx("2.3")) });
        await api.inventory.uploadImageDocument({ repoUid, digest, content: base64(openVex) });
        const { documents, packages } = await inventoryOf(api, { repoUid, digest });
        assert.equal(packages, 2);
        assert.deepEqual(documents.map((one: Answer) => [one.kind, one.used]).sort(), [
          ["sbom", true],
          ["vex", true],
        ]);
        const rows = await images.rows(
          `SELECT s.statement FROM image_statements s JOIN exposure_images i ON i.id = s.image
         WHERE i.digest = '${digest}'`,
        );
        assert.equal(rows.length, 1);
      },
    );

    world.rule("a document of an index is that of its images", async (api) => {
      const { name, digest, size, repoUid } = await pushed();
      const index = await images.index(name, "index", [{ mediaType: MANIFEST, digest, size }]);
      await images.settled();
      const request = { repoUid, digest: index.digest };
      await api.inventory.uploadImageDocument({ ...request, content: base64(spdx("2.3")) });
      assert.equal((await inventoryOf(api, request)).packages, 2);
      assert.equal((await api.inventory.getSbomDocument(request)).digest, digest);
      const other = await rejected(
        api.inventory.getSbomDocument({ ...request, platform: "linux/s390x" }),
      );
      assert.equal(other.code, 5);
    });

    world.rule("what is refused has a reason, and changes nothing", async (api) => {
      const { name, digest, repoUid } = await pushed();
      await api.inventory.uploadImageDocument({ repoUid, digest, content: base64(spdx("2.3")) });
      await images.settled();
      const found = await images.find(name, digest);
      const refusals: [reason: string, content: string | Buffer][] = [
        ["not_json", "{ no JSON"],
        ["not_json", ""],
        ["xml", "<bom/>"],
        ["tag_value", "SPDXVersion: SPDX-2.3\n"],
        [
          "spdx3",
          JSON.stringify({
            "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld",
            "@graph": [],
          }),
        ],
        ["unknown_format", "{}"],
        ["unsupported_version", cyclonedx("2.0")],
        ["wrong_subject", statement(sha256("another image"))],
        ["wrong_subject", envelope(sha256("another image"))],
        ["malformed", gzipSync(spdx("2.3")).subarray(0, 60)],
        ["too_large", gzipSync(Buffer.alloc(65 * 1024 * 1024, " "))],
      ];
      for (const [reason, content] of refusals) {
        const request = { repoUid, digest, content: base64(content) };
        const refused = await rejected(api.inventory.uploadImageDocument(request));
        assert.deepEqual([refused.code, Object.keys(refused.fields)], [3, ["content"]], reason);
        if (content !== "")
          assert.ok(refused.fields.content?.endsWith(`(${reason})`), refused.message);
      }
      await images.settled();
      assert.deepEqual(await images.find(name, digest), found);
    });

    world.rule("a dry run reads the document, and changes nothing", async (api) => {
      const { name, digest, repoUid } = await pushed();
      const before = await images.find(name, digest);
      const request = { repoUid, digest, content: base64(spdx("2.3")), validateOnly: true };
      await api.inventory.uploadImageDocument(request);
      await images.settled();
      assert.deepEqual(await images.find(name, digest), before);
      const stored = await images.rows("SELECT repo FROM image_documents");
      assert.ok(!stored.some((one) => (one as { repo: string }).repo === repoUid));
      const content = base64("{}");
      assert.equal(
        (await rejected(api.inventory.uploadImageDocument({ ...request, content }))).code,
        3,
      );
    });

    world.rule("what is no image has no inventory, and takes no document", async (api) => {
      const { name, digest, repoUid } = await pushed();
      const sbom = await images.attach(name, digest, "application/spdx+json", spdx("2.3"));
      await images.settled();
      for (const other of [sbom.digest, sha256("nothing")]) {
        const request = { repoUid, digest: other };
        const content = base64(spdx("2.3"));
        const errors = await allRejected([
          api.inventory.getImageInventory(request),
          api.inventory.getSbomDocument(request),
          api.inventory.reindexImage(request),
          api.inventory.uploadImageDocument({ ...request, content }),
        ]);
        assert.deepEqual(
          errors.map(({ code }) => code),
          [5, 5, 5, 5],
        );
      }
    });

    world.rule("every state of an inventory has its reason", async (api) => {
      const states: [layer: Buffer | string, state: string, reason: string, packages: number][] = [
        [layerOf({ "lib/apk/db/installed": "P:musl\nV:1-r0\n\n" }), "KNOWN", "", 1],
        [layerOf({ "etc/hostname": "x" }), "NONE", "no_sbom", 0],
        ["no file system", "REFUSED", "truncated", 0],
      ];
      for (const [layer, state, reason, packages] of states) {
        const { digest, repoUid } = await pushed(layer);
        const found = await inventoryOf(api, { repoUid, digest });
        assert.deepEqual(
          [found.state, found.reason, found.packages, found.platform],
          [`INVENTORY_STATE_${state}`, reason, packages, "linux/amd64"],
        );
        assert.equal(found.description !== "", state !== "KNOWN");
        if (state === "KNOWN") continue;
        for (const format of ["", "cyclonedx"]) {
          const missing = await rejected(
            api.inventory.getSbomDocument({ repoUid, digest, format }),
          );
          assert.equal(missing.reason, "PACKAGES_UNKNOWN", "no document without packages");
        }
      }
    });

    world.rule("an image can be read again", async (api) => {
      const { name, digest, repoUid } = await pushed(
        layerOf({ "lib/apk/db/installed": "P:musl\nV:1-r0\n\n" }),
      );
      const before = await images.read(name, digest);
      const [{ id } = { id: 0 }] = await images.rows<{ id: number }>(
        `SELECT id FROM exposure_images WHERE digest = '${digest}'`,
      );
      await api.inventory.reindexImage({ repoUid, digest });
      const after = await images.read(name, digest);
      assert.ok(after.indexed > before.indexed, "it was read again");
      assert.deepEqual([after.id, after.packages], [Number(id), 1]);
    });

    test("made documents are valid CycloneDX", async (context) => {
      const { digest, repoUid } = await pushed(
        layerOf({
          "etc/os-release": "ID=alpine\nVERSION_ID=3.20.3\n",
          "lib/apk/db/installed":
            "P:musl\nV:1-r0\nA:x86_64\nL:MIT AND (GPL-2.0-only OR custom:odd license!)\n\n" +
            "P:libc\nV:2-r0\nL:MIT\no:musl\n\nP:none\nV:3-r0\n\n",
        }),
      );
      const api = world.operator();
      for (const format of ["", "cyclonedx"]) {
        const document = await api.inventory.getSbomDocument({ repoUid, digest, format });
        assert.equal(document.mediaType, "application/vnd.cyclonedx+json");
        const made = JSON.parse(Buffer.from(document.content, "base64").toString());
        assert.equal(made.components.length, 3);
        assertCycloneDx(context, made);
      }
      await api.inventory.uploadImageDocument({ repoUid, digest, content: base64(spdx("2.3")) });
      await images.settled();
      const format = "cyclonedx";
      const document = await api.inventory.getSbomDocument({ repoUid, digest, format });
      const made = JSON.parse(Buffer.from(document.content, "base64").toString());
      assert.deepEqual(made.components.map(({ purl }: Answer) => purl).sort(), [...PURLS].sort());
      assertCycloneDx(context, made);
    });
  },
  { registry: true },
);
