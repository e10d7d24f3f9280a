import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { advisoryIdOf } from "../advisory-id.ts";
import { READ_LIMITS } from "./limits.ts";
import { packageOfUrl } from "./package.ts";
import { problemsOf, readToJson } from "./testing.ts";

const VEX = {
  "@context": "https://openvex.dev/ns/v0.2.0",
  "@id": "https://example.com/vex/2026-0001",
  author: "Security team <security@example.com>",
  timestamp: "2026-01-08T18:02:03.647Z",
  version: 2,
  statements: [
    {
      vulnerability: { name: "CVE-2026-0001", aliases: ["GHSA-4x9r-j582-cgr8"] },
      products: [{ "@id": "pkg:apk/wolfi/git@2.50.0-r0?arch=x86_64" }],
      status: "under_investigation",
      timestamp: "2026-01-06T00:00:00Z",
    },
    {
      vulnerability: { name: "CVE-2026-0001" },
      products: [
        { "@id": "pkg:apk/wolfi/git@2.50.1-r0?arch=x86_64" },
        {
          "@id": "https://example.com/images/git",
          identifiers: { purl: "pkg:oci/git?arch=amd64" },
          subcomponents: [{ "@id": "pkg:npm/%40acme/diff@1.0.0" }],
        },
      ],
      status: "fixed",
      status_notes: "Rebuilt.",
    },
    {
      vulnerability: { name: "CVE-2026-0002" },
      products: [{ "@id": "pkg:apk/wolfi/git" }],
      status: "not_affected",
      justification: "vulnerable_code_not_in_execute_path",
      impact_statement: "Only used by the tests.",
    },
    {
      vulnerability: { name: "CVE-2026-0003" },
      products: [{ "@id": "pkg:apk/wolfi/git" }],
      status: "affected",
      action_statement: "Do not clone from strangers.",
    },
  ],
};

