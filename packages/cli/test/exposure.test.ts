import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertCycloneDx } from "../../advisories/test/cyclonedx-schema.ts";
import { assertValid } from "../../advisories/test/schemas.ts";
import { ExposedImages } from "./support/exposed-images.ts";

describe("exposure on the command line", () => {
  let exposed: ExposedImages;
  let digest: string;
  before(async () => {
    exposed = await ExposedImages.start();
    digest = await exposed.push("acme/app", "1", "3.3.0-r0");
    await exposed.push("acme/app", "2", "3.3.2-r0");
    await exposed.push("acme/app", "3", "3.3.2-r3");
    await exposed.images.push("acme/opaque", "1", "no archive");
    await exposed.images.settled();
  });
  after(() => exposed.stop());

  const ok = (...args: string[]) => exposed.ok(args);
  const run = (...args: string[]) => exposed.run(args);

  test("lists the findings of all images, and of one", async () => {
    const all = await ok("exposure", "list");
    assert.deepEqual(
      all.trimEnd().split("\n"),
      [
        "IMAGE       VULNERABILITY  SEVERITY  PACKAGE  VERSION   FIXED IN",
        "acme/app:1  CVE-2026-0001  high      libssl3  3.3.0-r0  3.3.2-r0",
        ...[
          "acme/app:2  CVE-2026-0002  medium    libssl3  3.3.2-r0  3.3.2-r3",
          "acme/app:1  CVE-2026-0002  medium    libssl3  3.3.0-r0  3.3.2-r3",
        ].filter((line) => all.includes(line)),
      ].sort((a, b) => all.indexOf(a) - all.indexOf(b)),
    );
    const one = await ok("exposure", "list", "acme/app:1");
    assert.match(one, /^VULNERABILITY +SEVERITY +PACKAGE +VERSION +FIXED IN +SINCE$/m);
    assert.equal(one, await ok("images", "vulnerabilities", `acme/app@${digest}`));
    assert.equal(await ok("exposure", "list", "acme/app:3"), "");
  });

  test("filters findings", async () => {
    const ids = async (...args: string[]) => {
      const text = await ok("exposure", "list", "-o", "id", ...args);
      return text.split("\n").filter(Boolean).sort();
    };
    assert.deepEqual(await ids("--severity", "high"), ["CVE-2026-0001"]);
    assert.deepEqual(await ids("--vulnerability", "ALPINE-CVE-2026-0001"), ["CVE-2026-0001"]);
    assert.equal((await ids("--package", "openssl", "--repo", "acme/app")).length, 3);
    assert.deepEqual(await ids("--package", "musl"), []);
    assert.equal((await ids("--fixable", "--in-use", "--since", "1h")).length, 3);
    assert.deepEqual(await ids("--exploited"), []);
    assert.deepEqual(await ids("--status", "accepted,not-affected"), []);
  });

  test("fails a pipeline on severe findings, and on images that it cannot check", async () => {
    const check = (image: string) =>
      run("exposure", "list", image, "--fixable", "--fail-on", "high");
    const failed = await check("acme/app:1");
    assert.equal(failed.code, 8);
    assert.match(failed.stdout, /CVE-2026-0001/);
    assert.match(failed.stderr, /: 1 finding of severity high or above, such as CVE-2026-0001$/m);
    assert.equal((await check("acme/app:2")).code, 0);
    const unknown = await check("acme/opaque:1");
    assert.equal(unknown.code, 1);
    assert.match(
      unknown.stderr,
      /cannot check acme\/opaque:1: the packages for linux\/amd64 are unknown/,
    );
    const listed = await run("exposure", "list", "acme/opaque:1");
    assert.deepEqual([listed.code, /warning: the packages/.test(listed.stderr)], [0, true]);
    const missing = await check("acme/app:9");
    assert.deepEqual([missing.code, /app has no tag "9"/.test(missing.stderr)], [5, true]);
  });

  test("waits for the packages of an image that was just pushed", async () => {
    const { digest } = await exposed.images.push("acme/fresh", "1", "not an archive");
    const { code, stderr } = await run(
      "exposure",
      "list",
      `acme/fresh@${digest}`,
      "--fail-on",
      "low",
    );
    assert.deepEqual([code, /are unknown \(refused\)/.test(stderr)], [1, true]);
  });

  test("writes documents for other programs", async (context) => {
    const written = async (format: string) =>
      JSON.parse(await ok("exposure", "list", "acme/app:1", "--as", format));
    const sarif = await written("sarif");
    assertValid("sarif", sarif);
    assert.equal(sarif.runs[0].results.length, 2);
    const openvex = await written("openvex");
    assertValid("openvex", openvex);
    const host = encodeURIComponent(new URL(exposed.world.server.url).host);
    assert.ok(
      openvex.statements[0].products[0]["@id"].includes(`repository_url=${host}%2Facme%2Fapp`),
    );
    assertCycloneDx(context, await written("cyclonedx"));
    const none = await run("exposure", "list", "acme/app:3", "--as", "openvex");
    assert.deepEqual([none.code, none.stdout], [1, ""]);
    assert.match(none.stderr, /: there are no findings: an OpenVEX document has /);
    const csv = await ok("exposure", "list", "acme/app:1", "-o", "csv");
    const [header = "", first = ""] = csv.split("\r\n");
    assert.equal(header.split(",").length, first.split(",").length);
    assert.ok(
      first.startsWith(`acme/app@${digest},CVE-2026-0001,high,pkg:apk/alpine/libssl3@3.3.0-r0`),
    );
  });

  test("shows a vulnerability, and which tags have the fix", async () => {
    const { stdout, stderr } = await run("exposure", "show", "ALPINE-CVE-2026-0001");
    assert.match(
      stderr,
      /CVE-2026-0001 \(also ALPINE-CVE-2026-0001\): high, Name checks can crash/,
    );
    assert.match(stdout, /^IMAGE +PACKAGE +VERSION +FIXED IN +STATUS\nacme\/app:1 +libssl3 /);
    const tags = await ok("exposure", "show", "CVE-2026-0001", "--repo", "acme/app");
    assert.match(tags, /^1 +affected +3\.3\.0-r0 /m);
    assert.match(tags, /^2 +not present /m);
    const listed = await ok("exposure", "vulnerabilities");
    assert.match(listed, /^CVE-2026-0002 +medium +2 +2 +yes +libssl3$/m);
  });

  test("lists fixes, numbers and differences", async () => {
    const fixes = await ok("exposure", "fixes", "--in-use");
    assert.match(fixes, /^openssl +3\.3\.2-r3 +high +3 +2 +Alpine:v3\.20$/m);
    const overview = await ok("exposure", "overview", "--days", "3");
    assert.match(overview, /^High findings: +1 \(1 with a fix\)$/m);
    assert.match(overview, /^Open findings by day: +0 ▁.*█ 3$/m);
    const difference = await ok("exposure", "diff", "acme/app:1", "2");
    assert.deepEqual(
      difference
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split(/ {2,}/)),
      [
        ["removed", "high", "CVE-2026-0001", "libssl3 3.3.0-r0"],
        ["changed", "package", "libssl3", "3.3.0-r0", "3.3.2-r0"],
      ],
    );
  });

  test("finds packages in images", async () => {
    const ranged = await ok(
      ...[
        "exposure",
        "packages",
        "openssl",
        "--ecosystem",
        "Alpine:v3.20",
        "--versions",
        "<3.3.2-r0",
      ],
    );
    assert.deepEqual(ranged.match(/acme\/\S+/g), ["acme/app:1"]);
    const packages = await ok("images", "packages", "acme/app:1");
    assert.match(packages, /^libssl3 +3\.3\.0-r0 +Alpine:v3\.20 +MIT +openssl$/m);
    const found = await ok("exposure", "search", "libssl");
    assert.match(found, /^package +libssl3 +Alpine .*, 3 images$/m);
  });

  test("lists images by whether their packages are known", async () => {
    const unknown = await ok("exposure", "images", "--state", "none,refused");
    assert.match(unknown, /^IMAGE +PACKAGES +REASON +IN USE +PUSHED$/m);
    assert.match(unknown, /^acme\/opaque:1 +refused +the layers cannot be read: .* yes /m);
    assert.doesNotMatch(unknown, /acme\/app/);
    const ids = await ok("exposure", "images", "--state", "known", "--in-use", "-o", "id");
    assert.ok(ids.split("\n").includes(digest));
    const wrong = await run("exposure", "images", "--state", "odd");
    assert.deepEqual([wrong.code, /must be one of waiting, known/.test(wrong.stderr)], [2, true]);
  });

  test("counts the findings of tags", async () => {
    const counted = async (repo: string) => {
      const csv = await ok("tags", "list", "--repo", repo, "-o", "csv");
      const [header = "", ...rows] = csv.trimEnd().split("\r\n");
      assert.match(header, /,VULNERABILITIES$/);
      return rows.map((row) => /,(?:"([^"]*)"|([^,"]*))$/.exec(row)?.slice(1).join(""));
    };
    assert.deepEqual(await counted("acme/app"), ["1 high, 1 medium", "1 medium", "none"]);
    assert.deepEqual(await counted("acme/opaque"), ["packages unknown"]);
    assert.doesNotMatch(await ok("tags", "list", "--repo", "acme/app"), /VULNERABILITIES/);
  });
});
