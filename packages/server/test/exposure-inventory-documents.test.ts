/** Documents about images: every place that registries and tools have for them, and which of several counts. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MANIFEST, sha256 } from "./support/registry/oci-client.ts";
import { ImageWorld, layerOf, type ReadImage, spdxOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const SPDX = "application/spdx+json";
const DSSE = "application/vnd.dsse.envelope.v1+json";
const IN_TOTO = "application/vnd.in-toto+json";
const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const OPENVEX = "application/vnd.openvex+json";
const SPDX_TYPE = "https://spdx.dev/Document";
const CYCLONEDX_TYPE = "https://cyclonedx.org/bom";

const statementOf = (predicateType: string, predicate: unknown, digest: string) => ({
  _type: "https://in-toto.io/Statement/v0.1",
  predicateType,
  subject: [{ name: "acme/app", digest: { sha256: digest.slice("sha256:".length) } }],
  predicate,
});

const envelopeOf = (statement: object) => ({
  payloadType: IN_TOTO,
  payload: Buffer.from(JSON.stringify(statement)).toString("base64"),
  signatures: [{ sig: "c2lnbmF0dXJl" }],
});

const cycloneOf = (purls: readonly string[]) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  components: purls.map((purl) => ({ type: "library", name: purl, purl })),
});

const vexOf = (product: string, vulnerability: string) =>
  JSON.stringify({
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": `https://example.com/${vulnerability}`,
    author: "a supplier",
    timestamp: "2026-03-04T05:06:07Z",
    version: 1,
    statements: [
      {
        vulnerability: { name: vulnerability },
        products: [{ "@id": product }],
        status: "not_affected",
        justification: "vulnerable_code_not_present",
      },
    ],
  });

const tagOf = (digest: string) => digest.replace(":", "-");

onEachStore(
  "documents about images",
  (world) => {
    let images: ImageWorld;
    let count = 0;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    /** A new image in a repository of its own, which was read without documents. */
    async function pushed(): Promise<{ name: string; digest: string; size: number }> {
      const name = `acme/documents-${count++}`;
      const image = await images.push(name, "1", "no file system");
      assert.equal((await images.read(name, image.digest)).document, "");
      return { name, ...image };
    }

    async function mustHave(
      name: string,
      digest: string,
      expected: Partial<Pick<ReadImage, "source" | "packages" | "state">>,
    ): Promise<ReadImage> {
      const image = await images.read(name, digest);
      const { source, packages, state } = image;
      assert.deepEqual({ source, packages, state }, { source, packages, state, ...expected });
      return image;
    }

    test("are referrers, whatever media type tools write", async () => {
      for (const [type, content] of [
        [SPDX, spdxOf(["pkg:npm/a@1"])],
        ["text/spdx+json", spdxOf(["pkg:npm/b@1"])],
        ["application/vnd.cyclonedx+json", JSON.stringify(cycloneOf(["pkg:npm/c@1"]))],
      ] as const) {
        const { name, digest } = await pushed();
        await images.attach(name, digest, type, content);
        const { document, detail } = await mustHave(name, digest, { source: 1, packages: 1 });
        assert.equal(document, sha256(content));
        assert.deepEqual(
          detail.documents.map(({ foundAs, level, used }) => [foundAs, level, used]),
          [["referrer", "image", true]],
        );
      }
    });

    test("are listed by the tag that stands for referrers", async () => {
      const { name, digest } = await pushed();
      const layers = [{ mediaType: SPDX, content: spdxOf(["pkg:npm/fallback@1"]) }];
      const attached = await images.manifest(name, "", { artifactType: SPDX, layers });
      await images.index(name, tagOf(digest), [{ mediaType: MANIFEST, ...attached }]);
      await mustHave(name, digest, { source: 1, packages: 1 });
    });

    test("are attestations and SBOMs at the tags of cosign", async () => {
      const attested = await pushed();
      const wrapped = { Data: JSON.parse(spdxOf(["pkg:npm/attested@1"])) };
      const envelope = envelopeOf(statementOf(SPDX_TYPE, wrapped, attested.digest));
      await images.manifest(attested.name, `${tagOf(attested.digest)}.att`, {
        config: '{"architecture":"","os":""}',
        layers: [
          {
            mediaType: DSSE,
            content: JSON.stringify(envelope),
            annotations: { predicateType: SPDX_TYPE },
          },
        ],
      });
      const image = await mustHave(attested.name, attested.digest, { source: 1, packages: 1 });
      assert.equal(image.detail.documents[0]?.foundAs, "cosign");
      const plain = await pushed();
      await images.manifest(plain.name, `${tagOf(plain.digest)}.sbom`, {
        config: "{}",
        layers: [{ mediaType: "text/spdx+json", content: spdxOf(["pkg:npm/plain@1"]) }],
      });
      await mustHave(plain.name, plain.digest, { source: 1, packages: 1 });
    });

    test("are Sigstore bundles", async () => {
      const { name, digest } = await pushed();
      const statement = statementOf(CYCLONEDX_TYPE, cycloneOf(["pkg:pypi/bundle@1"]), digest);
      const bundle = { mediaType: BUNDLE, dsseEnvelope: envelopeOf(statement) };
      await images.attach(name, digest, BUNDLE, JSON.stringify(bundle));
      const { detail } = await mustHave(name, digest, { source: 1, packages: 1 });
      assert.equal(detail.format, "CycloneDX-1.5");
    });

    test("are attestations of BuildKit beside the images of an index", async () => {
      const name = `acme/documents-${count++}`;
      const platforms = [];
      for (const architecture of ["amd64", "arm64"]) {
        platforms.push(await images.push(name, "", "no file system", { architecture }));
      }
      const entries = [];
      for (const [at, image] of platforms.entries()) {
        const architecture = at === 0 ? "amd64" : "arm64";
        const statement = statementOf(
          SPDX_TYPE,
          JSON.parse(spdxOf(["pkg:npm/shared@1", `pkg:npm/${architecture}@1`])),
          image.digest,
        );
        const provenance = statementOf("https://slsa.dev/provenance/v0.2", {}, image.digest);
        const attestation = await images.manifest(name, "", {
          config: '{"architecture":"unknown","os":"unknown"}',
          layers: [
            [SPDX_TYPE, statement] as const,
            ["https://slsa.dev/provenance/v0.2", provenance] as const,
          ].map(([type, one]) => ({
            mediaType: IN_TOTO,
            content: JSON.stringify(one),
            annotations: { "in-toto.io/predicate-type": type },
          })),
        });
        entries.push(
          { mediaType: MANIFEST, ...image, platform: { os: "linux", architecture } },
          {
            mediaType: MANIFEST,
            ...attestation,
            platform: { os: "unknown", architecture: "unknown" },
            annotations: {
              "vnd.docker.reference.type": "attestation-manifest",
              "vnd.docker.reference.digest": image.digest,
            },
          },
        );
      }
      await images.index(name, "1", entries);
      for (const [at, architecture] of ["amd64", "arm64"].entries()) {
        const { digest } = platforms[at] as { digest: string };
        const image = await mustHave(name, digest, { source: 1, packages: 2 });
        assert.deepEqual([image.platform, image.tags], [`linux/${architecture}`, 1]);
        assert.deepEqual(await images.packages(image.id), [
          `npm  ${architecture} 1`,
          "npm  shared 1",
        ]);
        assert.equal(image.detail.documents.length, 1, "provenance is not read");
      }
      const repo = await images.repo(name);
      const all = await images.rows<{ digest: string }>(
        `SELECT digest FROM exposure_images WHERE repo = '${repo}'`,
      );
      assert.equal(all.length, 2, "neither indexes nor attestations are images");
    });

    test("of an index are those of its images, unless they have their own", async () => {
      const name = `acme/documents-${count++}`;
      const own = await images.push(name, "own", "no file system");
      const other = await images.push(name, "other", "no file system");
      const index = await images.index(
        name,
        "all",
        [own, other].map((one) => ({ mediaType: MANIFEST, ...one })),
      );
      await images.attach(name, index.digest, SPDX, spdxOf(["pkg:npm/a@1", "pkg:npm/b@1"]));
      await images.attach(name, own.digest, SPDX, spdxOf(["pkg:npm/own@1"]));
      await mustHave(name, own.digest, { source: 1, packages: 1 });
      await mustHave(name, other.digest, { source: 2, packages: 2 });
    });

    test("of an index that lists platforms alone do not hide the layers", async () => {
      const name = `acme/documents-${count++}`;
      const layer = layerOf({ "lib/apk/db/installed": "P:musl\nV:1.2.5-r0\nA:x86_64\n\n" });
      const image = await images.push(name, "1", layer);
      const index = await images.index(name, "all", [{ mediaType: MANIFEST, ...image }]);
      await images.attach(name, index.digest, SPDX, spdxOf([]));
      await mustHave(name, image.digest, { source: 4, packages: 1 });
    });

    test("that were uploaded come first", async () => {
      const { name, digest } = await pushed();
      await images.attach(name, digest, SPDX, spdxOf(["pkg:npm/attached@1"]));
      const content = spdxOf(["pkg:npm/uploaded@1", "pkg:npm/other@1"]);
      await upload(name, digest, content);
      const image = await mustHave(name, digest, { source: 3, packages: 2 });
      assert.deepEqual(
        image.detail.documents.map(({ foundAs, used }) => [foundAs, used]),
        [
          ["upload", true],
          ["referrer", false],
        ],
      );
    });

    async function upload(name: string, digest: string, content: string): Promise<void> {
      const path = `/exposure/v2beta1/repos/${await images.repo(name)}/digests/${digest}/documents`;
      const body = { content: Buffer.from(content).toString("base64") };
      const { status, body: answer } = await world.http.post(path, body);
      assert.equal(status, 200, JSON.stringify(answer));
    }

    test("can be read again, as they are", async () => {
      const { name, digest } = await pushed();
      const path = `/exposure/v2beta1/repos/${await images.repo(name)}/digests/${digest}/sbom`;
      const read = async () => {
        await images.settled();
        const { status, body } = await world.http.get(path);
        const content = Buffer.from(body.content ?? "", "base64").toString();
        return [status, body.mediaType, content];
      };
      assert.equal((await read())[0], 400);
      const attached = spdxOf(["pkg:npm/attached@1"]);
      await images.attach(name, digest, SPDX, attached);
      assert.deepEqual(await read(), [200, SPDX, attached]);
      const uploaded = spdxOf(["pkg:npm/uploaded@1"]);
      await upload(name, digest, uploaded);
      assert.deepEqual(await read(), [200, SPDX, uploaded]);
    });

    test("of several SBOMs the most complete one counts", async () => {
      const { name, digest } = await pushed();
      const full = spdxOf(["pkg:npm/a@1", "pkg:npm/b@1", "pkg:npm/c@1"]);
      await images.attach(name, digest, SPDX, full);
      await images.attach(name, digest, SPDX, spdxOf(["pkg:npm/a@1"]));
      const { document } = await mustHave(name, digest, { packages: 3 });
      assert.equal(document, sha256(full));
    });

    test("about another image are refused, and shown", async () => {
      const { name, digest } = await pushed();
      const predicate = JSON.parse(spdxOf(["pkg:npm/other@1"]));
      const envelope = envelopeOf(statementOf(SPDX_TYPE, predicate, sha256("another image")));
      await images.attach(name, digest, DSSE, JSON.stringify(envelope));
      const image = await images.read(name, digest);
      assert.deepEqual([image.state, image.packages, image.source], [4, 0, 0]);
      const [document] = image.detail.documents;
      assert.deepEqual([document?.refusal, document?.used], ["wrong_subject", false]);
    });

    test("that are broken change nothing but what is shown", async () => {
      const { name, digest } = await pushed();
      await images.attach(name, digest, SPDX, "{ no JSON");
      const layer = await images.read(name, digest);
      assert.equal(layer.detail.documents[0]?.refusal, "not_json");
      await images.attach(name, digest, SPDX, spdxOf(["pkg:npm/good@1"]));
      const good = await mustHave(name, digest, { source: 1, packages: 1, state: 2 });
      await images.attach(name, digest, SPDX, '{"spdxVersion":"SPDX-2.3","packages":{}}');
      const after = await mustHave(name, digest, { source: 1, packages: 1, state: 2 });
      assert.equal(after.document, good.document);
      const refusals = after.detail.documents.map(({ refusal }) => refusal).sort();
      assert.equal(refusals.length, 3);
      assert.deepEqual(refusals.slice(0, 1), [""]);
      assert.deepEqual(after.reason, "");
    });

    test("with packages without package URL say how many", async () => {
      const { name, digest } = await pushed();
      const document = JSON.parse(spdxOf(["pkg:deb/debian/zlib1g@1.2.13", "pkg:nonsense"]));
      document.packages.push({ SPDXID: "SPDXRef-none", name: "none", versionInfo: "1" });
      await images.attach(name, digest, SPDX, JSON.stringify(document));
      const image = await mustHave(name, digest, { source: 1 });
      assert.equal(image.withoutPurl, 1);
      assert.deepEqual(image.detail.remarks, [
        "1 components have no package URL",
        "1 package URLs are invalid",
        "the release of the distribution is unknown",
      ]);
    });

    test("with statements are kept, those of the index before those of the image", async () => {
      const { name, digest, size } = await pushed();
      const index = await images.index(name, "all", [{ mediaType: MANIFEST, digest, size }]);
      await images.attach(name, digest, OPENVEX, vexOf("pkg:npm/a@1", "CVE-2026-1"));
      await images.attach(name, index.digest, OPENVEX, vexOf("pkg:npm/a@1", "CVE-2026-2"));
      const image = await images.read(name, digest);
      assert.deepEqual([image.state, image.reason], [4, "truncated"], "a VEX document is no SBOM");
      const rows = await images.rows<{ statement: string }>(
        `SELECT statement FROM image_statements WHERE image = ${image.id} ORDER BY position`,
      );
      const statements = rows.map(({ statement }) => JSON.parse(statement));
      assert.deepEqual(
        statements.map(({ vulnerabilities, level, status }) => [...vulnerabilities, level, status]),
        [
          ["CVE-2026-2", "index", "not_affected"],
          ["CVE-2026-1", "image", "not_affected"],
        ],
      );
    });

    test("that are large are read beside requests", async () => {
      const { name, digest } = await pushed();
      const purls = Array.from({ length: 6_000 }, (_, at) => `pkg:npm/package-${at}@1.0.${at}`);
      const content = spdxOf(purls);
      assert.ok(content.length > 1024 * 1024);
      await images.attach(name, digest, SPDX, content);
      await mustHave(name, digest, { source: 1, packages: 6_000 });
    });

    test("and signatures are no images", async () => {
      const { name, digest } = await pushed();
      const signature = await images.manifest(name, `${tagOf(digest)}.sig`, {
        config: '{"architecture":"","os":""}',
        layers: [{ mediaType: "application/vnd.dev.cosign.simplesigning.v1+json", content: "{}" }],
      });
      await images.settled();
      assert.equal(await images.find(name, signature.digest), undefined);
    });
  },
  { registry: true },
);