describe("OpenVEX", () => {
  test("statements become events of one advisory for each product and component", () => {
    const { advisories } = readToJson(VEX);
    assert.equal(advisories.length, 4);
    const [git, image, notAffected, affected] = advisories;
    const author = VEX.author;
    assert.deepEqual(git, {
      advisoryId: advisoryIdOf(["apk", "git", "x86_64", "CVE-2026-0001"]),
      author,
      artifactName: "git",
      artifactType: "apk",
      artifactArchitecture: "x86_64",
      componentName: "git",
      componentType: "apk",
      aliases: ["CVE-2026-0001", "GHSA-4x9r-j582-cgr8"],
      events: [
        {
          createTime: "2026-01-06T00:00:00Z",
          author,
          reviewState: "REVIEW_STATE_APPROVED",
          detection: { manual: {} },
          products: ["pkg:apk/wolfi/git@2.50.0-r0?arch=x86_64"],
        },
        {
          createTime: "2026-01-08T18:02:03.647Z",
          author,
          reviewState: "REVIEW_STATE_APPROVED",
          fixed: { fixedVersion: "2.50.1-r0", note: "Rebuilt." },
          products: ["pkg:apk/wolfi/git@2.50.1-r0?arch=x86_64"],
        },
      ],
    });
    assert.deepEqual(
      [image.artifactType, image.artifactName, image.artifactArchitecture, image.componentName],
      ["image", "git", "amd64", "@acme/diff"],
    );
    // No version has the fix.
    assert.deepEqual(image.events[0].patched, { note: "Rebuilt." });
    assert.deepEqual(notAffected.events[0].falsePositiveDetermination, {
      type: "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH",
      note: "Only used by the tests.",
    });
    assert.deepEqual(affected.events[0].truePositiveDetermination, {
      note: "Do not clone from strangers.",
    });
  });

  test("each justification has its type; only an impact statement has none", () => {
    const said = (more: object) => {
      const statement = { ...VEX.statements[2], justification: undefined, ...more };
      const { events } = readToJson({ ...VEX, statements: [statement] }).advisories[0];
      return events[0].falsePositiveDetermination.type;
    };
    assert.deepEqual(
      [
        "component_not_present",
        "vulnerable_code_not_present",
        "vulnerable_code_not_in_execute_path",
        "vulnerable_code_cannot_be_controlled_by_adversary",
        "inline_mitigations_already_exist",
        undefined,
      ].map((justification) => said({ justification })),
      [
        "TYPE_COMPONENT_VULNERABILITY_MISMATCH",
        "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE",
        "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH",
        "TYPE_VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY",
        "TYPE_INLINE_MITIGATIONS_EXIST",
        undefined,
      ],
    );
  });

  test("versions of one product at one time: a fix takes precedence, then the worst status", () => {
    const [, fixed, not, affected] = VEX.statements;
    const about = { vulnerability: { name: "CVE-2026-9" } };
    const at = (version: string) => ({ products: [{ "@id": `pkg:apk/wolfi/git@${version}` }] });
    const events = (...statements: object[]) =>
      readToJson({ ...VEX, statements }).advisories[0].events.map(
        ({ createTime: _, author: __, reviewState: ___, ...type }: Record<string, unknown>) => type,
      );
    assert.deepEqual(
      events({ ...affected, ...about, ...at("1") }, { ...fixed, ...about, ...at("2") }),
      [
        {
          truePositiveDetermination: { note: "Do not clone from strangers." },
          products: ["pkg:apk/wolfi/git@1"],
        },
        { fixed: { fixedVersion: "2", note: "Rebuilt." }, products: ["pkg:apk/wolfi/git@2"] },
      ],
    );
    assert.deepEqual(
      events({ ...fixed, ...about, ...at("2") }, { ...fixed, ...about, ...at("3") }),
      [
        {
          patched: { patchedVersions: ["2", "3"], note: "Rebuilt." },
          products: ["pkg:apk/wolfi/git@2", "pkg:apk/wolfi/git@3"],
        },
      ],
    );
    const [cleared, worst, ...others] = events(
      { ...not, ...about, ...at("1") },
      { ...affected, ...about, ...at("2") },
    );
    assert.deepEqual(others, []);
    assert.ok("truePositiveDetermination" in worst && "falsePositiveDetermination" in cleared);
    assert.deepEqual(
      [worst.products, cleared.products],
      [["pkg:apk/wolfi/git@2"], ["pkg:apk/wolfi/git@1"]],
    );
  });

  test("not affected for some versions does not clear the others", () => {
    const [, , not] = VEX.statements;
    const said = (...products: object[]) => {
      const statement = { ...not, impact_statement: "Unused.", products };
      const [{ events }] = readToJson({ ...VEX, statements: [statement] }).advisories;
      assert.equal(events.length, 1);
      const [{ reviewState, falsePositiveDetermination, products: named = [] }] = events;
      return [reviewState, falsePositiveDetermination.note, ...named];
    };
    const git = (version: string) => ({ "@id": `pkg:apk/wolfi/git${version}` });
    const approved = "REVIEW_STATE_APPROVED";
    assert.deepEqual(said(git("")), [approved, "Unused.", git("")["@id"]]);
    const [two, three] = [git("@2")["@id"], git("@3?arch=x86_64")["@id"]];
    assert.deepEqual(said(git("@2")), [approved, "Unused.", two]);
    assert.deepEqual(said(git("@2"), git("@3")), [approved, "Unused.", two, git("@3")["@id"]]);
    assert.deepEqual(said(git("@3?arch=x86_64")), [approved, "Unused.", three]);
    assert.deepEqual(said(git("@2"), git("")), [approved, "Unused.", two, git("")["@id"]]);
    const within = { ...git(""), subcomponents: [{ "@id": "pkg:npm/diff@1.0" }] };
    assert.deepEqual(said(within), [approved, "Unused.", git("")["@id"]]);
    const many = Array.from({ length: 202 }, (_, at) => git(`@${at}`));
    const [state, note, ...named] = said(...many);
    assert.deepEqual([state, named.length], [approved, 200]);
    assert.equal(note, "Also said of pkg:apk/wolfi/git@200, pkg:apk/wolfi/git@201. Unused.");
    const sha = "0a".repeat(32);
    const image = {
      "@id": "pkg:oci/app?repository_url=ghcr.io/acme/app",
      hashes: { "sha-256": sha },
    };
    assert.deepEqual(said(image), [
      ...[approved, "Unused."],
      `pkg:oci/app@sha256:${sha}?repository_url=ghcr.io%2Facme%2Fapp`,
    ]);
  });

  test("may have no version, no time, and no name of a vulnerability", () => {
    const [, , statement] = VEX.statements;
    const read = (more: object, vulnerability: object) =>
      readToJson({ ...VEX, ...more, statements: [{ ...statement, vulnerability }] }).advisories[0];
    const name = { name: "CVE-2026-0002" };
    for (const context of ["https://openvex.dev/ns", "https://openvex.dev/ns/"]) {
      assert.deepEqual(read({ "@context": context }, name), read({}, name));
    }
    for (const id of ["https://nvd.nist.gov/vuln/detail/CVE-2026-0002", "urn:cve:CVE-2026-0002"]) {
      assert.deepEqual(read({}, { "@id": id }), read({}, name));
    }
    assert.equal(read({ timestamp: undefined }, name).events[0].createTime, undefined);
    assert.match(problemsOf({ ...VEX, "@context": "https://openvex.dev/ns/v1" }).join(), /v1/);
  });

  test("a named advisory is matched", () => {
    const id = "CGA-2q5g-x3vm-7r9c";
    const statement = { ...VEX.statements[3], "@id": `https://example.com/osv/${id}.json` };
    const named = {
      ...VEX.statements[2],
      vulnerability: { name: "CVE-2026-0002", aliases: ["CGA-3wxr-55jp-h6fm"] },
    };
    const { advisories } = readToJson({ ...VEX, statements: [statement, named] });
    assert.deepEqual(
      advisories.map((one: Record<string, unknown>) => [one.advisoryId, one.aliases]),
      [
        [id, ["CVE-2026-0003"]],
        ["CGA-3wxr-55jp-h6fm", ["CVE-2026-0002"]],
      ],
    );
  });

  test("an advisory id of several products is replaced by derived ids", () => {
    const vulnerability = { name: "CVE-2026-0003", aliases: ["CGA-3wxr-55jp-h6fm"] };
    const products = [{ "@id": "pkg:apk/wolfi/git" }, { "@id": "pkg:apk/wolfi/gitea" }];
    const { advisories } = readToJson({
      ...VEX,
      statements: [{ ...VEX.statements[3], vulnerability, products }],
    });
    assert.deepEqual(
      advisories.map((one: Record<string, unknown>) => [one.advisoryId, one.artifactName]),
      ["git", "gitea"].map((name) => [advisoryIdOf(["apk", name, "all", "CVE-2026-0003"]), name]),
    );
  });

  test("packages of two releases of a distribution are different", () => {
    const package_ = (version: string, release: string) => [
      { "@id": `pkg:deb/debian/curl@${version}?arch=amd64&distro=${release}` },
    ];
    const { advisories } = readToJson({
      ...VEX,
      statements: [
        { ...VEX.statements[3], products: package_("7.74", "debian-11") },
        {
          ...{ vulnerability: { name: "CVE-2026-0003" }, status: "fixed" },
          products: package_("7.88", "debian-12.5"),
        },
      ],
    });
    assert.deepEqual(
      advisories.map((one: Record<string, unknown>) => one.componentLocation),
      ["Debian:11", "Debian:12"],
    );
    assert.deepEqual(advisories[0].events[0].truePositiveDetermination, {
      note: "Do not clone from strangers.",
    });
    assert.equal(advisories[1].events[0].fixed.fixedVersion, "7.88");
  });

  test("with too many statements is rejected at the excess", () => {
    const limits = { ...READ_LIMITS, statements: 200 };
    const products = Array.from({ length: 51 }, (_, at) => ({ "@id": `pkg:apk/wolfi/${at}` }));
    const statements = VEX.statements.map((statement) => ({ ...statement, products }));
    assert.match(
      problemsOf(JSON.stringify({ ...VEX, statements }), { limits }).join("\n"),
      /^1:\d+: statements\[3\]: has more than 200 statements about products up to here$/,
    );
  });

  test("long texts are truncated to a note", () => {
    const long = `${"x".repeat(3_999)}😀`;
    const statement = { ...VEX.statements[3], action_statement: long, status_notes: `y${long}` };
    const { advisories } = readToJson({ ...VEX, statements: [statement] });
    const { note } = advisories[0].events[0].truePositiveDetermination;
    assert.equal(note, `${long}\ny${"x".repeat(92)}…`);
    assert.equal(note.length, READ_LIMITS.textLength);
  });

  test("of other versions or with invalid fields is rejected with line and reason", () => {
    assert.deepEqual(problemsOf({ ...VEX, "@context": "https://openvex.dev/ns/v0.3.0" }), [
      '2:15: @context: "https://openvex.dev/ns/v0.3.0" is not supported; expected OpenVEX 0.2',
    ]);
    const statements = [
      { vulnerability: {}, status: "maybe", products: [{ "@id": "git" }] },
      { vulnerability: { name: "A" }, status: "not_affected", products: [{}] },
      { vulnerability: { name: "A" }, status: "fixed" },
    ];
    assert.deepEqual(problemsOf({ ...VEX, author: undefined, statements }), [
      "1:1: author: is missing",
      "8:24: statements[0].vulnerability.name: is missing",
      '9:17: statements[0].status: must be one of fixed, affected, under_investigation, not_affected, not "maybe"',
      '12:18: statements[0].products[0].@id: "git" is not a package URL',
      "22:9: statements[1].products[0].@id: is missing",
      "25:5: statements[2].products: is missing: a statement must name its products",
    ]);
    const unjustified = { ...VEX.statements[2], justification: undefined, impact_statement: "" };
    assert.match(
      problemsOf({ ...VEX, statements: [unjustified] })[0] as string,
      /statements\[0\]: is not_affected without a justification or an impact_statement$/,
    );
  });
});

