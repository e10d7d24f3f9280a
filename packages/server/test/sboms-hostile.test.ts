/** Documents that are made to exhaust, to confuse or to slip past the reader. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import type { SbomLimits } from "../src/exposure/sboms/limits.ts";
import { readDocument } from "../src/exposure/sboms/read-document.ts";
import { REFUSALS, SbomRefused } from "../src/exposure/sboms/refusal.ts";
import {
  chunksOf,
  MIB,
  PATHS,
  readSbom,
  refusalOf,
  repeated,
} from "./support/exposure/documents.ts";
import { runs } from "./support/oracle/runs.ts";

const CYCLONEDX = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1 };
const SPDX = { spdxVersion: "SPDX-2.3", SPDXID: "SPDXRef-DOCUMENT", name: "x" };
const COMPONENT = { "bom-ref": "a", type: "library", name: "a", purl: "pkg:npm/a@1" };

/** A small document with one of everything. */
const SMALL = {
  ...SPDX,
  creationInfo: { created: "2026-01-31T12:00:00Z", creators: ["Tool: made here"] },
  documentDescribes: ["SPDXRef-a"],
  packages: [
    { SPDXID: "SPDXRef-a", name: "a", versionInfo: "1", primaryPackagePurpose: "CONTAINER" },
    {
      SPDXID: "SPDXRef-b",
      name: "b",
      versionInfo: "2",
      licenseDeclared: "MIT",
      externalRefs: [{ referenceType: "purl", referenceLocator: "pkg:npm/b@2" }],
    },
  ],
  relationships: [
    { spdxElementId: "SPDXRef-a", relationshipType: "CONTAINS", relatedSpdxElement: "SPDXRef-b" },
  ],
};

test("rejects 100 MB before it has read them", async () => {
  let sent = 0;
  async function* counted() {
    const file = `{"fileName":"${"x".repeat(500)}"},`;
    for await (const chunk of repeated('{"files":[', file, 100 * MIB, "1]}")) {
      sent += chunk.byteLength;
      yield chunk;
    }
  }
  assert.equal(await refusalOf(readSbom(counted())), "too_large");
  assert.ok(sent < 70 * MIB);
});

test("reads packages around 50 MB of files in a heap of 32 MB", async () => {
  const program = new URL("./support/exposure/large-sbom.ts", import.meta.url);
  const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 32 } });
  const [names] = await once(worker, "message");
  assert.deepEqual(names, ["a"]);
});

test("skips a string of 20 MB, and rejects one where a name belongs", async () => {
  const start = `${JSON.stringify(CYCLONEDX).slice(0, -1)},"components":[{"type":"library",`;
  const skipped = repeated(`${start}"evidence":"`, "é\\n", 20 * MIB, '","name":"a"}]}');
  assert.equal((await readSbom(skipped)).packages[0]?.name, "a");
  const named = repeated(`${start}"name":"`, "a", 9 * MIB, '"}]}');
  assert.equal(await refusalOf(readSbom(named)), "text_too_long");
});

test("rejects a million components", async () => {
  const start = `${JSON.stringify(CYCLONEDX).slice(0, -1)},"components":[`;
  const million = repeated(start, '{"type":"library","name":"a"},', 30 * MIB, "{}]}");
  assert.equal(await refusalOf(readSbom(million)), "too_many_components");
});

