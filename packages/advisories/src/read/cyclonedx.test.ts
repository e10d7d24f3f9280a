import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { problemsOf, readToJson } from "./testing.ts";

const TIME = "2026-01-08T18:02:03Z";

const DIGEST = `sha256:${"0a".repeat(32)}`;

const IMAGE = "pkg:oci/app?arch=amd64&repository_url=ghcr.io%2Facme%2Fapp";

/** A BOM of an image with two libraries. */
function bom(vulnerabilities: unknown, more: object = {}): object {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79",
    version: 1,
    metadata: {
      timestamp: TIME,
      supplier: { name: "Acme" },
      component: {
        type: "container",
        "bom-ref": "image",
        name: "app",
        purl: `pkg:oci/app?repository_url=ghcr.io%2Facme%2Fapp&arch=amd64`,
      },
    },
    components: [
      {
        type: "library",
        "bom-ref": "zlib",
        name: "zlib",
        purl: "pkg:apk/wolfi/zlib@1.3-r0",
        components: [{ type: "library", "bom-ref": "inner", group: "acme", name: "inner" }],
      },
    ],
    vulnerabilities,
    ...more,
  };
}

const vulnerability = (analysis: object, affects: object[] = [{ ref: "zlib" }]) => ({
  id: "CVE-2026-0001",
  references: [{ id: "GHSA-4x9r-j582-cgr8", source: { name: "GitHub" } }],
  analysis,
  affects,
});

const eventOf = (analysis: object, affects?: object[]) => {
  const [advisory, ...others] = readToJson(bom([vulnerability(analysis, affects)])).advisories;
  assert.deepEqual(others, []);
  assert.equal(advisory.events.length, 1);
  const { createTime: _, author: _author, ...event } = advisory.events[0];
  return event;
};

