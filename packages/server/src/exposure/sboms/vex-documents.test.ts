import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf, readVex } from "../../../test/support/exposure/documents.ts";
import { imageNames, packageNames } from "./image-names.ts";
import { readDocument } from "./read-document.ts";
import { statementApplies } from "./vex.ts";

const IMAGE = imageNames({
  repositories: ["registry.example.com/app"],
  digests: [`sha256:${"ab".repeat(32)}`],
  tags: [],
});

test("reads an OpenVEX document", async () => {
  const { statements, unreadable } = await readVex(
    chunksOf({
      statements: [
        {
          vulnerability: {
            "@id": "https://nvd.nist.gov/vuln/detail/CVE-2026-0001",
            name: "GHSA-aaaa",
            aliases: ["CVE-2026-0001", "PYSEC-1"],
          },
          products: [
            {
              "@id": "pkg:oci/app",
              identifiers: { purl: "pkg:oci/app?tag=v1", cpe23: "cpe:2.3:a:b" },
              hashes: { "sha-256": "ABCD" },
              subcomponents: [{ identifiers: { purl: "pkg:npm/a@1" } }],
            },
          ],
          status: "not_affected",
          justification: "vulnerable_code_not_present",
          impact_statement: "not compiled",
          timestamp: "2026-01-02T03:04:05Z",
          supplier: "Acme Security",
        },
        { vulnerability: { name: "CVE-2" }, products: ["pkg:npm/b"], status: "unknown" },
        { vulnerability: {}, products: ["pkg:npm/b"], status: "fixed" },
        { vulnerability: { name: "CVE-3" }, products: [{}], status: "fixed" },
        { vulnerability: { name: "CVE-4" }, status: "fixed" },
      ],
      author: "Acme",
      "@context": "https://openvex.dev/ns/v0.2.0",
    }),
  );
  assert.equal(unreadable, 4);
  assert.deepEqual(statements, [
    {
      vulnerabilities: [
        ...["GHSA-aaaa", "CVE-2026-0001", "PYSEC-1"],
        "https://nvd.nist.gov/vuln/detail/CVE-2026-0001",
      ],
      products: [
        {
          identifiers: ["pkg:oci/app", "pkg:oci/app?tag=v1", "cpe:2.3:a:b"],
          purls: ["pkg:oci/app", "pkg:oci/app?tag=v1"],
          hashes: ["abcd"],
          subcomponents: [{ identifiers: ["pkg:npm/a@1"], purls: ["pkg:npm/a@1"], hashes: [] }],
        },
      ],
      status: "not_affected",
      justification: "vulnerable_code_not_present",
      impact: "not compiled",
      action: undefined,
      time: Date.UTC(2026, 0, 2, 3, 4, 5),
      author: "Acme",
      supplier: "Acme Security",
    },
  ]);
});

test("reads OpenVEX 0.0, whose names are texts", async () => {
  const { statements } = await readVex(
    chunksOf({
      "@context": "https://openvex.dev/ns",
      timestamp: "2026-01-02T03:04:05Z",
      statements: [
        {
          vulnerability: "CVE-1",
          products: ["pkg:oci/app"],
          subcomponents: ["pkg:npm/a@1"],
          status: "fixed",
        },
      ],
    }),
  );
  const [one] = statements;
  assert.ok(one !== undefined);
  assert.deepEqual(one.vulnerabilities, ["CVE-1"]);
  assert.equal(one.time, Date.UTC(2026, 0, 2, 3, 4, 5));
  assert.equal(statementApplies(one, IMAGE, packageNames("pkg:npm/a@1")), true);
  assert.equal(statementApplies(one, IMAGE, packageNames("pkg:npm/b@1")), false);
});

const LIBRARY = { "bom-ref": "lib", type: "library", name: "a", purl: "pkg:npm/a@1" };

function cyclone(vulnerability: object, more: object = {}) {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: {
      timestamp: "2026-01-02T03:04:05Z",
      authors: [{ name: "Jane" }],
      supplier: { name: "Acme" },
      component: { "bom-ref": "root", type: "container", name: "app", purl: "pkg:oci/app" },
    },
    components: [LIBRARY],
    vulnerabilities: [
      {
        id: "CVE-1",
        references: [{ id: "GHSA-aaaa" }],
        analysis: { state: "not_affected", justification: "code_not_reachable", detail: "unused" },
        affects: [{ ref: "lib" }],
        ...vulnerability,
      },
    ],
    ...more,
  };
}