for (const [path, defaults] of PATHS) {
  const limits: SbomLimits = { ...defaults, components: 100, edges: 100, statements: 100 };
  const refused = (document: unknown) => refusalOf(readDocument(chunksOf(document), limits));

  test(`counts components wherever they are, ${path}`, async () => {
    const flat = Array.from({ length: 101 }, (_, index) => ({
      ...COMPONENT,
      "bom-ref": `${index}`,
    }));
    const nested = [{ ...COMPONENT, components: flat.slice(1) }];
    const elements = flat.map((_, index) => ({ SPDXID: `SPDXRef-${index}`, name: "a" }));
    assert.equal(await refused({ ...CYCLONEDX, components: flat }), "too_many_components");
    assert.equal(await refused({ ...CYCLONEDX, components: nested }), "too_many_components");
    const inSubject = { ...CYCLONEDX, metadata: { component: { ...COMPONENT, components: flat } } };
    assert.equal(await refused(inSubject), "too_many_components");
    assert.equal(await refused({ ...SPDX, packages: elements }), "too_many_components");
    assert.equal(await refused({ ...CYCLONEDX, components: flat.slice(1) }), undefined);
    assert.equal(await refused({ ...SPDX, packages: elements.slice(1) }), undefined);
  });

  test(`counts relationships and statements, ${path}`, async () => {
    const dependsOn = Array(101).fill("a");
    const dependencies = [{ ref: "a", dependsOn }];
    assert.equal(await refused({ ...CYCLONEDX, dependencies }), "too_many_edges");
    const one = { spdxElementId: "a", relationshipType: "CONTAINS", relatedSpdxElement: "b" };
    assert.equal(await refused({ ...SPDX, relationships: Array(101).fill(one) }), "too_many_edges");
    const vulnerabilities = [
      {
        id: "CVE-1",
        analysis: { state: "exploitable" },
        affects: dependsOn.map((ref) => ({ ref })),
      },
    ];
    assert.equal(await refused({ ...CYCLONEDX, vulnerabilities }), "too_many_statements");
    const statements = [
      {
        vulnerability: { name: "CVE-1" },
        status: "fixed",
        products: [{ subcomponents: dependsOn }],
      },
    ];
    const openvex = { "@context": "https://openvex.dev/ns/v0.2.0", statements };
    assert.equal(await refused(openvex), "too_many_statements");
  });

  test(`rejects depth, ${path}`, async () => {
    const bombs = ["[", '{"a":', '{"packages":[', '{"components":['];
    for (const bomb of bombs) assert.equal(await refused(bomb.repeat(100_000)), "too_deep");
    let component: object = COMPONENT;
    for (let depth = 0; depth < 32; depth++) component = { ...COMPONENT, components: [component] };
    assert.equal(await refused({ ...CYCLONEDX, components: [component] }), "too_deep");
  });

  test(`names the format of what it does not read, ${path}`, async () => {
    const cases: [unknown, string][] = [
      ['<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', "xml"],
      ["SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\n", "tag_value"],
      [{ "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": [] }, "spdx3"],
      [{ ...SPDX, spdxVersion: "SPDX-2.1" }, "unsupported_version"],
      [{ ...SPDX, spdxVersion: "SPDX-3.0" }, "unsupported_version"],
      [{ ...CYCLONEDX, specVersion: "1.1" }, "unsupported_version"],
      [{ ...CYCLONEDX, specVersion: 1.4 }, "unsupported_version"],
      [{ ...CYCLONEDX, ...SPDX }, "unknown_format"],
      [{ bomFormat: "Other", specVersion: "1.4" }, "unknown_format"],
      [{}, "unknown_format"],
      [[SPDX], "unknown_format"],
      ['"SPDX-2.3"', "unknown_format"],
      [`${JSON.stringify(SPDX)}\n${JSON.stringify(SPDX)}`, "not_json"],
      [{ ...SPDX, packages: {} }, "malformed"],
      [{ ...SPDX, relationships: [1] }, "malformed"],
      [{ ...CYCLONEDX, components: "none" }, "malformed"],
      [{ predicateType: "https://spdx.dev/Document", predicate: SPDX }, "attestation"],
      [{ payload: "", payloadType: "application/vnd.in-toto+json" }, "attestation"],
      [{ dsseEnvelope: { payload: "" } }, "attestation"],
    ];
    for (const [document, code] of cases) assert.equal(await refused(document), code, String(code));
    for (const empty of [
      { ...SPDX, packages: null, relationships: [] },
      { ...CYCLONEDX, components: null },
    ]) {
      assert.equal(await refused(empty), undefined);
    }
  });

  test(`rejects a document that is cut, wherever it is, ${path}`, async () => {
    const bytes = Buffer.from(JSON.stringify(SMALL, null, 2));
    const trimmed = bytes.subarray(0, bytes.lastIndexOf("}"));
    for (let length = 0; length <= trimmed.length; length += 3) {
      const code = await refusalOf(readSbom(chunksOf(trimmed.subarray(0, length)), limits));
      assert.equal(code, "not_json", `${length} bytes`);
    }
  });

  test(`rejects texts that cannot be stored where they name something, ${path}`, async () => {
    for (const text of ["a\0b", "\ud800"]) {
      for (const name of ["name", "version", "purl", "bom-ref"]) {
        const components = [{ ...COMPONENT, [name]: text }];
        assert.equal(await refused({ ...CYCLONEDX, components }), "invalid_text", name);
      }
      const described = await readSbom(
        chunksOf({ ...CYCLONEDX, components: [{ ...COMPONENT, description: text }] }),
        limits,
      );
      assert.ok(described.packages[0]?.description?.isWellFormed() ?? true);
      assert.ok(!described.packages[0]?.description?.includes("\0"));
    }
    const long = { ...COMPONENT, name: "x".repeat(limits.nameLength + 1) };
    assert.equal(await refused({ ...CYCLONEDX, components: [long] }), "text_too_long");
  });

  test(`takes numbers and other types as absent, ${path}`, async () => {
    const text = JSON.stringify({ ...CYCLONEDX, components: [{ ...COMPONENT, version: "@" }] });
    for (const number of ["1e999", `-${"9".repeat(20_000)}`, "[]", "{}", "null", "true"]) {
      const sbom = await readSbom(chunksOf(text.replace('"@"', number)), limits);
      assert.equal(sbom.packages[0]?.version, "");
    }
  });

  test(`takes the last of equal members, so that both paths and other readers agree, ${path}`, async () => {
    const list = (name: string) => `"components":[${JSON.stringify({ ...COMPONENT, name })}]`;
    const text = `${JSON.stringify(CYCLONEDX).slice(0, -1)},${list("hidden")},${list("shown")}}`;
    const { packages } = await readSbom(chunksOf(text), limits);
    assert.deepEqual(
      packages.map(({ name }) => name),
      ["shown"],
    );
  });
}

