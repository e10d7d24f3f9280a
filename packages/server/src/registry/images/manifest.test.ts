import assert from "node:assert/strict";
import { test } from "node:test";
import { architectureOf, readManifest } from "./manifest.ts";

const bytes = (content: unknown) => Buffer.from(JSON.stringify(content));
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

test("an image is as large as its layers and its configuration", () => {
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

test("an index names its images, with their architectures where it tells", () => {
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

test("anything else is something, attached to what it says", () => {
  const config = { mediaType: "application/vnd.example+json", size: 2, digest: digest("d") };
  const read = readManifest(bytes({ config, subject: { digest: digest("e") } }), "");
  assert.equal(read.kind, "other");
  assert.equal(read.subject, digest("e"));
  assert.ok(!read.hasImageConfig);
});

test("what is malformed is taken as not said", () => {
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