test("package URLs have the names of their ecosystems", () => {
  const named = (text: string) => {
    const purl = packageOfUrl(text);
    return purl && [purl.type, purl.name, purl.version, purl.architecture];
  };
  assert.deepEqual(named("pkg:apk/wolfi/openssl@3.0-r1?arch=x86_64"), [
    "apk",
    "openssl",
    "3.0-r1",
    "x86_64",
  ]);
  assert.deepEqual(named("pkg:npm/%40a/b@1"), ["npm", "@a/b", "1", "all"]);
  // Many tools do not percent-encode npm scopes.
  assert.deepEqual(named("pkg:npm/@a/b@1"), ["npm", "@a/b", "1", "all"]);
  assert.deepEqual(named("pkg:npm/@a/b"), ["npm", "@a/b", "", "all"]);
  assert.deepEqual(named("pkg:maven/org.a/b@1#x"), ["maven", "org.a:b", "1", "all"]);
  assert.deepEqual(named("pkg:golang/github.com/a/b@v1"), [
    "golang",
    "github.com/a/b",
    "v1",
    "all",
  ]);
  for (const text of ["", "pkg:", "pkg:npm", "pkg:npm/", "npm/a", "pkg:npm/%zz", "pkg:npm//"]) {
    assert.equal(packageOfUrl(text), undefined, text);
  }
});