/** Members that readers know, with values of any kind. */
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      1,
      "SPDX-2.3",
      "1.6",
      "CycloneDX",
      "a",
      "pkg:npm/a@1",
      "CONTAINS",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ...["spdxVersion", "bomFormat", "specVersion", "packages", "relationships", "components"],
        ...["dependencies", "dependsOn", "ref", "bom-ref", "name", "purl", "metadata", "component"],
        ...["externalRefs", "licenses", "license", "properties", "value", "tools", "hashes"],
        ...[
          "vulnerabilities",
          "analysis",
          "affects",
          "state",
          "statements",
          "products",
          "creators",
        ],
        ...["creationInfo", "documentDescribes", "spdxElementId", "relatedSpdxElement"],
        ...["relationshipType", "versions", "authors", "checksums", "SPDXID", "@context", "id"],
      ),
      tie("value"),
      { maxKeys: 6 },
    ),
  ),
})).value;

test("reads any JSON or rejects it with a code, and the same on both paths", async () => {
  const start = fc.constantFrom<object>(
    ...[SPDX, CYCLONEDX, {}, { "@context": "https://openvex.dev/ns/v0.2.0" }],
  );
  const property = fc.asyncProperty(start, anyValue, async (format, rest) => {
    const document = { ...format, ...(rest as object), ...format };
    const [whole, tokens] = await Promise.all(
      PATHS.map(async ([, limits]) => {
        try {
          return await readDocument(chunksOf(document, 11), limits);
        } catch (error) {
          if (!(error instanceof SbomRefused)) throw error;
          assert.ok(REFUSALS.includes(error.code));
          return error.code;
        }
      }),
    );
    assert.deepEqual(tokens, whole);
  });
  await fc.assert(property, { numRuns: runs(1_000, 30_000) });
});

test("reads changed bytes of a document, or rejects them with a code", async () => {
  const base = Buffer.from(JSON.stringify(SMALL, null, 2));
  const change = fc.record({ at: fc.nat(base.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
  const property = fc.asyncProperty(
    fc.array(change, { minLength: 1, maxLength: 5 }),
    async (all) => {
      const bytes = Buffer.from(base);
      for (const { at, byte } of all) bytes[at] = byte;
      for (const [, limits] of PATHS) await refusalOf(readSbom(chunksOf(bytes), limits));
    },
  );
  await fc.assert(property, { numRuns: runs(300, 20_000) });
});

test("reads relationships that refer to each other a hundred thousand times", async () => {
  const refs = Array.from({ length: 100_000 }, (_, index) => `SPDXRef-${index}`);
  const types = ["VARIANT_OF", "GENERATED_FROM", "CONTAINS"];
  const document = {
    ...SPDX,
    documentDescribes: refs.slice(2),
    packages: [
      { SPDXID: "SPDXRef-0", name: `${"a/".repeat(500)}x.yaml` },
      { SPDXID: "SPDXRef-1", name: "one" },
    ],
    relationships: refs.map((ref, index) => ({
      spdxElementId: ref,
      relationshipType: types[index % types.length],
      relatedSpdxElement: "SPDXRef-0",
    })),
  };
  const sbom = await readSbom(chunksOf(document));
  assert.equal(sbom.packages.find(({ name }) => name === "one")?.origin?.name, "x");
  assert.equal(sbom.roots.length, refs.length - 2);
});
