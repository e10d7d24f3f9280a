import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { type Advisory, AdvisorySchema } from "@wharf/contract/messages";
import { advisory, event, KINDS, PUBLICATION } from "../../test/samples.ts";
import { assertValid } from "../../test/schemas.ts";
import { readDocument } from "../read/index.ts";
import { openVexDocument } from "./openvex.ts";
import { osvDocument } from "./osv.ts";

const ID = "https://wharf.example.com/feeds/acme/openvex/all.json";

async function textOf(advisories: readonly Advisory[]): Promise<string> {
  let text = "";
  for await (const piece of openVexDocument(advisories, ID, PUBLICATION)) text += piece;
  return text;
}

const everything = KINDS.map(([type], at) =>
  advisory({
    advisoryId: `CGA-2222-3333-444${at}`,
    aliases: ["GHSA-2222-3333-4444", `CVE-2026-123${at}`],
    events: [event(type, at + 1)],
  }),
);

describe("OpenVEX documents", () => {
  test("are valid, and have a statement for each advisory", async () => {
    const document = JSON.parse(await textOf(everything));
    assertValid("openvex", document);
    assert.deepEqual(
      document.statements.map((one: { status: string }) => one.status),
      KINDS.map(([, status]) => status),
    );
    const { statements: _, ...head } = document;
    assert.deepEqual(head, {
      "@context": "https://openvex.dev/ns/v0.2.0",
      "@id": ID,
      author: "acme",
      tooling: "wharf",
      timestamp: "2026-01-01T00:00:00.123Z",
      last_updated: "2026-02-03T04:05:06.789Z",
      version: Date.parse("2026-02-03T04:05:06.789Z"),
    });
  });

  test("have a product for each fixed version, and a reason for not affected", async () => {
    const { statements } = JSON.parse(await textOf(everything));
    const purls = (at: number) =>
      statements[at].products.map((one: { identifiers: { purl: string } }) => one.identifiers.purl);
    assert.deepEqual(purls(5), [
      "pkg:apk/wolfi/openssl@3.4.1-r2?arch=x86_64",
      "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64",
    ]);
    assert.deepEqual(purls(0), ["pkg:apk/wolfi/openssl?arch=x86_64"]);
    assert.deepEqual(statements[0].products[0].subcomponents, [
      { "@id": "pkg:apk/wolfi/libcrypto3", identifiers: { purl: "pkg:apk/wolfi/libcrypto3" } },
    ]);
    assert.equal(statements[2].justification, "vulnerable_code_not_in_execute_path");
    assert.equal(statements[2].impact_statement, "never called");
    assert.equal(statements[3].justification, undefined);
    assert.equal(statements[7].action_statement, "A fix is not planned. end of life");
    assert.deepEqual(statements[0].vulnerability, {
      name: "CVE-2026-1230",
      aliases: ["GHSA-2222-3333-4444", "CGA-2222-3333-4440"],
    });
  });

  const TYPES = [
    "component_not_present",
    "vulnerable_code_not_present",
    "vulnerable_code_not_present",
    "vulnerable_code_not_in_execute_path",
    "vulnerable_code_cannot_be_controlled_by_adversary",
    "inline_mitigations_already_exist",
  ];
  for (const [at, justification] of TYPES.entries()) {
    test(`justify false positives of type ${at + 2} as ${justification}`, async () => {
      const events = [event({ falsePositiveDetermination: { type: at + 2 } })];
      const { statements } = JSON.parse(await textOf([advisory({ events })]));
      assert.equal(statements[0].justification, justification);
    });
  }

  test("explain contested vulnerability records without a justification", async () => {
    const type = "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED";
    for (const note of ["", "The CVE was disputed by upstream."]) {
      const events = [event({ falsePositiveDetermination: { type, note } })];
      const text = await textOf([advisory({ events })]);
      const [statement] = JSON.parse(text).statements;
      assert.equal(statement.status, "not_affected");
      assert.equal(statement.justification, undefined);
      const sentence = "The analysis in the vulnerability record is contested.";
      assert.equal(statement.impact_statement, [sentence, note].filter(Boolean).join(" "));
      const [read] = readDocument(Buffer.from(text), { name: "test" }).advisories;
      const {
        events: [imported],
      } = toJson(AdvisorySchema, read ?? assert.fail()) as {
        events: JsonObject[];
      };
      assert.deepEqual(
        imported?.falsePositiveDetermination,
        note === "" ? { type } : { type, note },
      );
    }
  });

  const SHA = "0a".repeat(32);
  const DIGEST = `pkg:oci/app@sha256:${SHA}?arch=amd64&repository_url=ghcr.io%2Facme%2Fapp`;
  const IMAGE = { artifactType: "image", artifactName: "ghcr.io/acme/app", componentType: "image" };
  const CLEARED = { falsePositiveDetermination: { type: 5, note: "unused" }, products: [DIGEST] };

  test("clear single products only, and keep them when imported", async () => {
    const given = { ...IMAGE, componentName: IMAGE.artifactName, componentLocation: "" };
    const stored = advisory({
      ...given,
      events: [event({ detection: { manual: {} } }, 1), event(CLEARED, 2)],
    });
    const text = await textOf([stored]);
    assertValid("openvex", JSON.parse(text));
    const shown = JSON.parse(text).statements.map((one: JsonObject) => [one.status, one.products]);
    const whole = "pkg:oci/app?arch=amd64&repository_url=ghcr.io%2Facme%2Fapp";
    assert.deepEqual(shown, [
      ["under_investigation", [{ "@id": whole, identifiers: { purl: whole } }]],
      [
        "not_affected",
        [{ "@id": DIGEST, identifiers: { purl: DIGEST }, hashes: { "sha-256": SHA } }],
      ],
    ]);
    const [read] = readDocument(Buffer.from(text), { name: "test" }).advisories;
    assert.deepEqual(
      read?.events.map(({ products }) => products),
      [[whole], [DIGEST]],
    );
    const bare = ({ statements }: JsonObject) => statements;
    assert.deepEqual(
      bare(JSON.parse(await textOf([read ?? assert.fail()]))),
      bare(JSON.parse(text)),
    );
    const later = advisory({ ...given, events: [event(CLEARED, 1), event({ fixed: {} }, 2)] });
    assert.equal(JSON.parse(await textOf([later])).statements.length, 1, "superseded");
    const only = JSON.parse(await textOf([advisory({ ...given, events: [event(CLEARED, 1)] })]));
    assert.equal(only.statements.length, 1);
    assert.equal(
      osvDocument([advisory({ ...given, events: [event(CLEARED, 1)] })], PUBLICATION),
      undefined,
    );
  });

  test("clear no product with a component that is affected at another location", async () => {
    const about = { ...IMAGE, componentName: "zlib", componentType: "apk" };
    const here = advisory({ ...about, componentLocation: "/a", events: [event(CLEARED, 2)] });
    const id = { advisoryId: "CGA-2222-3333-4445" };
    for (const [type, statuses] of [
      [{ truePositiveDetermination: {} }, ["affected"]],
      [{ falsePositiveDetermination: {} }, ["not_affected"]],
    ] as const) {
      const there = advisory({ ...about, ...id, componentLocation: "/b", events: [event(type)] });
      const { statements } = JSON.parse(await textOf([here, there]));
      assert.deepEqual(
        statements.map(({ status }: JsonObject) => status),
        statuses,
      );
    }
  });

  test("omit deleted and unapproved advisories, except for the time of deletion", async () => {
    const events = [event({ fixed: { fixedVersion: "2" } })];
    const deleted = { deleteTime: "2026-03-01T00:00:00Z", updateTime: "2026-03-01T00:00:00Z" };
    const hidden = advisory({ events: [event({ fixed: { fixedVersion: "2" } }, 1, "PENDING")] });
    const document = JSON.parse(
      await textOf([advisory({ events, ...deleted }), hidden, advisory({ events })]),
    );
    assert.equal(document.statements.length, 1);
    assert.equal(document.last_updated, "2026-03-01T00:00:00.000Z");
    assert.equal(await textOf([hidden, advisory({ events, ...deleted })]), "");
  });

  const [FIXED, CLEAR] = [{ fixed: { fixedVersion: "2" } }, { falsePositiveDetermination: {} }];
  const OPEN = { truePositiveDetermination: {} };
  const cases: [what: string, said: [type: object, about: object][], shown: string[]][] = [
    [
      "of another place",
      [
        [OPEN, { componentLocation: "/a" }],
        [CLEAR, {}],
        [FIXED, {}],
      ],
      ["0"],
    ],
    [
      "before a fix",
      [
        [FIXED, { componentLocation: "/a" }],
        [CLEAR, {}],
      ],
      ["0"],
    ],
    [
      "of all",
      [
        [OPEN, {}],
        [CLEAR, { componentName: "openssl" }],
      ],
      ["0"],
    ],
    [
      "of any architecture",
      [
        [OPEN, {}],
        [CLEAR, { artifactArchitecture: "all" }],
      ],
      ["0"],
    ],
    [
      "where all is open",
      [
        [OPEN, { artifactArchitecture: "all" }],
        [CLEAR, {}],
      ],
      ["0"],
    ],
    [
      "of another architecture",
      [
        [OPEN, {}],
        [CLEAR, { artifactArchitecture: "arm" }],
      ],
      ["0", "1"],
    ],
    [
      "of another component",
      [
        [OPEN, {}],
        [CLEAR, { componentName: "libssl3" }],
      ],
      ["0", "1"],
    ],
    [
      "of another vulnerability",
      [
        [OPEN, {}],
        [CLEAR, { aliases: ["CVE-2026-1"] }],
      ],
      ["0", "1"],
    ],
    [
      "of another package",
      [
        [OPEN, {}],
        [CLEAR, { artifactName: "other" }],
      ],
      ["0", "1"],
    ],
  ];
  for (const [what, said, shown] of cases) {
    const outcome = shown.length < said.length ? "is omitted" : "is published";
    test(`not affected ${what} ${outcome}`, async () => {
      const advisories = said.map(([type, about], at) =>
        advisory({ advisoryId: `CGA-${at}`, events: [event(type as JsonObject)], ...about }),
      );
      const { statements } = JSON.parse(await textOf(advisories));
      const published = statements.map(
        (one: { "@id": string }) => /CGA-(\d)/.exec(one["@id"])?.[1],
      );
      assert.deepEqual(published, shown);
    });
  }

  test("can be imported", async () => {
    const read = readDocument(Buffer.from(await textOf(everything)), { name: "test" });
    assert.ok(read.advisories.length > 0);
  });
});