test("reads the analyses of a CycloneDX document, about a component in its product", async () => {
  const { sbom, vex } = await readDocument(chunksOf(cyclone({})));
  assert.equal(sbom?.packages.length, 1);
  assert.deepEqual(vex, {
    statements: [
      {
        vulnerabilities: ["CVE-1", "GHSA-aaaa"],
        products: [
          {
            identifiers: ["root", "pkg:oci/app"],
            purls: ["pkg:oci/app"],
            hashes: [],
            subcomponents: [
              { identifiers: ["lib", "pkg:npm/a@1"], purls: ["pkg:npm/a@1"], hashes: [] },
            ],
          },
        ],
        status: "not_affected",
        justification: "code_not_reachable",
        impact: "unused",
        action: undefined,
        time: Date.UTC(2026, 0, 2, 3, 4, 5),
        author: "Jane",
        supplier: "Acme",
      },
    ],
    unreadable: 0,
  });
});

/** Whether the only statement of a document is about a package in the image. */
async function applies(document: object, purl = "pkg:npm/a@1", image = IMAGE): Promise<boolean> {
  const { vex } = await readDocument(chunksOf(document));
  const one = vex?.statements[0];
  return one !== undefined && statementApplies(one, image, packageNames(purl));
}

test("finds the component of a CycloneDX analysis by reference, BOM-Link or package URL", async () => {
  const uuid = "urn:cdx:f08a6ccd-4dce-4759-bd84-c626675d60a7/1";
  for (const ref of [
    "lib",
    `${uuid}#lib`,
    "pkg:npm/a@1",
    `${uuid}#pkg%3Anpm%2Fa%401`,
    "pkg:npm/a",
  ]) {
    assert.equal(await applies(cyclone({ affects: [{ ref }] })), true, ref);
  }
  for (const ref of ["other", `${uuid}#other`, "pkg:npm/a@2", ""]) {
    assert.equal(await applies(cyclone({ affects: [{ ref }] })), false, ref);
  }
  const other = imageNames({ repositories: ["registry.example.com/web"], digests: [], tags: [] });
  assert.equal(await applies(cyclone({}), "pkg:npm/a@1", other), false);
});

test("takes the digest of the image in a CycloneDX document as its name", async () => {
  const about = (hex: string, vulnerability: object) =>
    cyclone(vulnerability, {
      metadata: { component: { "bom-ref": "r", type: "container", version: `sha256:${hex}` } },
    });
  for (const affects of [[{ ref: "lib" }], [{ ref: "r" }]]) {
    assert.equal(await applies(about("ab".repeat(32), { affects })), true);
    assert.equal(await applies(about("cd".repeat(32), { affects })), false);
  }
  const versions = [{ version: "2" }];
  assert.equal(await applies(about("ab".repeat(32), { affects: [{ ref: "r", versions }] })), false);
});

test("limits a CycloneDX analysis to exact versions that are listed", async () => {
  const at = (versions: object[], state = "not_affected") =>
    cyclone({ analysis: { state }, affects: [{ ref: "lib", versions }] });
  assert.equal(await applies(at([{ version: "1" }])), true);
  assert.equal(await applies(at([{ version: "2" }])), false);
  assert.equal(await applies(at([{ range: "vers:npm/*" }])), false);
  assert.equal(await applies(at([{ version: "1", status: "affected" }], "resolved")), false);
  assert.equal(await applies(at([{ version: "1", status: "unaffected" }], "resolved")), true);
});

test("reads every state of a CycloneDX analysis", async () => {
  for (const [state, status] of [
    ["resolved", "fixed"],
    ["resolved_with_pedigree", "fixed"],
    ["exploitable", "affected"],
    ["in_triage", "under_investigation"],
    ["false_positive", "not_affected"],
    ["not_affected", "not_affected"],
  ]) {
    const { vex } = await readDocument(chunksOf(cyclone({ analysis: { state } })));
    assert.equal(vex?.statements[0]?.status, status);
  }
  const { vex } = await readDocument(chunksOf(cyclone({ analysis: { state: "solved" } })));
  assert.deepEqual([vex?.statements.length, vex?.unreadable], [0, 1]);
});

test("is no SBOM without components, and no VEX document without analyses", async () => {
  const { sbom } = await readDocument(chunksOf(cyclone({}, { components: [] })));
  assert.equal(sbom, undefined);
  const { vulnerabilities: _, ...plain } = cyclone({});
  assert.equal((await readDocument(chunksOf(plain))).vex, undefined);
});