test("releases of distributions are read as OSV ecosystems", () => {
  const release = (text: string) => packageOfUrl(`pkg:${text}`)?.release;
  assert.equal(release("apk/alpine/a@1?distro=alpine-3.20.1"), "Alpine:v3.20");
  assert.equal(release("deb/ubuntu/a?distro=ubuntu-24.04"), "Ubuntu:24.04");
  assert.equal(release("rpm/redhat/a?distro=rhel-9.3"), "rhel-9.3");
  for (const text of ["apk/wolfi/a?distro=wolfi-20230201", "apk/alpine/a", "npm/a?distro=x-1"]) {
    assert.equal(release(text), "", text);
  }
});

test("images are identified by their repository, complete or not", () => {
  const named = (text: string) => {
    const { type, name, version, architecture } = packageOfUrl(text) ?? {};
    assert.equal(type, "image");
    return [name, version, architecture];
  };
  const digest = `sha256:${"0a".repeat(32)}`;
  const repository = "repository_url=ghcr.io/acme/App";
  assert.deepEqual(named(`pkg:oci/app@${digest}?arch=amd64&${repository}`), [
    ...["ghcr.io/acme/App", digest, "amd64"],
  ]);
  assert.deepEqual(named(`pkg:oci/app?${encodeURI(repository)}&tag=v1`), [
    ...["ghcr.io/acme/App", "v1", "all"],
  ]);
  assert.deepEqual(named("pkg:oci/app?repository_url=ghcr.io%2Facme%2Fapp"), [
    ...["ghcr.io/acme/app", "", "all"],
  ]);
  assert.equal(named("pkg:oci/app?repository_url=https://ghcr.io/acme/")[0], "ghcr.io/acme/app");
  assert.equal(named("pkg:oci/app?repository_url=")[0], "app");
  // Without the name, as some tools write it.
  assert.equal(named("pkg:oci/acme/app")[0], "acme/app");
  assert.equal(named("pkg:docker/acme/app@1?repository_url=gcr.io")[0], "gcr.io/acme/app");
  // A plus is not a space.
  assert.equal(named("pkg:oci/app?tag=1+2")[1], "1+2");
});
