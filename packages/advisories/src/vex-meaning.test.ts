import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { PUBLICATION } from "../test/samples.ts";
import {
  type AskedImage,
  csafStatements,
  grypeNames,
  type Question,
  statusFor,
  trivyNames,
  type VexProduct,
  type VexStatement,
} from "../test/vex-matcher.ts";
import { csafDocument, openVexDocument, packageOf } from "./publish/index.ts";
import { readDocument } from "./read/index.ts";

/** The digest of an image: a digest names its contents, wherever a copy of them is. */
function digestOf(repository: string, arch: string, version: number): string {
  const text = JSON.stringify([repository, arch, version]);
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

const DEBIAN = digestOf("index.docker.io/library/debian", "amd64", 1);
const [D1, D2] = [1, 2].map((version) => digestOf("ghcr.io/acme/web", "amd64", version));

/** Products as public documents name them, each with the packages in them that the statement is about. */
const PRODUCTS: readonly (readonly [product: string, ...subcomponents: string[]])[] = [
  ["pkg:apk/alpine/busybox"],
  ["pkg:apk/alpine/busybox@1.36.1-r15"],
  ["pkg:apk/alpine/busybox@1.36.1-r15?arch=x86_64&distro=3.19.1"],
  ["pkg:apk/wolfi/busybox"],
  ["pkg:deb/debian/bash"],
  ["pkg:deb/debian/bash@5.2.15-2%2Bb2?arch=amd64&distro=debian-12"],
  ["pkg:deb/ubuntu/bash?distro=ubuntu-22.04"],
  ["pkg:rpm/redhat/openssl@3.0.7-27.el9?arch=x86_64&epoch=1"],
  ["pkg:golang/github.com/docker/docker@v24.0.0%2Bincompatible"],
  ["pkg:golang/golang.org/x/net#http2"],
  ["pkg:npm/%40angular/core@17.0.0"],
  ["pkg:maven/org.apache.logging.log4j/log4j-core@2.17.1"],
  ["pkg:pypi/Django@4.2"],
  ["pkg:generic/acme-router@7.1"],
  ["pkg:oci/debian"],
  [`pkg:oci/debian@${encodeURIComponent(DEBIAN)}`],
  ["pkg:oci/nginx?repository_url=index.docker.io%2Flibrary"],
  ["pkg:oci/web?repository_url=ghcr.io/acme/web"],
  [`pkg:oci/web@${D1}?repository_url=ghcr.io%2Facme%2Fweb`],
  [`pkg:oci/web@${D1}?arch=amd64&repository_url=ghcr.io/acme/web`],
  ["pkg:oci/web?repository_url=ghcr.io/web/web"],
  ["pkg:oci/debian", "pkg:deb/debian/bash"],
  ["pkg:oci/debian", "pkg:deb/debian/bash@5.2.15-2%2Bb2"],
  ["pkg:oci/web?repository_url=ghcr.io/acme", "pkg:apk/alpine/busybox@1.36.1-r15"],
  [`pkg:oci/web@${D2}?repository_url=ghcr.io/acme/web`, "pkg:golang/stdlib@1.21.9"],
  ["pkg:oci/web?repository_url=ghcr.io/acme/web", "pkg:deb/debian/bash", "pkg:apk/wolfi/busybox"],
  ["pkg:apk/wolfi/git", "pkg:npm/%40acme/diff@1.0"],
];

/** The images and packages that scanners find. */
const IMAGES: readonly AskedImage[] = [
  ...["index.docker.io/library/debian", "registry.example.com/debian", "ghcr.io/acme/debian"],
  ...["index.docker.io/library/nginx", "ghcr.io/acme/nginx", "registry.example.com/nginx"],
  ...["ghcr.io/acme/web", "ghcr.io/web", "ghcr.io/web/web", "registry.example.com/web"],
].flatMap((repository) =>
  ["amd64", "arm64"].flatMap((arch) =>
    [1, 2].map((version) => ({ repository, arch, digest: digestOf(repository, arch, version) })),
  ),
);

const PACKAGES: readonly string[] = [
  "pkg:apk/alpine/busybox@1.36.1-r15?arch=x86_64&distro=3.19.1",
  "pkg:apk/alpine/busybox@1.37.0-r0?arch=aarch64&distro=alpine-3.21.0",
  "pkg:apk/wolfi/busybox@1.36.1-r15?arch=x86_64",
  "pkg:apk/chainguard/busybox@1.36.1-r15?arch=x86_64",
  "pkg:deb/debian/bash@5.2.15-2%2Bb2?arch=amd64&distro=debian-12",
  "pkg:deb/debian/bash@5.1-2?arch=amd64&distro=debian-11",
  "pkg:deb/ubuntu/bash@5.1-6ubuntu1?arch=amd64&distro=ubuntu-22.04",
  "pkg:deb/ubuntu/bash@5.2-6ubuntu1?arch=amd64&distro=ubuntu-24.04",
  "pkg:deb/bash@5.2.15-2%2Bb2",
  "pkg:rpm/redhat/openssl@3.0.7-27.el9?arch=x86_64&epoch=1",
  "pkg:rpm/fedora/openssl@3.0.7-27.el9?arch=x86_64&epoch=1",
  "pkg:golang/github.com/docker/docker@v24.0.0%2Bincompatible",
  "pkg:golang/golang.org/x/net@v0.17.0",
  "pkg:golang/stdlib@1.21.9",
  "pkg:golang/stdlib@1.22.0",
  "pkg:npm/%40angular/core@17.0.0",
  "pkg:npm/%40angular/core@17.0.1",
  "pkg:npm/%40acme/diff@1.0",
  "pkg:npm/%40acme/diff@2.0",
  "pkg:maven/org.apache.logging.log4j/log4j-core@2.17.1",
  "pkg:maven/org.apache.logging.log4j/log4j-core@2.17.2",
  "pkg:pypi/Django@4.2",
  "pkg:generic/acme-router@7.1",
  "pkg:apk/wolfi/git@2.50.1-r0?arch=x86_64",
  "pkg:apk/alpine/git@2.50.1-r0?arch=x86_64",
];

/** All questions of a scanner: each package alone, and in each image and package. */
function questions(vulnerability: string, namesOf: (image: AskedImage) => string[]): Question[] {
  const products = [...IMAGES.map(namesOf), ...PACKAGES.map((one) => [one])];
  return [
    ...PACKAGES.map((one) => ({ vulnerability, product: [one], subcomponent: "" })),
    ...products.flatMap((product) =>
      PACKAGES.map((subcomponent) => ({ vulnerability, product, subcomponent })),
    ),
  ];
}

const TIME = "2026-01-08T18:02:03Z";

/** The document that Wharf publishes of another one, in each format. */
async function republished(document: object): Promise<Map<string, readonly VexStatement[]>> {
  const { advisories } = readDocument(Buffer.from(JSON.stringify(document)), { name: "test" });
  const sorted = advisories.toSorted((a, b) => (a.artifactName < b.artifactName ? -1 : 1));
  const pieces = await Array.fromAsync(openVexDocument(sorted, "https://a.example", PUBLICATION));
  const packages = Map.groupBy(sorted, (one) => JSON.stringify(packageOf(one)));
  const csaf = [...packages.values()].map((about) => csafDocument(about, PUBLICATION));
  return new Map([
    ["OpenVEX", JSON.parse(pieces.join("")).statements],
    ["CSAF", csaf.flatMap(csafStatements)],
  ]);
}

/**
 * Asserts that each statement applies as before and no other does. Scanners write images in different forms: a
 * statement in the form of one scanner may apply to the same image in the form of the other.
 */
function assertSameMeaning(
  source: readonly VexStatement[],
  published: readonly VexStatement[],
  vulnerabilities: readonly string[],
): number {
  let applied = 0;
  for (const vulnerability of vulnerabilities) {
    const about = ({ vulnerability: { name } }: VexStatement) => name === vulnerability;
    const [given, shown] = [source.filter(about), published.filter(about)];
    const [trivy, grype] = [trivyNames, grypeNames].map((names) => questions(vulnerability, names));
    for (const [at, question] of (trivy ?? []).entries()) {
      const forms = [question, grype?.[at] as Question];
      const before = forms.map((form) => statusFor(given, form));
      for (const [form, asked] of forms.entries()) {
        const status = statusFor(shown, asked);
        const text = JSON.stringify(asked);
        if (before[form] !== undefined) assert.equal(status, before[form], text);
        else assert.ok(status === undefined || before.includes(status), `also applies: ${text}`);
        if (before[form] !== undefined) applied++;
      }
    }
  }
  return applied;
}

/** A statement about each of the products. */
function openVex(status: string, more: object): { statements: readonly VexStatement[] } {
  const statements = PRODUCTS.map(([product, ...subcomponents], at) => ({
    vulnerability: { name: `CVE-2026-${1000 + at}` },
    products: [productOf(product, subcomponents)],
    status,
    ...more,
  }));
  const head = { "@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://acme.example/vex" };
  return { ...head, author: "Acme", timestamp: TIME, version: 1, statements } as never;
}

function productOf(product: string, subcomponents: readonly string[]): VexProduct {
  if (subcomponents.length === 0) return { "@id": product };
  return { "@id": product, subcomponents: subcomponents.map((one) => ({ "@id": one })) };
}

const names = ({ statements }: { readonly statements: readonly VexStatement[] }) => [
  ...new Set(statements.map(({ vulnerability }) => vulnerability.name)),
];

describe("statements of public VEX documents", () => {
  const STATUSES: [status: string, more: object][] = [
    ["not_affected", { justification: "vulnerable_code_not_present" }],
    ["fixed", {}],
    ["affected", { action_statement: "Wait." }],
    ["under_investigation", {}],
  ];
  for (const [status, more] of STATUSES) {
    test(`apply to the same products when they are published again: ${status}`, async () => {
      const document = openVex(status, more);
      for (const [, published] of await republished(document)) {
        const applied = assertSameMeaning(document.statements, published, names(document));
        assert.ok(applied > PRODUCTS.length, "scanners ask for each product");
      }
    });
  }

  test("are distinguished by distribution, version and component, at one time and later", async () => {
    const not = { status: "not_affected", justification: "component_not_present" };
    const [open, asked] = [{ status: "affected", action_statement: "Wait." }, { status: "fixed" }];
    const later = { timestamp: "2026-02-01T00:00:00Z" };
    const on = (product: string, ...inside: string[]) => ({
      vulnerability: { name: "CVE-2026-0001" },
      products: [productOf(product, inside)],
    });
    const web = "pkg:oci/web?repository_url=ghcr.io/acme/web";
    const cases: object[][] = [
      [
        { ...on("pkg:apk/alpine/busybox"), ...not },
        { ...on("pkg:apk/wolfi/busybox"), ...open },
      ],
      [
        { ...on("pkg:deb/debian/bash"), ...asked },
        { ...on("pkg:deb/ubuntu/bash"), ...open },
      ],
      [
        { ...on("pkg:deb/debian/bash?distro=debian-12"), ...not },
        { ...on("pkg:deb/debian/bash?distro=debian-11"), ...open },
      ],
      [
        { ...on("pkg:npm/%40angular/core@17.0.0"), ...open },
        { ...on("pkg:npm/%40angular/core@17.0.1"), ...not },
      ],
      [
        { ...on(`pkg:oci/web@${D1}`, "pkg:golang/stdlib@1.21.9"), ...not },
        { ...on(`pkg:oci/web@${D2}`, "pkg:golang/stdlib@1.22.0"), ...not },
      ],
      [
        { ...on(web, "pkg:golang/stdlib@1.21.9"), ...not },
        { ...on(web, "pkg:golang/stdlib"), ...open, ...later },
      ],
      [
        { ...on(web, "pkg:golang/stdlib"), ...open },
        { ...on(web, "pkg:golang/stdlib@1.22.0"), ...asked, ...later },
      ],
      [
        { ...on(`pkg:oci/web@${D1}`), ...not },
        { ...on("pkg:oci/web"), ...open, ...later },
      ],
    ];
    for (const statements of cases as VexStatement[][]) {
      const document = { ...openVex("fixed", {}), statements };
      const { OpenVEX = [] } = Object.fromEntries(await republished(document));
      const timed = statements.map((one) => ({ timestamp: TIME, ...one }));
      assert.ok(assertSameMeaning(timed, OpenVEX, ["CVE-2026-0001"]) > 0);
    }
  });

  test("of CSAF keep the products of relationships, and packages on platforms", async () => {
    const purls = {
      busybox: "pkg:apk/alpine/busybox",
      old: "pkg:deb/debian/bash@5.1-2?arch=amd64",
      web: `pkg:oci/web@${D1}?repository_url=ghcr.io/acme/web`,
      openssl: "pkg:rpm/redhat/openssl@3.0.7-27.el9?arch=x86_64&epoch=1",
    };
    const full = Object.entries(purls).map(([product_id, purl]) => ({
      ...{ name: product_id, product_id, product_identification_helper: { purl } },
    }));
    const relation = (inner: string, outer: string) => ({
      category: "default_component_of",
      full_product_name: { name: `${inner} of ${outer}`, product_id: `${outer}:${inner}` },
      product_reference: inner,
      relates_to_product_reference: outer,
    });
    const flag = (id: string) => ({ label: "component_not_present", product_ids: [id] });
    const document = {
      document: {
        ...{ category: "csaf_vex", csaf_version: "2.0", title: "VEX" },
        publisher: { category: "vendor", name: "Acme", namespace: "https://acme.example" },
        tracking: { current_release_date: TIME, status: "final" },
      },
      product_tree: {
        full_product_names: [...full, { name: "Acme Linux 9", product_id: "AL9" }],
        relationships: [relation("old", "web"), relation("openssl", "AL9")],
      },
      vulnerabilities: [
        ["CVE-2026-0001", { known_not_affected: ["busybox"] }, "busybox"],
        ["CVE-2026-0002", { known_not_affected: ["web:old"] }, "web:old"],
        ["CVE-2026-0003", { fixed: ["AL9:openssl"] }, "AL9:openssl"],
      ].map(([cve, product_status, id]) => ({
        ...{ cve, product_status, flags: [flag(id as string)] },
      })),
    };
    const said = (name: string, status: string, product: string, ...inside: string[]) => ({
      ...{ vulnerability: { name }, status, products: [productOf(product, inside)] },
    });
    const source = [
      said("CVE-2026-0001", "not_affected", purls.busybox),
      said("CVE-2026-0002", "not_affected", purls.web, purls.old),
      said("CVE-2026-0003", "fixed", purls.openssl),
    ];
    for (const [, published] of await republished(document)) {
      assert.ok(assertSameMeaning(source, published, names({ statements: source })) > 2);
    }
  });

  test("of CycloneDX keep the product and its component", async () => {
    const web = `pkg:oci/web@${D2}?repository_url=ghcr.io/acme/web`;
    const [bash, stdlib] = ["pkg:deb/debian/bash@5.1-2?arch=amd64", "pkg:golang/stdlib@1.21.9"];
    const document = {
      ...{ bomFormat: "CycloneDX", specVersion: "1.6" },
      metadata: { timestamp: TIME, component: { "bom-ref": "web", name: "web", purl: web } },
      components: [bash, stdlib].map((purl) => ({ "bom-ref": purl, name: "x", purl })),
      vulnerabilities: [
        { id: "CVE-2026-0001", analysis: { state: "false_positive" }, affects: [{ ref: bash }] },
        { id: "CVE-2026-0002", analysis: { state: "resolved" }, affects: [{ ref: stdlib }] },
      ],
    };
    const source = [
      ["CVE-2026-0001", "not_affected", bash],
      ["CVE-2026-0002", "fixed", stdlib],
    ].map(([name = "", status = "", inside = ""]) => ({
      ...{ vulnerability: { name }, status, products: [productOf(web, [inside])] },
    }));
    for (const [, published] of await republished(document)) {
      assert.ok(assertSameMeaning(source, published, names({ statements: source })) > 1);
    }
  });
});
