import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf, PATHS } from "../../../test/support/exposure/documents.ts";
import { type Attestation, readAttestations } from "./attestations.ts";
import { SBOM_LIMITS } from "./limits.ts";

const HEX = "ab".repeat(32);
const DIGESTS = new Set([`sha256:${HEX}`]);
const SPDX = {
  spdxVersion: "SPDX-2.3",
  SPDXID: "SPDXRef-DOCUMENT",
  name: "app",
  documentDescribes: ["SPDXRef-image"],
  packages: [
    { SPDXID: "SPDXRef-image", name: "app", primaryPackagePurpose: "CONTAINER" },
    ...["pretend-baselayout", "replayout"].map((name) => ({
      SPDXID: `SPDXRef-${name}`,
      name,
      versionInfo: "1.0.0-r0",
      externalRefs: [
        { referenceType: "purl", referenceLocator: `pkg:apk/unknown/${name}@1.0.0-r0?arch=x86_64` },
      ],
    })),
  ],
  relationships: ["pretend-baselayout", "replayout"].map((name) => ({
    spdxElementId: "SPDXRef-image",
    relationshipType: "CONTAINS",
    relatedSpdxElement: `SPDXRef-${name}`,
  })),
};
const CYCLONEDX = {
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  components: [{ type: "library", name: "a", purl: "pkg:npm/a@1" }],
};
const OPENVEX = {
  "@context": "https://openvex.dev/ns/v0.2.0",
  author: "Acme",
  statements: [
    { vulnerability: { name: "CVE-1" }, status: "fixed", products: [{ "@id": "pkg:npm/a@1" }] },
  ],
};

function statement(predicateType: string, predicate: unknown, hex = HEX) {
  return {
    _type: "https://in-toto.io/Statement/v1",
    predicateType,
    subject: [
      { name: "other", digest: { sha1: "0".repeat(40) } },
      { name: "registry.example.com/app", digest: { sha256: hex } },
    ],
    predicate,
  };
}

function envelope(payload: unknown) {
  return {
    payloadType: "application/vnd.in-toto+json",
    payload: Buffer.from(JSON.stringify(payload)).toString("base64"),
    signatures: [{ keyid: "", sig: "AAAA" }],
  };
}

function bundle(dsseEnvelope: unknown) {
  return {
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { tlogEntries: [], certificate: { rawBytes: "AAAA" } },
    dsseEnvelope,
  };
}

const SPDX_TYPE = "https://spdx.dev/Document";
const CYCLONEDX_TYPE = "https://cyclonedx.org/bom";
const VEX_TYPE = "https://openvex.dev/ns/v0.2.0";

