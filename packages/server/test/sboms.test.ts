/** SBOMs of real tools, and the shapes in which tools write what an image contains. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSbom } from "../src/exposure/sboms/read-sbom.ts";
import type { Sbom } from "../src/exposure/sboms/sbom.ts";
import { chunksOf, PATHS, vector } from "./support/exposure/documents.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Reads a document on both paths, which must agree, and in chunks of different sizes. */
async function read(document: unknown): Promise<Sbom> {
  const [whole, tokens] = await Promise.all(
    PATHS.map(([, limits], index) => readSbom(chunksOf(document, 4_001 + index), limits)),
  );
  assert.deepEqual(tokens, whole);
  return whole as Sbom;
}

function purlsOf({ packages }: Sbom): (string | undefined)[] {
  return packages.map(({ purl }) => purl).sort();
}

test("reads a CycloneDX document of Maven", async (context) => {
  const document = vector(context, "keycloak-10.0.2.cdx.json");
  if (document === undefined) return;
  const sbom = await read(document);
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
      subjects: [],
      variants: [],
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
    const sbom = await read(bytes);
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
  const sbom = await read(document);
  assert.deepEqual(purlsOf(sbom), [
    "pkg:apk/unknown/pretend-baselayout@1.0.0-r0?arch=x86_64",
    "pkg:apk/unknown/replayout@1.0.0-r0?arch=x86_64",
  ]);
  assert.deepEqual(
    sbom.packages.map(({ origin }) => origin),
    [{ name: "pretend-baselayout" }, { name: "replayout" }],
  );
  assert.deepEqual(sbom.operatingSystem, { id: "replaces", version: "1.0.0" });
  const digest = "sha256:69f0237c7f8cf0b8a329d1bf1d6870c870c4ec323e39d3a6da59596632d0f2f4";
  assert.deepEqual(sbom.subjects, [digest]);
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

test("reads of apko's document about an index its digest and those of the platforms", async (context) => {
  const document = vector(context, "apko-index.spdx.json");
  if (document === undefined) return;
  const sbom = await read(document);
  assert.deepEqual(sbom.packages, []);
  assert.deepEqual(sbom.subjects, [
    "sha256:b5f05e6fc882c97d61c1daee566954ae6fc09924f8e152293e2b97a06092069f",
  ]);
  assert.deepEqual(sbom.variants, [
    "sha256:69f0237c7f8cf0b8a329d1bf1d6870c870c4ec323e39d3a6da59596632d0f2f4",
    "sha256:124c885f834cfaf1329987457a9651a68c4fb9733d4462ae6288b98011277858",
  ]);
});

/** The SBOM of this project that npm makes from its lock file. */
function npmSbom(format: string): Buffer {
  const words = ["sbom", "--package-lock-only", "--sbom-format", format];
  const maxBuffer = 64 * 1024 * 1024;
  return execFileSync("npm", words, { cwd: ROOT, maxBuffer, stdio: ["ignore", "pipe", "ignore"] });
}

test("reads the same packages and dependencies from both formats of npm", async () => {
  const [spdx, cyclonedx] = await Promise.all(
    ["spdx", "cyclonedx"].map((one) => read(npmSbom(one))),
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

const IMAGE = `sha256:${"ab".repeat(32)}`;

/** A document as Syft writes it for an image: most of it is files. */
function syft(extra: object = {}) {
  const files = Array.from({ length: 50 }, (_, index) => ({
    SPDXID: `SPDXRef-File-${index}`,
    fileName: `/usr/lib/${index}`,
    checksums: [{ algorithm: "SHA1", checksumValue: "0".repeat(40) }],
  }));
  return {
    spdxVersion: "SPDX-2.3",
    SPDXID: "SPDXRef-DOCUMENT",
    name: "registry.example.com/app",
    creationInfo: {
      creators: [
        "Organization: Anchore, Inc",
        "Tool: syft-1.20.0",
        "Person: Jane (jane@example.com)",
      ],
      created: "2025-02-01T10:00:00Z",
    },
    packages: [
      spdxPackage("root", { purpose: "CONTAINER", version: IMAGE, purl: `pkg:oci/app@${IMAGE}` }),
      spdxPackage("curl", {
        purl: "pkg:deb/debian/curl@7.88?distro=debian-12&upstream=curl",
        license: "curl",
      }),
      spdxPackage("libjs", { purl: "pkg:npm/left-pad@1.0.0" }),
      spdxPackage("unnamed", {}),
    ],
    files,
    relationships: [
      ["SPDXRef-root", "CONTAINS", "SPDXRef-curl"],
      ["SPDXRef-root", "CONTAINS", "SPDXRef-libjs"],
      ["SPDXRef-libjs", "DEPENDENCY_OF", "SPDXRef-curl"],
      ["SPDXRef-curl", "OTHER", "SPDXRef-File-1"],
      ["SPDXRef-curl", "CONTAINS", "SPDXRef-missing"],
      ["SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-root"],
    ]
      .map(related)
      .concat({
        ...related(["SPDXRef-curl", "OTHER", "SPDXRef-libjs"]),
        comment: "ownership-by-file-overlap: indicates that the parent package claims ownership",
      }),
    ...extra,
  };
}

interface SpdxPackage {
  readonly purpose?: string;
  readonly version?: string;
  readonly purl?: string;
  readonly license?: string;
  readonly more?: object;
}

function spdxPackage(name: string, { purpose, version = "1", purl, license, more }: SpdxPackage) {
  return {
    SPDXID: `SPDXRef-${name}`,
    name,
    versionInfo: version,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license ?? "NONE",
    ...(purpose === undefined ? {} : { primaryPackagePurpose: purpose }),
    externalRefs: [
      {
        referenceCategory: "SECURITY",
        referenceType: "cpe23Type",
        referenceLocator: "cpe:2.3:a:x",
      },
      ...(purl === undefined
        ? []
        : [
            { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl },
          ]),
    ],
    ...more,
  };
}

function related([from, type, to]: string[]): Record<string, unknown> {
  return { spdxElementId: from, relationshipType: type, relatedSpdxElement: to };
}

test("reads a document of Syft, without its files", async () => {
  const sbom = await read(syft());
  assert.deepEqual(
    sbom.packages.map(({ name, purl, licenses }) => [name, purl, licenses]),
    [
      ["curl", "pkg:deb/debian/curl@7.88?distro=debian-12&upstream=curl", "curl"],
      ["libjs", "pkg:npm/left-pad@1.0.0", undefined],
      ["unnamed", undefined, undefined],
    ],
  );
  assert.equal(sbom.withoutPurl, 1);
  assert.deepEqual(sbom.subjects, [IMAGE]);
  assert.equal(sbom.tool, "syft-1.20.0");
  assert.deepEqual(sbom.authors, ["Jane (jane@example.com)", "Anchore, Inc"]);
  assert.deepEqual(sbom.edges, [
    ["SPDXRef-root", "SPDXRef-curl", "CONTAINS"],
    ["SPDXRef-root", "SPDXRef-libjs", "CONTAINS"],
    ["SPDXRef-curl", "SPDXRef-libjs", "DEPENDS_ON"],
    ["SPDXRef-curl", "SPDXRef-libjs", "OWNS"],
  ]);
});

test("counts sources of apko's packages neither as packages nor as packages without a URL", async () => {
  const openssl = spdxPackage("openssl", { purl: "pkg:apk/wolfi/libssl3@3.5.0-r1?arch=x86_64" });
  const recipe = spdxPackage("recipe", { purl: "pkg:github/wolfi-dev/os@c0ffee#openssl.yaml" });
  const upstream = spdxPackage("upstream", { purl: "pkg:github/openssl/openssl@openssl-3.5.0" });
  const relationships = [
    ["SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-root"],
    ["SPDXRef-root", "CONTAINS", "SPDXRef-layer"],
    ["SPDXRef-layer", "CONTAINS", "SPDXRef-openssl"],
    ["SPDXRef-openssl", "GENERATED_FROM", "SPDXRef-upstream"],
    ["SPDXRef-openssl", "GENERATED_FROM", "SPDXRef-recipe"],
  ].map(related);
  const images = ["root", "layer"].map((name) =>
    spdxPackage(name, { purpose: "CONTAINER", purl: "pkg:oci/app?os=linux" }),
  );
  const stray = spdxPackage("stray", { purl: "pkg:generic/stray@1" });
  const packages = [...images, openssl, recipe, upstream, stray];
  for (const [tool, found] of [
    ["apko (v0.30)", ["openssl"]],
    ["other", ["openssl", "stray"]],
  ] as const) {
    const creationInfo = { creators: [`Tool: ${tool}`] };
    const sbom = await read(syft({ packages, relationships, creationInfo }));
    assert.deepEqual(
      sbom.packages.map(({ name }) => name),
      found,
    );
    assert.deepEqual(sbom.packages[0]?.origin, { name: "openssl" });
    assert.equal(sbom.withoutPurl, 0);
  }
});

test("reads Trivy's operating system, groups and source packages, in both formats", async () => {
  const spdx = syft({
    packages: [
      spdxPackage("root", { purpose: "CONTAINER", purl: `pkg:oci/app@${IMAGE}` }),
      spdxPackage("OperatingSystem-1", { purpose: "OPERATING-SYSTEM", version: "12.5" }),
      spdxPackage("bash", {
        purl: "pkg:deb/debian/bash@5.1",
        more: { sourceInfo: "built package from: bash-src 5.1-2+b3" },
      }),
      spdxPackage("lock", {
        purpose: "APPLICATION",
        more: { attributionTexts: ["Class: lang-pkgs"] },
      }),
    ],
  });
  const property = (name: string, value: string) => ({ name: `aquasecurity:trivy:${name}`, value });
  const cyclonedx = cyclone({
    metadata: {
      component: {
        "bom-ref": "root",
        type: "container",
        name: "app",
        properties: [property("RepoDigest", `registry.example.com/app@${IMAGE}`)],
      },
    },
    components: [
      { "bom-ref": "os", type: "operating-system", name: "OperatingSystem-1", version: "12.5" },
      {
        "bom-ref": "b",
        type: "library",
        name: "bash",
        purl: "pkg:deb/debian/bash@5.1",
        properties: [
          ...[property("SrcName", "bash-src"), property("SrcVersion", "5.1")],
          property("SrcRelease", "2+b3"),
        ],
      },
      {
        type: "application",
        name: "package-lock.json",
        properties: [property("Class", "lang-pkgs")],
      },
    ],
  });
  for (const document of [spdx, cyclonedx]) {
    const sbom = await read(document);
    assert.equal(sbom.operatingSystem?.version, "12.5");
    assert.deepEqual(
      sbom.packages.map(({ name, origin }) => [name, origin]),
      [["bash", { name: "bash-src", version: "5.1-2+b3" }]],
    );
    assert.equal(sbom.withoutPurl, 0);
    assert.deepEqual(sbom.subjects, [IMAGE]);
  }
});

function cyclone(extra: object = {}) {
  return { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, ...extra };
}

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
  const sbom = await read(cyclone({ components, dependencies }));
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
  const sbom = await read(cyclone({ components: [one, one, other, nameless, broken] }));
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
  const sbom = await read(cyclone({ components }));
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
    component: { type: "container", name: "app", version: IMAGE },
  };
  const property = (name: string, value: string) => ({ name: `syft:distro:${name}`, value });
  const properties = [property("id", "debian"), property("versionID", "12")];
  const components = [{ type: "operating-system", name: "Debian", version: "12.5", properties }];
  const sbom = await read(cyclone({ metadata, components }));
  assert.equal(sbom.tool, "syft 1.20.0");
  assert.deepEqual(sbom.authors, ["Jane", "joe@example.com"]);
  assert.deepEqual(sbom.operatingSystem, { id: "debian", version: "12" });
  assert.deepEqual(sbom.subjects, [IMAGE]);
});
