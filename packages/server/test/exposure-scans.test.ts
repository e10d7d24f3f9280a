/** Reports of scanners: uploaded by CI, kept apart, and compared with the findings of the server. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { ScanReportsService } from "@wharf/contract";
import { CODES } from "@wharf/contract/messages";
import { vulnerabilitiesV1 } from "@wharf/contract/v1";
import { DocumentReader } from "../src/exposure/inventory/document-reader.ts";
import { readReport } from "../src/exposure/scans/read-report.ts";
import { ApiError } from "./support/client/api-error.ts";
import { storeFindings } from "./support/exposure/stored-findings.ts";
import { ImageWorld, spdxOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const { Vulnerabilities } = vulnerabilitiesV1;

const PAD = "pkg:npm/left-pad@1.3.0";
const MUSL = "pkg:apk/alpine/musl@1.2.5-r0?distro=alpine-3.20";

/** A match of grype. */
const match = (id: string, purl: string, severity: string, related: readonly string[] = []) => ({
  vulnerability: { id, severity, fix: { versions: ["9.9.9"], state: "fixed" }, description: id },
  relatedVulnerabilities: related.map((one) => ({ id: one })),
  artifact: {
    ...{ name: purl.replace(/^.*\/([^@]+)@.*$/, "$1"), version: "1.3.0", purl },
    locations: [{ path: "/app/package.json" }],
  },
});

const grype = (matches: readonly object[], digests: readonly string[] = []) => ({
  matches,
  source: { type: "image", target: { repoDigests: digests } },
  descriptor: {
    ...{ name: "grype", version: "0.93.0" },
    db: { status: { built: "2026-05-01T00:00:00Z" } },
  },
});

const trivy = (vulnerabilities: readonly object[]) => ({
  SchemaVersion: 2,
  ArtifactName: "api",
  Metadata: {},
  Results: [
    { Target: "Node.js", Class: "lang-pkgs", Type: "npm", Vulnerabilities: vulnerabilities },
  ],
});

const osv = {
  results: [
    {
      source: { path: "/app/package-lock.json", type: "lockfile" },
      packages: [
        {
          package: { name: "left-pad", version: "1.3.0", ecosystem: "npm" },
          vulnerabilities: [
            {
              id: "GHSA-1",
              aliases: ["CVE-2026-1"],
              affected: [
                {
                  package: { name: "left-pad", ecosystem: "npm" },
                  ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.3.1" }] }],
                },
              ],
            },
          ],
          groups: [{ ids: ["GHSA-1"], aliases: ["CVE-2026-1"], max_severity: "9.8" }],
        },
      ],
    },
  ],
};

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "OK";
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return Object.entries(CODES).find(([, { number }]) => number === error.code)?.[0] ?? "";
  }
}

