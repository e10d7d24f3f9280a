import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOf, PATHS } from "../../../../test/support/exposure/documents.ts";
import { runs } from "../../../../test/support/oracle/runs.ts";
import { SBOM_LIMITS, type SbomLimits } from "../limits.ts";
import { SbomRefused } from "../refusal.ts";
import { JsonReader } from "./json-reader.ts";
import type { Shape } from "./shape.ts";

/** The names that the shape of these tests reads, so that random documents often have them. */
const NAMES = ["list", "whole", "inner", "other", "__proto__"];

interface Read {
  readonly list: unknown[];
  readonly whole: unknown;
  readonly inner: Map<string, unknown>;
}

/** Reads a document, in chunks of some bytes. Returns what was handed over, or the code of the rejection. */
function read(text: string | Uint8Array, limits: SbomLimits, chunk = 7): Read[] | string {
  const found: Read[] = [];
  let current: Read = empty();
  const inner: Shape = {
    begin: () => current.inner.clear(),
    members: new Map(["list", "whole"].map((name) => [name, leaf(name)])),
    value: (value) => current.inner.set("value", value),
  };
  function leaf(name: string): Shape {
    return {
      begin: () => current.inner.delete(name),
      value: (value) => current.inner.set(name, value),
    };
  }
  const shape: Shape = {
    begin: () => {
      current = empty();
    },
    members: new Map<string, Shape>([
      [
        "list",
        {
          begin: () => current.list.splice(0),
          entry: (value) => current.list.push(value),
          value: (value) => current.list.push({ value }),
        },
      ],
      [
        "whole",
        {
          begin: () => {
            current = { ...current, whole: undefined };
          },
          value: (value) => {
            current = { ...current, whole: value };
          },
        },
      ],
      ["inner", inner],
    ]),
  };
  const reader = new JsonReader(shape, limits, () => found.push(structuredClone(current)));
  try {
    const bytes = bytesOf(text);
    for (let at = 0; at < bytes.length; at += chunk) reader.write(bytes.subarray(at, at + chunk));
    reader.end();
    return found;
  } catch (error) {
    if (error instanceof SbomRefused) return error.code;
    throw error;
  }
}

function empty(): Read {
  return { list: [], whole: undefined, inner: new Map() };
}

const SMALL = { ...SBOM_LIMITS, depth: 8 };
const TOKENS = { ...SMALL, wholeBytes: 0 };

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5e300, ""),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 4 }),
  ),
}));

test("hands over the same of any document at once and token by token", () => {
  const spaces = fc.constantFrom(undefined, 1, "\t");
  const property = fc.property(
    value,
    spaces,
    fc.integer({ min: 1, max: 40 }),
    (one, space, size) => {
      const text = JSON.stringify(one, undefined, space);
      assert.deepEqual(read(text, TOKENS, size), read(text, SMALL, size));
    },
  );
  fc.assert(property, { numRuns: runs(500, 10_000) });
});

test("reads the same as JSON.parse", () => {
  const property = fc.property(value, (whole) => {
    const text = JSON.stringify({ list: [whole], whole });
    const parsed = JSON.parse(text);
    const [found] = read(text, { ...SBOM_LIMITS, wholeBytes: 0 }) as Read[];
    assert.deepEqual(found?.list, parsed.list);
    assert.deepEqual(found?.whole, parsed.whole);
  });
  fc.assert(property, { numRuns: runs(500, 10_000) });
});