describe("CycloneDX BOMs", () => {
  test("have an advisory for each analysis, about a component of the product", () => {
    const document = bom([
      vulnerability({ state: "in_triage", lastUpdated: "2026-01-09T00:00:00Z" }),
      { ...vulnerability({ state: "exploitable" }, [{ ref: "image" }]), id: "CVE-2026-0002" },
      { id: "CVE-2026-0003", affects: [{ ref: "zlib" }] },
    ]);
    const { advisories, vulnerabilities } = readToJson(document);
    assert.equal(vulnerabilities, undefined);
    const artifact = {
      ...{ artifactName: "ghcr.io/acme/app", artifactType: "image" },
      artifactArchitecture: "amd64",
    };
    const shown = advisories.map(({ advisoryId: _, ...rest }: { advisoryId: string }) => rest);
    const common = { author: "Acme", reviewState: "REVIEW_STATE_APPROVED" };
    assert.deepEqual(shown, [
      {
        ...{ ...artifact, author: "Acme", componentName: "zlib", componentType: "apk" },
        aliases: ["CVE-2026-0001", "GHSA-4x9r-j582-cgr8"],
        events: [
          {
            ...{ ...common, createTime: "2026-01-09T00:00:00Z", detection: { manual: {} } },
            ...{ products: [IMAGE], subcomponents: ["pkg:apk/wolfi/zlib@1.3-r0"] },
          },
        ],
      },
      {
        ...{ ...artifact, author: "Acme", componentName: "ghcr.io/acme/app" },
        componentType: "image",
        aliases: ["CVE-2026-0002", "GHSA-4x9r-j582-cgr8"],
        events: [{ ...common, createTime: TIME, truePositiveDetermination: {}, products: [IMAGE] }],
      },
    ]);
  });

  test("without a product are about their components, by name or package URL", () => {
    const affects = [
      { ref: "zlib" },
      { ref: "inner" },
      { ref: "urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#pkg%3Anpm%2Fleft-pad%401.0" },
      { ref: "pkg:deb/debian/curl@8?distro=debian-12" },
    ];
    const metadata = { timestamp: TIME };
    const document = bom([vulnerability({ state: "in_triage" }, affects)], { metadata });
    const names = readToJson(document).advisories.map(
      (one: Record<string, string>) =>
        `${one.artifactType} ${one.artifactName} ${one.componentLocation ?? ""}`,
    );
    assert.deepEqual(names, [
      "apk zlib ",
      "product acme/inner ",
      "npm left-pad ",
      "deb curl Debian:12",
    ]);
  });

  const APPROVED = { reviewState: "REVIEW_STATE_APPROVED" };
  const reasons: [analysis: object, determination: object][] = [
    [
      { justification: "code_not_present" },
      { type: "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE" },
    ],
    [
      { justification: "code_not_reachable", detail: "never called" },
      { type: "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH", note: "never called" },
    ],
    [{ justification: "protected_by_compiler" }, { type: "TYPE_INLINE_MITIGATIONS_EXIST" }],
    [
      { justification: "requires_environment", detail: "Only on Windows." },
      { note: "Exploitable only in another environment. Only on Windows." },
    ],
    [{ detail: "so" }, { note: "so" }],
  ];
  for (const [analysis, falsePositiveDetermination] of reasons) {
    test(`read ${JSON.stringify(analysis)} as the reason of a false positive`, () => {
      const event = eventOf({ state: "not_affected", ...analysis }, [{ ref: "image" }]);
      assert.deepEqual(event, { ...APPROVED, falsePositiveDetermination, products: [IMAGE] });
    });
  }

  test("read the other states", () => {
    const image = [{ ref: "image" }];
    const cases: [analysis: object, affects: object[], event: object][] = [
      [
        { state: "false_positive" },
        image,
        {
          falsePositiveDetermination: { type: "TYPE_COMPONENT_VULNERABILITY_MISMATCH" },
          products: [IMAGE],
        },
      ],
      [
        { state: "resolved", detail: "upgraded" },
        [{ ref: "zlib" }],
        {
          fixed: { fixedVersion: "1.3-r0", note: "upgraded" },
          products: [IMAGE],
          subcomponents: ["pkg:apk/wolfi/zlib@1.3-r0"],
        },
      ],
      [
        { state: "resolved_with_pedigree" },
        [
          {
            ref: "image",
            versions: [
              { version: "1", status: "affected" },
              { version: DIGEST, status: "unaffected" },
            ],
          },
        ],
        {
          patched: { patchedVersions: [DIGEST] },
          products: [IMAGE.replace("?", `@${DIGEST}?`)],
        },
      ],
      [{ state: "resolved" }, [{ ref: "image", versions: [{ version: "1" }] }], { patched: {} }],
      [
        { state: "exploitable", response: ["will_not_fix"] },
        image,
        { fixNotPlanned: {}, products: [IMAGE] },
      ],
      [
        { state: "exploitable", response: ["will_not_fix", "update"], detail: "upgrade" },
        image,
        { truePositiveDetermination: { note: "upgrade" }, products: [IMAGE] },
      ],
    ];
    for (const [analysis, affects, event] of cases) {
      assert.deepEqual(eventOf(analysis, affects), { ...APPROVED, ...event });
    }
  });

  test("have severities of their ratings", () => {
    const ratings = [
      { method: "CVSSv31", score: 9.8, vector: "AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" },
      {
        method: "CVSSv4",
        vector: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
      },
      { method: "CVSSv2", vector: "AV:N/AC:L/Au:N/C:P/I:P/A:P" },
      { method: "OWASP", vector: "SL:1" },
      { severity: "high" },
    ];
    const one = { id: "CVE-2026-0001", ratings, updated: "2026-01-02T00:00:00Z" };
    const { vulnerabilities } = readToJson(bom([one, { ...one, ratings: [ratings[0]] }]));
    assert.deepEqual(vulnerabilities, [
      {
        id: "CVE-2026-0001",
        updateTime: "2026-01-02T00:00:00Z",
        severities: [
          { type: "TYPE_CVSS_V3", score: `CVSS:3.1/${ratings[0]?.vector}` },
          { type: "TYPE_CVSS_V4", score: ratings[1]?.vector },
          { type: "TYPE_CVSS_V2", score: ratings[2]?.vector },
        ],
      },
    ]);
  });

  test("are rejected with all reasons", () => {
    assert.deepEqual(
      problemsOf(
        bom([
          vulnerability({ state: "perhaps" }),
          vulnerability({ state: "not_affected" }),
          vulnerability({ state: "in_triage" }, [{ ref: "urn:cdx:x/1#other" }]),
          { ...vulnerability({ state: "in_triage" }), affects: undefined },
          { id: "CVE-1", ratings: [{ method: "CVSSv31", vector: "high" }] },
        ]),
      ).map((line) => line.replace(/^\d+:\d+: /, "")),
      [
        'vulnerabilities[0].analysis.state: must be one of resolved, resolved_with_pedigree, exploitable, in_triage, false_positive, not_affected, not "perhaps"',
        "vulnerabilities[1].analysis: is not_affected without a justification or a detail",
        'vulnerabilities[2].affects[0].ref: the BOM has no component "urn:cdx:x/1#other"',
        "vulnerabilities[3].affects: is missing: an analysis must name its components",
        'vulnerabilities[4].ratings[0].vector: must be a CVSS vector of its method, not "high"',
      ],
    );
    assert.match(
      problemsOf(bom([], { specVersion: "1.3" })).join(),
      /"CycloneDX 1.3" is not supported; expected CycloneDX 1.4, 1.5 or 1.6/,
    );
    const untimed = bom([vulnerability({ state: "in_triage" })], { metadata: {} });
    assert.equal(readToJson(untimed).advisories[0].events[0].createTime, undefined);
  });
});