onEachStore(
  "reports of scanners",
  (world) => {
    let images: ImageWorld;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    async function image() {
      const name = `acme/${world.name("scanned")}`;
      const { digest } = await images.push(name, "1", "no layer");
      await images.attach(name, digest, "application/spdx+json", spdxOf([PAD, MUSL]));
      const read = await images.read(name, digest);
      return { digest, image: read.id, repoUid: await images.repo(name) };
    }

    const encoded = (report: unknown) => {
      const text = typeof report === "string" ? report : JSON.stringify(report);
      return Buffer.from(text).toString("base64");
    };

    world.rule("are kept apart by scanner, the last of a day", async (api) => {
      const { digest, repoUid } = await image();
      const upload = (report: unknown) =>
        api.call(ScanReportsService, "UploadScanReport", {
          ...{ repoUid, digest, content: encoded(report) },
        });
      const first = await upload(grype([]));
      assert.partialDeepStrictEqual(first, { scanner: "grype", scannerVersion: "0.93.0", digest });
      const second = await upload(grype([match("CVE-2026-1", PAD, "Critical")]));
      assert.deepEqual(second.severities, [
        { severity: "FINDING_SEVERITY_CRITICAL", open: "1", fixable: "1", vulnerabilities: "1" },
      ]);
      await upload(trivy([]));
      await upload(osv);
      const { reports } = await api.call(ScanReportsService, "ListScanReports", {
        repoUid,
        digest,
      });
      assert.deepEqual(reports.map(({ scanner }: { scanner: string }) => scanner).sort(), [
        "grype",
        "osv-scanner",
        "trivy",
      ]);
      const { items } = await api.call(Vulnerabilities, "ListVulnReports", { digest });
      const named = items.map(
        ({ scanner, vulnerabilities }: { scanner: object; vulnerabilities: { id: string }[] }) => [
          (scanner as { name: string }).name,
          (scanner as { version: string }).version.replace(/^wharf\/.*/, "wharf"),
          vulnerabilities.map(({ id }) => id).join(),
        ],
      );
      assert.deepEqual(named.sort(), [
        ["GRYPE", "0.93.0", "CVE-2026-1"],
        ["TRIVY", "", ""],
        ["UNKNOWN", "osv-scanner", "GHSA-1"],
        ["UNKNOWN", "wharf", ""],
      ]);
      const raw = await api.call(Vulnerabilities, "GetRawVulnReport", { digest, scanner: "GRYPE" });
      assert.equal(JSON.parse(raw.rawReport).matches.length, 1);
      const { content } = await api.call(ScanReportsService, "GetScanReport", {
        ...{ repoUid, digest, scanner: "osv-scanner" },
      });
      assert.deepEqual(JSON.parse(Buffer.from(content, "base64").toString()), osv);
    });

    world.rule("are compared with findings by package and by any name", async (api) => {
      const { digest, repoUid, image: id } = await image();
      await storeFindings(
        world,
        {
          ...{ image: id, vulnerability: "CVE-2026-1", purl: "left-pad", severity: 5 },
          detail: { names: ["CVE-2026-1", "GHSA-1"] },
        },
        {
          ...{ image: id, vulnerability: "CVE-2026-2", purl: "left-pad", status: 2 },
          detail: { decision: { reason: "not in use" } as never },
        },
        {
          ...{ image: id, vulnerability: "CVE-2026-3", purl: "musl" },
          recordTime: Date.parse("2026-06-01T00:00:00Z"),
        },
      );
      const report = grype([
        match("GHSA-1", PAD, "High"),
        match("CVE-2026-2", PAD, "Low"),
        match("CVE-2026-4", PAD, "Low"),
        match("CVE-2026-5", "pkg:npm/absent@1.3.0", "Low"),
      ]);
      const content = gzipSync(JSON.stringify(report)).toString("base64");
      await api.call(ScanReportsService, "UploadScanReport", { repoUid, digest, content });
      const comparison = await api.call(ScanReportsService, "CompareScanReport", {
        ...{ repoUid, digest, scanner: "grype" },
      });
      const short = (all: { vulnerability: string; status: string; reason: string }[]) =>
        all.map((one) => [
          one.vulnerability,
          one.status.replace("FINDING_STATUS_", ""),
          one.reason,
        ]);
      assert.deepEqual(short(comparison.both), [["GHSA-1", "AFFECTED", ""]]);
      assert.deepEqual(short(comparison.scannerOnly), [
        [
          "CVE-2026-2",
          "NOT_AFFECTED",
          "a statement says that the image is not affected: not in use",
        ],
        [
          "CVE-2026-4",
          "UNSPECIFIED",
          "no advisory of the group of the image, or of the groups above it, names it",
        ],
        ["CVE-2026-5", "UNSPECIFIED", "the package is not among the packages of the image"],
      ]);
      assert.deepEqual(short(comparison.serviceOnly), [
        [
          "CVE-2026-3",
          "AFFECTED",
          "the record was changed after the database of the scanner was built",
        ],
      ]);
    });

    test("that cannot be read are rejected, and change nothing", async () => {
      const { digest, repoUid } = await image();
      const api = world.operator();
      const upload = (content: string, about = digest) =>
        api.call(ScanReportsService, "UploadScanReport", { repoUid, digest: about, content });
      const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64");
      const other = `acme/api@sha256:${"2".repeat(64)}`;
      for (const content of [
        ...["", encoded("nothing"), encoded("{}"), encoded("[]"), zeros],
        encoded(grype([{ vulnerability: {}, artifact: {} }])),
        encoded(grype([], [other])),
        Buffer.from([0x1f, 0x8b, 1]).toString("base64"),
      ]) {
        assert.equal(await codeOf(upload(content)), "INVALID_ARGUMENT");
      }
      const absent = upload(encoded(grype([])), `sha256:${"3".repeat(64)}`);
      assert.equal(await codeOf(absent), "NOT_FOUND");
      const { reports } = await api.call(ScanReportsService, "ListScanReports", {
        repoUid,
        digest,
      });
      assert.deepEqual(reports, []);
      assert.equal((await upload(encoded(grype([], [`acme/api@${digest}`])))).scanner, "grype");
    });

    test("need the right to create them, and the right to see them", async () => {
      const { digest, repoUid } = await image();
      const { organization } = world.registry;
      const content = encoded(grype([]));
      const upload = { repoUid, digest, content };
      const api = world.operator();
      const viewer = api.as((await world.member({ [organization]: "viewer" })).token);
      const ci = api.as((await world.member({ [organization]: ["vuln_report.create"] })).token);
      const stranger = api.as(
        (await world.member({ [await world.organization()]: "owner" })).token,
      );
      const list = { repoUid, digest };
      const call = (one: typeof api, name: string, request: object) =>
        one.call(ScanReportsService, name, request);
      assert.equal(await codeOf(call(viewer, "UploadScanReport", upload)), "PERMISSION_DENIED");
      assert.equal(await codeOf(call(stranger, "UploadScanReport", upload)), "PERMISSION_DENIED");
      assert.equal(await codeOf(call(ci, "UploadScanReport", upload)), "OK");
      assert.equal(await codeOf(call(ci, "ListScanReports", list)), "PERMISSION_DENIED");
      assert.equal(await codeOf(call(viewer, "ListScanReports", list)), "OK");
      for (const name of ["GetScanReport", "CompareScanReport"]) {
        const request = { ...list, scanner: "grype" };
        assert.equal(await codeOf(call(viewer, name, request)), "OK");
        assert.equal(await codeOf(call(stranger, name, request)), "PERMISSION_DENIED");
        assert.equal(await codeOf(call(api.as(""), name, request)), "UNAUTHENTICATED");
      }
      const hidden = await stranger.call(Vulnerabilities, "ListVulnReports", { digest });
      assert.deepEqual(hidden, { items: [] });
      const raw = stranger.call(Vulnerabilities, "GetRawVulnReport", { digest, scanner: "GRYPE" });
      assert.equal(await codeOf(raw), "NOT_FOUND");
    });
  },
  { registry: true },
);

test("large reports are parsed beside the event loop", async (t) => {
  const reader = new DocumentReader();
  t.after(() => reader.close());
  const matches = Array.from({ length: 5_000 }, (_, at) => match(`CVE-2026-${at}`, PAD, "High"));
  const large = Buffer.from(JSON.stringify(grype(matches)));
  const expected = readReport(large);
  assert.equal(expected.report?.vulnerabilities.length, matches.length);
  const parse = t.mock.method(JSON, "parse");
  assert.deepEqual(await reader.readReport(large), expected);
  const broken = await reader.readReport(large.subarray(1));
  assert.deepEqual(broken, { refusal: "content is not JSON in UTF-8" });
  assert.equal(parse.mock.callCount(), 0);
  assert.ok((await reader.readReport(Buffer.from(JSON.stringify(grype([]))))).report);
  assert.equal(parse.mock.callCount(), 1);
});
