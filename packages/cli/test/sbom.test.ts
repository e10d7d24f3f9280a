import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { spdxOf } from "../../server/test/support/world/image-world.ts";
import { ExposedImages } from "./support/exposed-images.ts";

const SPDX = spdxOf(["pkg:apk/alpine/libssl3@3.3.0-r0?distro=alpine-3.20&upstream=openssl"]);

describe("SBOMs on the command line", () => {
  let exposed: ExposedImages;
  before(async () => {
    exposed = await ExposedImages.start();
    await exposed.push("acme/app", "1", "3.3.2-r3");
  });
  after(() => exposed.stop());

  const ok = (...args: string[]) => exposed.ok(args);
  const upload = (input: string, ...args: string[]) =>
    exposed.run(["sbom", "upload", "acme/app:1", "-", ...args], { input });

  test("are read from layers, and replaced by an upload", async () => {
    const generated = JSON.parse(await ok("sbom", "get", "acme/app:1"));
    assert.equal(generated.bomFormat, "CycloneDX");
    const before = await ok("sbom", "show", "acme/app:1");
    assert.match(before, /^linux\/amd64 +[0-9a-f]{12} +known +2 +layers +alpine 3\.20\.3$/m);
    const dry = await upload(SPDX, "--dry-run");
    assert.deepEqual([dry.code, /the document can be stored for/.test(dry.stderr)], [0, true]);
    assert.equal(await ok("sbom", "show", "acme/app:1"), before);
    const { code, stdout, stderr } = await upload(SPDX);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^linux\/amd64 +[0-9a-f]{12} +known +1 +uploaded +SPDX-2\.3$/m);
    assert.equal((await ok("images", "sbom", "acme/app:1")).trim(), SPDX);
    const { components } = JSON.parse(await ok("sbom", "get", "acme/app:1", "--cyclonedx"));
    assert.deepEqual(
      components.map(({ name }: { name: string }) => name),
      ["libssl3"],
    );
    assert.match(await ok("exposure", "list", "acme/app:1"), /^CVE-2026-0001 +high +libssl3 /m);
  });

  test("that cannot be read change nothing", async () => {
    const before = await ok("sbom", "show", "acme/app:1", "-o", "json");
    for (const [input, problem] of [
      ["{", /content: the document is not JSON/],
      ['{"a":1}', /content: the document is neither SPDX, CycloneDX nor OpenVEX/],
    ] as const) {
      const { code, stderr } = await upload(input);
      assert.deepEqual([code, problem.test(stderr)], [2, true], stderr);
    }
    const missing = await exposed.run(["sbom", "upload", "acme/app:1", "/nowhere/sbom.json"]);
    assert.deepEqual([missing.code, /FILE cannot be read: ENOENT/.test(missing.stderr)], [2, true]);
    assert.equal(await ok("sbom", "show", "acme/app:1", "-o", "json"), before);
  });

  test("of an index are those of its images", async () => {
    const layer = "no archive";
    const platforms = [];
    for (const architecture of ["amd64", "arm64"]) {
      const one = await exposed.images.push("acme/multi", "", layer, { architecture });
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      platforms.push({ ...one, mediaType, platform: { os: "linux", architecture } });
    }
    await exposed.images.index("acme/multi", "1", platforms);
    const { code, stderr } = await exposed.run(["sbom", "upload", "acme/multi:1", "-"], {
      input: SPDX,
    });
    assert.equal(code, 0, stderr);
    const packages = (platform: string) =>
      exposed.run(["images", "packages", "acme/multi:1", "--platform", platform]);
    assert.match((await packages("linux/arm64")).stdout, /^libssl3 +3\.3\.0-r0 /m);
    const none = await packages("linux/s390x");
    assert.deepEqual([none.code, /no image for linux\/s390x/.test(none.stderr)], [5, true]);
    assert.match(none.stderr, /--platform is one of linux\/amd64, linux\/arm64/);
  });
});
