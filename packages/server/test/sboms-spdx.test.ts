/** The shapes in which tools write the contents of an image in SPDX, and Trivy in both formats. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cyclonedx, readOnBothPaths } from "./support/exposure/documents.ts";

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
  const sbom = await readOnBothPaths(syft());
  assert.deepEqual(
    sbom.packages.map(({ name, purl, licenses }) => [name, purl, licenses]),
    [
      ["curl", "pkg:deb/debian/curl@7.88?distro=debian-12&upstream=curl", "curl"],
      ["libjs", "pkg:npm/left-pad@1.0.0", undefined],
      ["unnamed", undefined, undefined],
    ],
  );
  assert.equal(sbom.withoutPurl, 1);
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
    const sbom = await readOnBothPaths(syft({ packages, relationships, creationInfo }));
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
  const trivy = cyclonedx({
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
  for (const document of [spdx, trivy]) {
    const sbom = await readOnBothPaths(document);
    assert.equal(sbom.operatingSystem?.version, "12.5");
    assert.deepEqual(
      sbom.packages.map(({ name, origin }) => [name, origin]),
      [["bash", { name: "bash-src", version: "5.1-2+b3" }]],
    );
    assert.equal(sbom.withoutPurl, 0);
  }
});
