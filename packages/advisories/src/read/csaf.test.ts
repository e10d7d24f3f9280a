import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { advisoryIdOf } from "../advisory-id.ts";
import { READ_LIMITS } from "./limits.ts";
import { problemsOf, readToJson } from "./testing.ts";

const CVSS = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H";

/** As vendors write it: platforms, packages of several architectures, and a package in an image. */
const VEX = {
  document: {
    category: "csaf_vex",
    csaf_version: "2.0",
    publisher: { category: "vendor", name: "Acme PSIRT", namespace: "https://acme.example.com" },
    title: "openssl: use after free",
    tracking: {
      current_release_date: "2026-02-14T09:00:00+01:00",
      id: "CVE-2026-0005",
      initial_release_date: "2026-02-10T00:00:00+00:00",
      revision_history: [{ date: "2026-02-14T08:00:00Z", number: "2", summary: "Fixed" }],
      status: "final",
      version: "2",
    },
  },
  product_tree: {
    branches: [
      {
        category: "vendor",
        name: "Acme",
        branches: [
          {
            category: "product_name",
            name: "Acme Linux 9",
            product: {
              name: "Acme Linux 9",
              product_id: "AL9",
              product_identification_helper: { cpe: "cpe:/o:acme:linux:9" },
            },
          },
          {
            category: "architecture",
            name: "x86_64",
            branches: [
              {
                category: "product_version",
                name: "openssl-1:3.2.2-6.al9.x86_64",
                product: {
                  name: "openssl-1:3.2.2-6.al9.x86_64",
                  product_id: "openssl-fixed",
                  product_identification_helper: {
                    purl: "pkg:rpm/acme/openssl@3.2.2-6.al9?arch=x86_64&epoch=1",
                  },
                },
              },
            ],
          },
          {
            category: "product_name",
            name: "Acme Router",
            branches: [
              {
                category: "product_version",
                name: "7.1",
                product: { name: "Acme Router 7.1", product_id: "router-7.1" },
              },
            ],
          },
        ],
      },
    ],
    full_product_names: [
      {
        name: "Acme web image",
        product_id: "image",
        product_identification_helper: { purl: "pkg:oci/web@sha256%3Aabc?arch=amd64" },
      },
      {
        name: "openssl",
        product_id: "openssl",
        product_identification_helper: { purl: "pkg:rpm/acme/openssl" },
      },
    ],
    relationships: [
      {
        category: "default_component_of",
        full_product_name: { name: "openssl of AL9", product_id: "AL9:openssl-fixed" },
        product_reference: "openssl-fixed",
        relates_to_product_reference: "AL9",
      },
      {
        category: "default_component_of",
        full_product_name: { name: "openssl of the image", product_id: "image:openssl" },
        product_reference: "openssl",
        relates_to_product_reference: "image",
      },
    ],
    product_groups: [{ group_id: "all", product_ids: ["image:openssl", "router-7.1"] }],
  },
  vulnerabilities: [
    {
      cve: "CVE-2026-0005",
      ids: [{ system_name: "Acme bug", text: "ACME-77" }],
      title: "openssl: use after free",
      product_status: {
        fixed: ["AL9:openssl-fixed"],
        known_affected: ["image:openssl"],
        known_not_affected: ["router-7.1"],
      },
      flags: [{ label: "vulnerable_code_not_present", product_ids: ["router-7.1"] }],
      threats: [
        { category: "impact", details: "It has no TLS.", product_ids: ["router-7.1"] },
        { category: "exploit_status", details: "None known.", product_ids: ["router-7.1"] },
      ],
      remediations: [
        { category: "vendor_fix", details: "Update.", product_ids: ["AL9:openssl-fixed"] },
        { category: "none_available", details: "Wait.", product_ids: ["image:openssl"] },
      ],
      scores: [
        {
          products: ["image:openssl"],
          cvss_v3: { version: "3.1", vectorString: CVSS, baseScore: 8.1, baseSeverity: "HIGH" },
        },
      ],
    },
  ],
};

const [VULNERABILITY] = VEX.vulnerabilities;

function reading(more: object): ReturnType<typeof readToJson> {
  return readToJson({ ...VEX, vulnerabilities: [{ ...VULNERABILITY, ...more }] });
}