test("accepts and rejects the same changed documents on both paths", () => {
  const base = bytesOf({ list: [{ a: "é\u0000\\" }, [1e9, -0.5]], whole: { b: null }, inner: {} });
  const change = fc.record({ at: fc.nat(base.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
  const property = fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
    const bytes = Buffer.from(base);
    for (const { at, byte } of changes) bytes[at] = byte;
    const [whole, tokens] = [read(bytes, SMALL), read(bytes, TOKENS)];
    // Which of two mistakes is found first may differ.
    if (typeof whole === "string") assert.equal(typeof tokens, "string", bytes.toString());
    else assert.deepEqual(tokens, whole);
  });
  fc.assert(property, { numRuns: runs(2_000, 50_000) });
});

const REJECTED: readonly (readonly [text: string | Uint8Array, code: string])[] = [
  ["", "not_json"],
  [" \n", "not_json"],
  ["{", "not_json"],
  ["{}}", "not_json"],
  ["[1,]", "not_json"],
  ["{'a':1}", "not_json"],
  ['{"a" 1}', "not_json"],
  ['{"a":1,}', "not_json"],
  ['{"list":[1 2]}', "not_json"],
  ['{"other":[1 2]}', "not_json"],
  ['{"other":{"a":}}', "not_json"],
  ['{"other":[}', "not_json"],
  ['{"other":01}', "not_json"],
  ['{"other":"\u0001"}', "not_json"],
  ['{"other":"\\x"}', "not_json"],
  ["{}\v", "not_json"],
  ["NaN", "not_json"],
  [Buffer.from('{"\xff____":1}', "latin1"), "not_utf8"],
  ['<?xml version="1.0"?><bom/>', "xml"],
  ["\ufeff <bom/>", "xml"],
  ["SPDXVersion: SPDX-2.3\n", "tag_value"],
  ["[".repeat(9), "too_deep"],
  [`{"other":${"[".repeat(9)}`, "too_deep"],
];

for (const [name, { wholeBytes }] of PATHS) {
  const limits = { ...SMALL, wholeBytes };
  test(`rejects what is not JSON, ${name}`, () => {
    for (const [text, code] of REJECTED) assert.equal(read(text, limits, 4), code, String(text));
  });

  test(`reads one value after the other, ${name}`, () => {
    const found = read('{"list":[1]}\n{"whole":{"a":[]}}\r\n{}{"list":[2]}', limits) as Read[];
    assert.deepEqual(
      found.map(({ list, whole }) => [list, whole]),
      [
        [[1], undefined],
        [[], { a: [] }],
        [[], undefined],
        [[2], undefined],
      ],
    );
  });

  test(`lets the last of equal keys win, ${name}`, () => {
    const text =
      '{"list":[1,2],"whole":1,"list":[3],"whole":{"a":1,"a":2},"inner":{"list":1},"inner":7}';
    const [found] = read(text, limits) as Read[];
    assert.deepEqual(found, { list: [3], whole: { a: 2 }, inner: new Map([["value", 7]]) });
  });

  test(`skips a byte order mark, ${name}`, () => {
    assert.deepEqual((read('\ufeff{"list":[1]}', limits, 1) as Read[])[0]?.list, [1]);
  });

  test(`rejects what is larger than the limit, ${name}`, () => {
    assert.equal(read('{"list":[1]}', { ...limits, bytes: 11 }), "too_large");
    assert.notEqual(read('{"list":[1]}', { ...limits, bytes: 12 }), "too_large");
  });
}

test("bounds the values of one entry, but not of what is skipped", () => {
  const limits = { ...TOKENS, values: 10 };
  assert.equal(read(JSON.stringify({ list: [Array(11).fill(1)] }), limits), "too_many_values");
  assert.equal(read(JSON.stringify({ other: [Array(11).fill(1)] }), limits).length, 1);
  assert.equal(read(JSON.stringify({ list: Array(50).fill([1]) }), limits).length, 1);
});

test("finds the ends of strings with quotes, backslashes and brackets", () => {
  for (const text of ['"]', '\\"]}', "\\", "\\\\", '[[[{{"', "\\[".repeat(20)]) {
    const [whole, tokens] = [SMALL, TOKENS].map((limits) =>
      read(JSON.stringify({ list: [text, 1] }), limits),
    );
    assert.deepEqual((whole as Read[])[0]?.list, [text, 1]);
    assert.deepEqual(tokens, whole);
  }
});

test("builds of an entry only the keys of its shape, whatever the others contain", () => {
  const entries: unknown[] = [];
  const list: Shape = { entry: (one) => entries.push(one), keys: new Set(["a", "b"]) };
  const shape: Shape = { members: new Map([["list", list]]) };
  const reader = new JsonReader(shape, { ...TOKENS, depth: 16 }, () => {});
  const skipped = { c: [[1, { a: 1 }], { b: [{}] }], d: { a: { b: 1 } }, e: "x" };
  reader.write(
    bytesOf({ list: [{ ...skipped, a: [{ b: 1, ...skipped }] }, skipped, [skipped], 7] }),
  );
  reader.end();
  assert.deepEqual(entries, [{ a: [{ b: 1 }] }, {}, [{}], 7]);
});