for (const [path, limits] of PATHS) {
  const read = (file: unknown) => readAttestations(chunksOf(file, 97), DIGESTS, limits);
  const readOne = async (file: unknown): Promise<Attestation> => {
    const all = await read(file);
    assert.equal(all.length, 1);
    return all[0] as Attestation;
  };

  test(`reads every wrapping of every format, ${path}`, async () => {
    const documents: [string, unknown, (one: Attestation) => unknown, unknown][] = [
      [SPDX_TYPE, SPDX, names, ["pretend-baselayout", "replayout"]],
      [`${SPDX_TYPE}/v2.3`, SPDX, names, ["pretend-baselayout", "replayout"]],
      [CYCLONEDX_TYPE, CYCLONEDX, names, ["a"]],
      [`${CYCLONEDX_TYPE}/v1.5`, CYCLONEDX, names, ["a"]],
      [VEX_TYPE, OPENVEX, (one) => one.contents?.vex?.statements[0]?.vulnerabilities, ["CVE-1"]],
    ];
    for (const [type, document, found, expected] of documents) {
      const predicates = [document, { Data: document }, { Data: JSON.stringify(document) }];
      for (const predicate of predicates) {
        const plain = statement(type, predicate);
        const { predicate: first, ...rest } = plain;
        const files = [
          plain,
          { predicate: first, ...rest },
          envelope(plain),
          bundle(envelope(plain)),
        ];
        for (const file of files) {
          const one = await readOne(file);
          assert.equal(one.refusal, undefined);
          assert.equal(one.predicateType, type);
          assert.deepEqual(one.subjects, [`sha256:${HEX}`]);
          assert.deepEqual(found(one), expected);
        }
      }
    }
  });

  test(`reads several envelopes, and skips provenance, ${path}`, async () => {
    const provenance = statement("https://slsa.dev/provenance/v1", { buildDefinition: { x: [1] } });
    const all = [
      envelope(statement(SPDX_TYPE, SPDX)),
      envelope(provenance),
      statement(CYCLONEDX_TYPE, CYCLONEDX),
      { payloadType: "application/x", payload: "AAAA" },
    ];
    const found = await read(`${all.map((one) => JSON.stringify(one)).join("\n")}\n`);
    assert.deepEqual(
      found.map((one) => [one.predicateType, names(one), one.refusal?.code]),
      [
        [SPDX_TYPE, ["pretend-baselayout", "replayout"], undefined],
        ["https://slsa.dev/provenance/v1", undefined, undefined],
        [CYCLONEDX_TYPE, ["a"], undefined],
        ["application/x", undefined, undefined],
      ],
    );
  });

  test(`rejects statements about other subjects, ${path}`, async () => {
    const hexes = ["cd".repeat(32), HEX.toUpperCase(), `sha256:${HEX}`, `${HEX}00`, ""];
    for (const hex of hexes) {
      const one = await readOne(envelope(statement(SPDX_TYPE, SPDX, hex)));
      assert.equal(one.refusal?.code, "wrong_subject", hex);
      assert.equal(one.contents, undefined);
    }
    const { subject: _, ...without } = statement(SPDX_TYPE, SPDX);
    assert.equal((await readOne(without)).refusal?.code, "wrong_subject");
  });

  test(`rejects what a statement cannot contain, ${path}`, async () => {
    const spdx3 = { "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": [] };
    const tampered = envelope(statement(SPDX_TYPE, SPDX));
    const cases: [unknown, string][] = [
      [statement(`${SPDX_TYPE}/v3`, spdx3), "spdx3"],
      [statement(`${SPDX_TYPE}/v3.0`, SPDX), "spdx3"],
      [statement(SPDX_TYPE, spdx3), "spdx3"],
      [statement(SPDX_TYPE, CYCLONEDX), "unknown_format"],
      [statement(CYCLONEDX_TYPE, OPENVEX), "unknown_format"],
      [statement(SPDX_TYPE, undefined), "unknown_format"],
      [statement(SPDX_TYPE, { Data: "SPDXVersion: SPDX-2.2" }), "tag_value"],
      [statement(CYCLONEDX_TYPE, { Data: "<bom/>" }), "xml"],
      [statement(SPDX_TYPE, { Data: "{" }), "not_json"],
      [SPDX, "unknown_format"],
      [envelope(envelope(statement(SPDX_TYPE, SPDX))), "unknown_format"],
      [{ ...tampered, payload: `${tampered.payload.slice(0, 40)}!` }, "invalid_payload"],
      [{ ...tampered, payload: tampered.payload.slice(0, 400) }, "not_json"],
      [{ ...tampered, payload: `${tampered.payload.slice(0, 400)}AAAA` }, "not_json"],
    ];
    for (const [file, code] of cases) {
      const one = await readOne(file);
      assert.equal(one.refusal?.code, code, JSON.stringify(file)?.slice(0, 200));
      assert.equal(one.contents, undefined);
    }
  });

  test(`reads nothing of an earlier predicate of the same statement, ${path}`, async () => {
    const text = JSON.stringify(statement(SPDX_TYPE, SPDX));
    const start = text.slice(0, -1);
    const one = await readOne(`${start},"predicate":${JSON.stringify(CYCLONEDX)}}`);
    assert.equal(one.refusal?.code, "unknown_format");
    const other = statement(SPDX_TYPE, { Data: JSON.stringify(CYCLONEDX) });
    const last = await readOne(
      `${JSON.stringify(other).slice(0, -1)},"predicate":${JSON.stringify(SPDX)}}`,
    );
    assert.deepEqual(names(last), ["pretend-baselayout", "replayout"]);
  });
}

test("bounds the payload like the document", async () => {
  const file = envelope(statement(SPDX_TYPE, SPDX));
  const limits = { ...SBOM_LIMITS, components: 2 };
  const [one] = await readAttestations(chunksOf(file), DIGESTS, limits);
  assert.equal(one?.refusal?.code, "too_many_components");
});

test("reads a payload of base64 for URLs", async () => {
  const file = envelope(statement(SPDX_TYPE, { ...SPDX, name: "???>>>~~~ÿÿ" }));
  const payload = file.payload.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  assert.notEqual(payload, file.payload);
  const [one] = await readAttestations(chunksOf({ ...file, payload }), DIGESTS);
  assert.deepEqual(names(one), ["pretend-baselayout", "replayout"]);
});

function names(one: Attestation | undefined): string[] | undefined {
  return one?.contents?.sbom?.packages.map(({ name }) => name);
}