describe("CSAF of the category csaf_vex", () => {
  test("products are found through branches and relationships", () => {
    const { advisories } = readToJson(VEX);
    assert.deepEqual(
      advisories.map((one: Record<string, string>) => [
        one.artifactType,
        one.artifactName,
        one.artifactArchitecture,
        one.componentType,
        one.componentName,
        one.componentLocation,
      ]),
      [
        ["rpm", "openssl", "x86_64", "rpm", "openssl", "Acme Linux 9"],
        ["image", "web", "amd64", "rpm", "openssl", undefined],
        ["product", "Acme Router", "all", "product", "Acme Router", undefined],
      ],
    );
    assert.equal(
      advisories[2].advisoryId,
      advisoryIdOf(["product", "Acme Router", "all", "CVE-2026-0005"]),
    );
  });

  test("statuses, flags, threats and remediations become events", () => {
    const { advisories } = readToJson(VEX);
    const common = {
      createTime: "2026-02-14T08:00:00Z",
      author: "Acme PSIRT",
      reviewState: "REVIEW_STATE_APPROVED",
    };
    assert.deepEqual(
      advisories.map(({ events }: { events: object[] }) => events),
      [
        [
          {
            ...common,
            fixed: { fixedVersion: "3.2.2-6.al9", note: "Update." },
            products: ["pkg:rpm/acme/openssl@3.2.2-6.al9?arch=x86_64&epoch=1"],
          },
        ],
        [
          {
            ...common,
            pendingUpstreamFix: { note: "Wait." },
            products: ["pkg:oci/web@sha256:abc?arch=amd64"],
            subcomponents: ["pkg:rpm/acme/openssl"],
          },
        ],
        [
          {
            ...common,
            reviewState: "REVIEW_STATE_PENDING",
            falsePositiveDetermination: {
              type: "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE",
              note: "Said of 7.1 alone. It has no TLS.",
            },
          },
        ],
      ],
    );
    assert.deepEqual(advisories[0].aliases, ["CVE-2026-0005", "ACME-77"]);
  });

  test("scores become severities of the vulnerability", () => {
    assert.deepEqual(readToJson(VEX).vulnerabilities, [
      {
        id: "CVE-2026-0005",
        aliases: ["ACME-77"],
        summary: "openssl: use after free",
        updateTime: "2026-02-14T08:00:00Z",
        severities: [{ type: "TYPE_CVSS_V3", score: CVSS }],
      },
    ]);
    const twice = readToJson({ ...VEX, vulnerabilities: [VULNERABILITY, VULNERABILITY] });
    assert.equal(twice.vulnerabilities.length, 1);
  });

  test("product groups count like product ids", () => {
    const events = (category: string) =>
      reading({
        product_status: { known_affected: ["image:openssl"], under_investigation: ["router-7.1"] },
        remediations: [{ category, details: "Why.", group_ids: ["all"] }],
        flags: undefined,
        threats: undefined,
      }).advisories.map(({ events: [event] }: { events: Record<string, unknown>[] }) => event);
    assert.deepEqual(events("no_fix_planned")[0].fixNotPlanned, { note: "Why." });
    assert.deepEqual(events("workaround")[0].truePositiveDetermination, { note: "Why." });
    assert.deepEqual(events("workaround")[1].detection, { manual: {} });
  });

  test("references to products by groups are limited", () => {
    const limits = { ...READ_LIMITS, productReferences: 2_000 };
    const product_ids = Array.from({ length: 100 }, (_, at) => `p${at}`);
    const product_tree = {
      full_product_names: product_ids.map((product_id) => ({ name: product_id, product_id })),
      product_groups: [{ group_id: "all", product_ids }],
    };
    const flag = { label: "component_not_present", group_ids: ["all"] };
    const vulnerability = (flags: number) => ({
      cve: "CVE-2026-0005",
      flags: new Array(flags).fill(flag),
      product_status: { known_not_affected: [...product_ids, ...product_ids] },
    });
    const document = (flags: number) =>
      JSON.stringify({ ...VEX, product_tree, vulnerabilities: [vulnerability(flags)] });
    assert.equal(readToJson(document(10), { limits }).advisories.length, 100);
    const [first] = problemsOf(document(21), { limits });
    const reason = "has more than 2000 product references up to here";
    assert.match(first as string, new RegExp(`vulnerabilities\\[0\\]\\.flags\\[20\\]: ${reason}$`));
  });

  test("the date of a flag or remediation is the time of the event", () => {
    const flags = [
      {
        label: "component_not_present",
        date: "2026-02-11T00:00:00Z",
        product_ids: ["router-7.1"],
      },
    ];
    const { advisories } = reading({
      flags,
      product_status: { known_not_affected: ["router-7.1"] },
    });
    assert.equal(advisories[0].events[0].createTime, "2026-02-11T00:00:00Z");
  });

  test("not affected for some versions does not clear the others", () => {
    const product = (category: string, name: string) => {
      const branches = [{ category, name, product: { name: "Router", product_id: "router" } }];
      const product_tree = { branches: [{ category: "product_name", name: "Router", branches }] };
      const status = { known_not_affected: ["router"] };
      const flags = [{ label: "component_not_present", product_ids: ["router"] }];
      const vulnerabilities = [{ cve: "CVE-2026-0005", product_status: status, flags }];
      const [{ events }] = readToJson({ ...VEX, product_tree, vulnerabilities }).advisories;
      return [events[0].reviewState, events[0].falsePositiveDetermination.note];
    };
    const pending = "REVIEW_STATE_PENDING";
    assert.deepEqual(product("product_version", "7.1"), [pending, "Said of 7.1 alone."]);
    assert.deepEqual(product("product_version_range", "<7"), [pending, "Said of <7 alone."]);
    assert.deepEqual(product("architecture", "arm"), ["REVIEW_STATE_APPROVED", undefined]);
    const inImage = reading({
      product_status: { known_not_affected: ["image:openssl"] },
      flags: [{ label: "component_not_present", product_ids: ["image:openssl"] }],
    }).advisories[0].events[0];
    assert.deepEqual(
      [inImage.reviewState, inImage.falsePositiveDetermination.note, inImage.products],
      ["REVIEW_STATE_APPROVED", "Wait.", ["pkg:oci/web@sha256:abc?arch=amd64"]],
    );
  });

  test("not affected without a flag is accepted with a warning", () => {
    const warnings: string[] = [];
    const said = { product_status: { known_not_affected: ["image:openssl"] } };
    const silent = { flags: undefined, threats: undefined, remediations: undefined };
    const document = { ...VEX, vulnerabilities: [{ ...VULNERABILITY, ...said, ...silent }] };
    const { advisories } = readToJson(document, {
      onWarning: ({ reason }) => warnings.push(reason),
    });
    assert.deepEqual(advisories[0].events[0].falsePositiveDetermination, {});
    assert.deepEqual(warnings, ["is known_not_affected without a flag or an impact threat"]);
  });

  test("a draft becomes pending", () => {
    const tracking = { ...VEX.document.tracking, status: "draft" };
    const { advisories } = readToJson({ ...VEX, document: { ...VEX.document, tracking } });
    assert.equal(advisories[0].events[0].reviewState, "REVIEW_STATE_PENDING");
  });

  test("a named advisory is matched if it is unambiguous", () => {
    const ids = [{ system_name: "Wharf", text: "CGA-2q5g-x3vm-7r9c" }];
    const one = reading({ ids, product_status: { known_affected: ["image:openssl"] } });
    assert.equal(one.advisories[0].advisoryId, "CGA-2q5g-x3vm-7r9c");
    assert.deepEqual(one.advisories[0].aliases, ["CVE-2026-0005"]);
    const several = reading({ ids }).advisories;
    assert.equal(new Set(several.map((each: { advisoryId: string }) => each.advisoryId)).size, 3);
  });

  test("of other versions and categories is rejected by name", () => {
    const with_ = (more: object) => ({ ...VEX, document: { ...VEX.document, ...more } });
    assert.deepEqual(problemsOf(with_({ csaf_version: "2.1" })), [
      '4:21: document.csaf_version: CSAF "2.1" is not supported; expected 2.0',
    ]);
    assert.deepEqual(problemsOf(with_({ category: "csaf_base" })), [
      '3:17: document.category: the category "csaf_base" is not supported; expected csaf_vex',
    ]);
  });

  test("with too many statements is rejected at the excess", () => {
    const limits = { ...READ_LIMITS, statements: 200 };
    const names = Array.from({ length: 10 }, (_, at) => ({ name: "a", product_id: `${at}` }));
    const vulnerability = {
      cve: "CVE-2026-0005",
      product_status: { known_affected: names.map((one) => one.product_id) },
    };
    const document = {
      document: VEX.document,
      product_tree: { full_product_names: names },
      vulnerabilities: Array.from({ length: 21 }, () => vulnerability),
    };
    assert.match(
      problemsOf(JSON.stringify(document), { limits }).join("\n"),
      /^1:\d+: vulnerabilities\[20\]\.product_status: has more than 200 statements about products up to here$/,
    );
  });

  test("with invalid fields is rejected with line and reason", () => {
    const vulnerability = {
      product_status: { fixed: ["nobody"], known_not_affected: ["image"] },
      flags: [{ label: "trust me", product_ids: ["image"] }],
      scores: [{ products: ["image"], cvss_v3: { vectorString: "high" } }],
    };
    const products = [
      { name: "a", product_id: "image" },
      { name: "b", product_id: "image" },
    ];
    const document = {
      document: { ...VEX.document, tracking: undefined },
      product_tree: { full_product_names: products },
      vulnerabilities: [vulnerability],
    };
    assert.deepEqual(problemsOf(document), [
      "2:15: document.tracking.current_release_date: is missing",
      "2:15: document.tracking.status: is missing",
      '20:23: product_tree.full_product_names[1].product_id: "image" occurs twice',
      "25:5: vulnerabilities[0]: has neither a cve nor ids",
      '36:20: vulnerabilities[0].flags[0].label: must be one of component_not_present, vulnerable_code_not_present, vulnerable_code_not_in_execute_path, vulnerable_code_cannot_be_controlled_by_adversary, inline_mitigations_already_exist, not "trust me"',
      '28:11: vulnerabilities[0].product_status.fixed[0]: the product tree has no product "nobody"',
      '48:29: vulnerabilities[0].scores[0].cvss_v3.vectorString: must be a CVSS vector of its type, or a number, not "high"',
    ]);
  });
});
