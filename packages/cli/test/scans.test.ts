import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ExposedImages } from "./support/exposed-images.ts";

const match = (id: string) => ({
  vulnerability: { id, severity: "High", fix: { versions: ["3.3.2-r0"], state: "fixed" } },
  artifact: {
    ...{ name: "libssl3", version: "3.3.0-r0" },
    purl: "pkg:apk/alpine/libssl3@3.3.0-r0?distro=alpine-3.20",
  },
});

const GRYPE = JSON.stringify({
  matches: [match("CVE-2026-0001"), match("CVE-2020-1")],
  source: { type: "image", target: {} },
  descriptor: { name: "grype", version: "0.93.0" },
});

describe("reports of scanners on the command line", () => {
  let exposed: ExposedImages;
  before(async () => {
    exposed = await ExposedImages.start();
    await exposed.push("acme/app", "1", "3.3.0-r0");
  });
  after(() => exposed.stop());

  const ok = (...args: string[]) => exposed.ok(args);

  test("are stored, listed, printed and compared", async () => {
    const uploaded = await exposed.run(["scans", "upload", "acme/app:1", "-"], { input: GRYPE });
    assert.equal(uploaded.code, 0, uploaded.stderr);
    assert.match(uploaded.stderr, /stored the report of grype for acme\/app:1/);
    assert.match(await ok("scans", "list", "acme/app:1"), /^grype +0\.93\.0 +20\S+ +2 high /m);
    const printed = await ok("scans", "get", "acme/app:1", "--scanner", "grype");
    assert.equal(printed.trim(), GRYPE);
    const compared = await ok("scans", "compare", "acme/app:1", "--scanner", "grype");
    assert.match(compared, /^CVE-2026-0001 +both +high +libssl3@3\.3\.0-r0 /m);
    assert.match(compared, /^CVE-2020-1 +grype only +high /m);
    assert.match(compared, /^CVE-2026-0002 +server only +medium /m);
  });

  test("that are not of a scanner change nothing", async () => {
    const { code, stderr } = await exposed.run(["scans", "upload", "acme/app:1", "-"], {
      input: "{}",
    });
    assert.deepEqual(
      [code, /not a JSON report of grype, trivy or osv-scanner/.test(stderr)],
      [2, true],
    );
    const other = await exposed.run(["scans", "get", "acme/app:1", "--scanner", "trivy"]);
    assert.equal(other.code, 5);
    const unknown = await exposed.run(["scans", "get", "acme/app:1", "--scanner", "nessus"]);
    assert.equal(unknown.code, 2);
  });
});
