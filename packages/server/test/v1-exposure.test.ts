/** SBOMs and reports of images under the names of the public contract. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { CODES } from "@wharf/contract/messages";
import { registryV1, vulnerabilitiesV1 } from "@wharf/contract/v1";
import type { ApiClient } from "./support/client/api-client.ts";
import { ApiError } from "./support/client/api-error.ts";
import { storeFindings, writeDirectly } from "./support/exposure/stored-findings.ts";
import { ImageWorld, layerOf, spdxOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const { Registry } = registryV1;
const { Vulnerabilities } = vulnerabilitiesV1;

const DAY = 24 * 3_600_000;
const ZERO = "0001-01-01T00:00:00.000Z";

const SPDX = "application/spdx+json";
const MUSL = "pkg:apk/alpine/musl-utils@1.2.5-r0?arch=x86_64&distro=alpine-3.20&upstream=musl";
const PAD = "pkg:npm/left-pad@1.3.0";

const APK = "P:musl\nV:1.2.5-r0\nA:x86_64\nL:MIT\no:musl\n\n";
const ALPINE = { "etc/os-release": "ID=alpine\nVERSION_ID=3.20.3\n", "lib/apk/db/installed": APK };

function nameOf(code: number): string {
  return Object.entries(CODES).find(([, { number }]) => number === code)?.[0] ?? String(code);
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "OK";
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return nameOf(error.code);
  }
}

onEachStore(
  "the public contract of exposure",
  (world) => {
    let images: ImageWorld;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    /** An image with an attached SBOM. */
    async function withSbom(name: string, purls: readonly string[] = [MUSL, PAD]) {
      const { digest } = await images.push(name, "1", "no layer");
      await images.attach(name, digest, SPDX, spdxOf(purls));
      const image = await images.read(name, digest);
      return { digest, image, repo: await images.repo(name) };
    }

    world.rule("GetSbom has the document and its packages", async (api) => {
      const { digest, repo } = await withSbom(`acme/${world.name("sbom")}`);
      const sbom = await api.call(Registry, "GetSbom", { repoId: repo, digest });
      assert.deepEqual(
        [sbom.source, sbom.format, sbom.tool, sbom.generatedAt],
        ["INGESTED", "SPDX-2.3", "test-1.0", "2026-01-02T03:04:05.000Z"],
      );
      const document = JSON.parse(Buffer.from(sbom.rawSbom, "base64").toString());
      assert.equal(document.spdxVersion, "SPDX-2.3");
      const packages = sbom.graph.nodes.map((node: { package: object }) => node.package);
      assert.deepEqual(
        packages.map(({ purl }: { purl: string }) => purl),
        ["", MUSL, PAD],
      );
      assert.equal(packages[0].id, digest);
      assert.deepEqual(
        sbom.graph.edges.map(({ subjectId, type }: { subjectId: string; type: string }) => [
          subjectId,
          type,
        ]),
        [
          [digest, "CONTAINS"],
          [digest, "CONTAINS"],
        ],
      );
      const { rawSbom } = await api.call(Registry, "GetRawSbom", { repoId: repo, digest });
      assert.deepEqual(JSON.parse(rawSbom), document);
    });

    world.rule("packages of layers are a generated SBOM without a document", async (api) => {
      const name = `acme/${world.name("layers")}`;
      const { digest } = await images.push(name, "1", layerOf(ALPINE));
      await images.read(name, digest);
      const repoId = await images.repo(name);
      const sbom = await api.call(Registry, "GetSbom", { repoId, digest });
      assert.deepEqual(
        [sbom.source, sbom.rawSbom, sbom.description],
        ["GENERATED", "", "alpine 3.20.3"],
      );
      assert.equal(sbom.graph.nodes[1].package.name, "musl");
      const raw = api.call(Registry, "GetRawSbom", { repoId, digest });
      assert.equal(await codeOf(raw), "FAILED_PRECONDITION");
    });

    world.rule(
      "an image whose packages are not known is an error, not an empty answer",
      async (api) => {
        const name = `acme/${world.name("unknown")}`;
        const { digest } = await images.push(name, "1", "no layer");
        await images.read(name, digest);
        const request = { repoId: await images.repo(name), digest };
        for (const method of ["GetSbom", "GetRawSbom", "GetVulnReport"]) {
          assert.equal(await codeOf(api.call(Registry, method, request)), "FAILED_PRECONDITION");
        }
        const absent = { ...request, digest: `sha256:${"0".repeat(64)}` };
        assert.equal(await codeOf(api.call(Registry, "GetSbom", absent)), "NOT_FOUND");
      },
    );

    test("ListManifestMetadata has package URLs of sources, and zero dates", async () => {
      const { digest, repo } = await withSbom(`acme/${world.name("metadata")}`);
      const items = [{ imageDigest: digest }, { imageDigest: `sha256:${"1".repeat(64)}` }];
      const api = world.operator("gRPC");
      const found = await api.call(Registry, "ListManifestMetadata", { repoId: repo, items });
      assert.equal(found.items.length, 1);
      const [pad, musl] = found.items[0].pkgMetadata;
      const dates = { eolDate: ZERO, buildTimestamp: ZERO };
      assert.deepEqual(pad, { purl: PAD, originPurl: "", license: "", ...dates });
      assert.equal(
        musl.originPurl,
        "pkg:apk/alpine/musl@1.2.5-r0?arch=x86_64&distro=alpine-3.20&upstream=musl",
      );
      const path = `/registry/v1/repos/${repo}/manifestmetdata`;
      assert.equal((await world.http.get(path)).status, 200);
      const nameless = api.call(Registry, "ListManifestMetadata", { repoId: repo, items: [{}] });
      assert.equal(await codeOf(nameless), "INVALID_ARGUMENT");
    });

    world.rule("GetManifestDigestCount counts images, not what is attached", async (api) => {
      const { repo } = await withSbom(`acme/${world.name("count")}`);
      const { count } = await api.call(Registry, "GetManifestDigestCount", { parentId: repo });
      assert.equal(Number(count), 1);
    });

    world.rule("GetVulnReport has the open findings", async (api) => {
      const { digest, repo, image } = await withSbom(`acme/${world.name("report")}`);
      await storeFindings(
        world,
        {
          ...{ image: image.id, vulnerability: "CVE-2026-1", severity: 5, purl: "left-pad" },
          detail: {
            names: ["CVE-2026-1", "GHSA-1"],
            records: [[1, "GHSA-1"]],
            fixed: ["1.3.1"],
            score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
          },
        },
        { image: image.id, vulnerability: "CVE-2026-2", severity: 1 },
        { image: image.id, vulnerability: "CVE-2026-3", status: 2 },
        { image: image.id, vulnerability: "CVE-2026-4", resolved: 5 },
      );
      const report = await api.call(Registry, "GetVulnReport", { repoId: repo, digest });
      const [first, second, ...rest] = report.vulnerabilityMatches;
      assert.deepEqual(rest, []);
      assert.partialDeepStrictEqual(first.vulnerability, {
        ...{ id: "GHSA-1", displayId: "CVE-2026-1", severity: "CRITICAL" },
        cvss: [{ score: "9.8", version: "3.1" }],
        relatedVulnerabilities: [{ id: "GHSA-1", source: "ghsa" }],
      });
      assert.deepEqual(first.fix, { versions: ["1.3.1"], state: "FIXED" });
      assert.equal(first.pkg.purl, PAD);
      // The messages of tenants have no negligible severity.
      assert.equal(second.vulnerability.severity, "LOW");
      assert.match(report.scanner.version, /^wharf\//);
      const { items } = await api.call(Vulnerabilities, "ListVulnReports", { digest });
      assert.deepEqual(
        items[0].vulnerabilities.map(({ id, severity }: { id: string; severity: string }) => [
          id,
          severity,
        ]),
        [
          ["CVE-2026-1", "CRITICAL"],
          ["CVE-2026-2", "NEGLIGIBLE"],
        ],
      );
      const inRepo = await api.call(Vulnerabilities, "ListVulnReports", { repoId: repo, tag: "1" });
      assert.deepEqual(
        inRepo.items.map((one: object) => ({ ...one, createdAt: "", scanner: "" })),
        items.map((one: object) => ({ ...one, createdAt: "", scanner: "" })),
      );
      const others = { repoId: repo, tag: "2" };
      assert.deepEqual((await api.call(Vulnerabilities, "ListVulnReports", others)).items, []);
      assert.equal(await codeOf(api.call(Vulnerabilities, "ListVulnReports")), "INVALID_ARGUMENT");
    });

    test("reports have nothing of images that the caller may not see", async () => {
      const path = `acme/${world.name("hidden")}`;
      const { digest, repo, image } = await withSbom(path);
      await storeFindings(world, { image: image.id, vulnerability: "CVE-2026-9" });
      const other = await world.organization();
      const stranger = await world.member({ [other]: "viewer" });
      const weak = await world.member({ [world.registry.organization]: ["repo.list"] });
      for (const { token } of [stranger, weak]) {
        const api = world.operator().as(token);
        const reports = await api.call(Vulnerabilities, "ListVulnReports", { digest });
        assert.deepEqual(reports, { items: [] });
        const counts = await api.call(Vulnerabilities, "ListVulnCountReports", {
          ...{ repo: path, tag: "1" },
        });
        assert.deepEqual(counts, { items: [] });
        const raw = api.call(Vulnerabilities, "GetRawVulnReport", { digest });
        assert.equal(await codeOf(raw), "NOT_FOUND");
        for (const method of ["GetSbom", "GetRawSbom", "GetVulnReport", "ListManifestMetadata"]) {
          const call = api.call(Registry, method, { repoId: repo, digest });
          assert.equal(await codeOf(call), "PERMISSION_DENIED", method);
        }
        const count = api.call(Registry, "GetManifestDigestCount", { parentId: repo });
        assert.equal(await codeOf(count), "PERMISSION_DENIED");
      }
      const anonymous: ApiClient = world.operator().as("");
      const refused = anonymous.call(Vulnerabilities, "ListVulnReports", { digest });
      assert.equal(await codeOf(refused), "UNAUTHENTICATED");
    });

    world.rule("counts of a day are those of the image that the tag had", async (api) => {
      const name = world.name("days");
      const path = `acme/${name}`;
      const old = await withSbom(path);
      const { digest } = await images.push(path, "1", "another layer");
      await images.attach(path, digest, SPDX, spdxOf([PAD]));
      const current = await images.read(path, digest);
      const now = Date.now();
      const today = now - (now % DAY);
      await writeDirectly(world, async (tx) => {
        const move = "UPDATE tag_history SET time = ? WHERE repo = ? AND digest = ?";
        await tx.run(move, today - 3 * DAY + 1, old.repo, old.digest);
        await tx.run(move, today - DAY + 1, old.repo, digest);
      });
      await storeFindings(
        world,
        { image: old.image.id, vulnerability: "CVE-2026-1", severity: 5 },
        // Resolved on the second day.
        { image: old.image.id, vulnerability: "CVE-2026-2", resolved: today - 2 * DAY + 5 },
        // Decided to be none on the second day.
        {
          ...{ image: old.image.id, vulnerability: "CVE-2026-3", status: 2, severity: 2 },
          detail: { decision: { time: today - 2 * DAY + 5 } as never },
        },
        { image: current.id, vulnerability: "CVE-2026-4", severity: 3, firstSeen: today },
      );
      const from = new Date(today - 5 * DAY).toISOString();
      const filter = { repo: path, tag: "1", from };
      const { items } = await api.call(Vulnerabilities, "ListVulnCountReports", filter);
      const ids = (all: { date: string; cveIds: string[] }[]) =>
        all.map(({ date, cveIds }) => [(Date.parse(date) - today) / DAY, cveIds.join()]);
      assert.deepEqual(ids(items), [
        [-3, "CVE-2026-1,CVE-2026-2,CVE-2026-3"],
        [-2, "CVE-2026-1"],
        [-1, ""],
        [0, "CVE-2026-4"],
      ]);
      assert.deepEqual(items[0].vulnCounts, [
        { severity: "CRITICAL", count: 1 },
        { severity: "HIGH", count: 1 },
        { severity: "LOW", count: 1 },
      ]);
      assert.deepEqual(items[3].medCveIds, ["CVE-2026-4"]);
      assert.ok(Number(items[0].sizeBytes) > 0);
      const byName = { ...filter, repo: name };
      const same = await api.call(Vulnerabilities, "ListVulnCountReports", byName);
      assert.deepEqual(ids(same.items), ids(items));
      const all = await api.call(Vulnerabilities, "ListCumulativeVulnCountReports", filter);
      assert.deepEqual(ids(all.items).at(-1), [0, "CVE-2026-1,CVE-2026-2,CVE-2026-3,CVE-2026-4"]);
      const reversed = { repo: path, from, to: new Date(today - 9 * DAY).toISOString() };
      const refused = api.call(Vulnerabilities, "ListVulnCountReports", reversed);
      assert.equal(await codeOf(refused), "INVALID_ARGUMENT");
    });
  },
  { registry: true },
);
