/** The shapes in which tools write the contents of an image in CycloneDX. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cyclonedx, purlsOf, readOnBothPaths } from "./support/exposure/documents.ts";

test("reads nested components, and keeps cycles and missing references in bounds", async () => {
  const npm = (name: string, components: object[] = []) => ({
    "bom-ref": name,
    type: "library",
    name,
    purl: `pkg:npm/${name}@1`,
    components,
  });
  const components = [
    npm("a", [npm("b", [npm("c")]), npm("d")]),
    npm("e"),
    { type: "file", name: "f" },
  ];
  const dependencies = [
    { ref: "a", dependsOn: ["e", "a"] },
    { ref: "e", dependsOn: ["a", "missing"] },
    { ref: "missing", dependsOn: ["a"] },
    { ref: "b" },
  ];
  const sbom = await readOnBothPaths(cyclonedx({ components, dependencies }));
  assert.deepEqual(
    sbom.packages.map(({ name }) => name),
    ["a", "b", "c", "d", "e"],
  );
  assert.deepEqual(sbom.edges, [
    ["a", "b", "CONTAINS"],
    ["b", "c", "CONTAINS"],
    ["a", "d", "CONTAINS"],
    ["a", "e", "DEPENDS_ON"],
    ["e", "a", "DEPENDS_ON"],
  ]);
  assert.equal(sbom.withoutPurl, 0);
});

test("keeps components under one reference apart, and counts one that is listed twice once", async () => {
  const one = { "bom-ref": "x", type: "library", name: "x", purl: "pkg:npm/x@1" };
  const other = { ...one, purl: "pkg:npm/x@2" };
  const nameless = { type: "library", name: "y" };
  const broken = { type: "library", name: "z", purl: "npm:z" };
  const sbom = await readOnBothPaths(
    cyclonedx({ components: [one, one, other, nameless, broken] }),
  );
  assert.deepEqual(purlsOf(sbom), ["npm:z", "pkg:npm/x@1", "pkg:npm/x@2", undefined]);
  assert.equal(new Set(sbom.packages.map(({ ref }) => ref)).size, 4);
  assert.equal(sbom.withoutPurl, 1);
  assert.equal(sbom.invalidPurls, 1);
});

test("writes licenses as an expression", async () => {
  const licenses = (list: object[]) => ({ type: "library", name: "x", licenses: list });
  const id = (text: string) => ({ license: { id: text } });
  const components = [
    licenses([id("MIT")]),
    licenses([id("MIT"), id("Apache-2.0"), id("MIT")]),
    licenses([{ expression: "MIT OR Apache-2.0" }]),
    licenses([{ expression: "MIT OR ISC" }, id("curl")]),
    licenses([{ license: { name: "The BSD, 2 Clause!" } }]),
    licenses([{ license: { name: "x".repeat(5_000) } }]),
  ].map((one, index) => ({ ...one, "bom-ref": String(index) }));
  const sbom = await readOnBothPaths(cyclonedx({ components }));
  assert.deepEqual(
    sbom.packages.map((one) => one.licenses),
    [
      ...["MIT", "MIT AND Apache-2.0", "MIT OR Apache-2.0", "(MIT OR ISC) AND curl"],
      ...["LicenseRef-The-BSD-2-Clause", undefined],
    ],
  );
});

test("reads tools of CycloneDX 1.5, and what Syft says of the distribution", async () => {
  const metadata = {
    tools: { components: [{ type: "application", name: "syft", version: "1.20.0" }] },
    authors: [{ name: "Jane" }, { email: "joe@example.com" }],
    component: { type: "container", name: "app", version: "1" },
  };
  const property = (name: string, value: string) => ({ name: `syft:distro:${name}`, value });
  const properties = [property("id", "debian"), property("versionID", "12")];
  const components = [{ type: "operating-system", name: "Debian", version: "12.5", properties }];
  const sbom = await readOnBothPaths(cyclonedx({ metadata, components }));
  assert.equal(sbom.tool, "syft 1.20.0");
  assert.deepEqual(sbom.authors, ["Jane", "joe@example.com"]);
  assert.deepEqual(sbom.operatingSystem, { id: "debian", version: "12" });
});
