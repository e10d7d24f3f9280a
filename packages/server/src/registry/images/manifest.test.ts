import assert from "node:assert/strict";
import { test } from "node:test";
import { architectureOf, readManifest } from "./manifest.ts";

const bytes = (content: unknown) => Buffer.from(JSON.stringify(content));
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

test("the size of an image is that of its layers and configuration", () => {
  const config = {
    mediaType: "application/vnd.docker.container.image.v1+json",
    size: 7,
    digest: digest("a"),
  };
  const layers = [{ size: 100 }, { size: 20 }];
  const read = readManifest(bytes({ config, layers }), "application/x; charset=utf-8");
  assert.equal(read.kind, "image");
  assert.equal(read.size, 127);
  assert.equal(read.configDigest, digest("a"));
  assert.equal(read.mediaType, "application/x");
  assert.ok(read.hasImageConfig);
});

test("an index has its children, with their architectures if given", () => {
  const manifests = [
    { digest: digest("b"), platform: { architecture: "arm64" } },
    { digest: digest("c") },
    { digest: "nonsense" },
  ];
  const read = readManifest(bytes({ manifests }), "application/vnd.oci.image.index.v1+json");
  assert.equal(read.kind, "index");
  assert.deepEqual(read.children, [
    { digest: digest("b"), architecture: "arm64" },
    { digest: digest("c"), architecture: "" },
  ]);
});

test("other manifests may have a subject", () => {
  const config = { mediaType: "application/vnd.example+json", size: 2, digest: digest("d") };
  const read = readManifest(bytes({ config, subject: { digest: digest("e") } }), "");
  assert.equal(read.kind, "other");
  assert.equal(read.subject, digest("e"));
  assert.ok(!read.hasImageConfig);
});

test("malformed fields count as missing", () => {
  for (const content of [
    null,
    [],
    "x",
    { layers: "x", config: 1 },
    { layers: [{ size: -1 }, 5] },
  ]) {
    const read = readManifest(bytes(content), "");
    assert.deepEqual([read.kind, read.size, read.children], ["other", 0, []]);
  }
  assert.equal(architectureOf(bytes({ architecture: 5 })), "");
  assert.equal(architectureOf(bytes({ architecture: "arm64" })), "arm64");
});
