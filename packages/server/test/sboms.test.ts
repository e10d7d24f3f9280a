/** SBOMs of real tools. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Sbom } from "../src/exposure/sboms/sbom.ts";
import { purlsOf, readOnBothPaths, vector } from "./support/exposure/documents.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

test("reads a CycloneDX document of Maven", async (context) => {
  const document = vector(context, "keycloak-10.0.2.cdx.json");
  if (document === undefined) return;
  const sbom = await readOnBothPaths(document);
  assert.deepEqual(
    { ...sbom, packages: sbom.packages.length, edges: sbom.edges.length },
    {
      format: "cyclonedx",
      specVersion: "1.2",
      name: "keycloak-parent",
      tool: "CycloneDX Maven plugin 2.0.2",
      generatedAt: "2020-08-02T21:21:17.000Z",
      authors: [],
      operatingSystem: undefined,
      packages: 904,
      edges: 994,
      roots: ["pkg:maven/org.keycloak/keycloak-parent@10.0.2"],
      withoutPurl: 0,
      invalidPurls: 0,
    },
  );
  const [xnio] = sbom.packages.filter(({ name }) => name === "org.jboss.xnio/xnio-nio");
  assert.equal(xnio?.purl, "pkg:maven/org.jboss.xnio/xnio-nio@3.7.7.Final?type=jar");
  assert.equal(xnio?.licenses, "Apache-2.0");
});

test("reads CycloneDX documents with every component and dependency that they list", async (context) => {
  for (const name of ["dropwizard-1.3.15.cdx.json", "laravel-7.12.0.cdx.json"]) {
    const bytes = vector(context, name);
    if (bytes === undefined) return;
    const document = JSON.parse(bytes.toString());
    const sbom = await readOnBothPaths(bytes);
    const listed = [document.metadata.component, ...document.components];
    assert.deepEqual(
      new Set(purlsOf(sbom)),
      new Set(listed.map(({ purl }: { purl: string }) => purl)),
    );
    const dependencies = document.dependencies.flatMap(
      ({ ref, dependsOn = [] }: { ref: string; dependsOn?: string[] }) =>
        dependsOn.map((to) => [ref, to, "DEPENDS_ON"]),
    );
    const refs = new Set(sbom.packages.map(({ ref }) => ref));
    const resolved = dependencies.filter((ends: string[]) =>
      ends.slice(0, 2).every((end) => refs.has(end)),
    );
    assert.deepEqual(sbom.edges, resolved);
    assert.ok(sbom.edges.length > 50);
  }
});

test("reads of apko's documents the packages, with the origin from their build files", async (context) => {
  const document = vector(context, "apko-x86_64.spdx.json");
  if (document === undefined) return;
  const sbom = await readOnBothPaths(document);
  assert.deepEqual(purlsOf(sbom), [
    "pkg:apk/unknown/pretend-baselayout@1.0.0-r0?arch=x86_64",
    "pkg:apk/unknown/replayout@1.0.0-r0?arch=x86_64",
  ]);
  assert.deepEqual(
    sbom.packages.map(({ origin }) => origin),
    [{ name: "pretend-baselayout" }, { name: "replayout" }],
  );
  assert.deepEqual(sbom.operatingSystem, { id: "replaces", version: "1.0.0" });
  // Reproducible builds write the start of 1970, which says nothing.
  assert.equal(sbom.generatedAt, undefined);
  assert.deepEqual(
    sbom.edges.map(([, to, type]) => [to, type]),
    [
      ["SPDXRef-Package-apk-pretend-baselayout-1.0.0-r0", "CONTAINS"],
      ["SPDXRef-Package-apk-replayout-1.0.0-r0", "CONTAINS"],
    ],
  );
});

test("reads of apko's document about an index no packages", async (context) => {
  const document = vector(context, "apko-index.spdx.json");
  if (document === undefined) return;
  assert.deepEqual((await readOnBothPaths(document)).packages, []);
});

/** The SBOM of this project that npm makes from its lock file. */
function npmSbom(format: string): Buffer {
  const words = ["sbom", "--package-lock-only", "--sbom-format", format];
  const maxBuffer = 64 * 1024 * 1024;
  return execFileSync("npm", words, { cwd: ROOT, maxBuffer, stdio: ["ignore", "pipe", "ignore"] });
}

test("reads the same packages and dependencies from both formats of npm", async () => {
  const [spdx, cyclonedx] = await Promise.all(
    ["spdx", "cyclonedx"].map((one) => readOnBothPaths(npmSbom(one))),
  );
  assert.ok(spdx !== undefined && cyclonedx !== undefined);
  assert.equal(spdx.format, "spdx");
  assert.equal(cyclonedx.format, "cyclonedx");
  assert.ok(spdx.packages.length > 300);
  assert.deepEqual(purlsOf(spdx), purlsOf(cyclonedx));
  assert.deepEqual(dependencies(spdx), dependencies(cyclonedx));
  assert.ok(spdx.packages.some(({ licenses }) => licenses === "Apache-2.0"));
  assert.ok(spdx.tool?.startsWith("npm/cli-"));
});

/** Dependencies by package URL: references differ between formats. */
function dependencies({ packages, edges }: Sbom): string[] {
  const purls = new Map(packages.map(({ ref, purl }) => [ref, purl]));
  return [...new Set(edges.map(([from, to]) => `${purls.get(from)} ${purls.get(to)}`))].sort();
}
