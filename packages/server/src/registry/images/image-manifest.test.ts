import assert from "node:assert/strict";
import { test } from "node:test";
import { parseManifest } from "./image-manifest.ts";

const parse = (content: unknown) => parseManifest(Buffer.from(JSON.stringify(content)));

test("malformed fields of a manifest count as missing", () => {
  for (const content of [
    null,
    [],
    1,
    { layers: {}, manifests: 7, subject: "x", annotations: [1] },
  ]) {
    const { layers, manifests, subject, annotations, config } = parse(content);
    assert.deepEqual(
      [layers, manifests, subject, annotations, config],
      [[], [], "", {}, undefined],
    );
  }
  assert.equal(parseManifest(Buffer.from("no JSON")).mediaType, "");
  const [layer] = parse({ layers: [{ size: -1, digest: "nonsense", platform: 1 }] }).layers;
  assert.deepEqual([layer?.size, layer?.digest, layer?.os], [0n, "", ""]);
});

test("the artifact type is that of the configuration unless given", () => {
  const config = { mediaType: "application/vnd.example+json" };
  assert.equal(parse({ config }).artifactType, config.mediaType);
  assert.equal(
    parse({ config, artifactType: "application/spdx+json" }).artifactType,
    "application/spdx+json",
  );
});
