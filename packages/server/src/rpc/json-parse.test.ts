import assert from "node:assert/strict";
import { test } from "node:test";
import { registryV1 } from "@wharf/contract/v1";
import fc from "fast-check";
import { parseJson } from "./json-parse.ts";
import { messageFromJson } from "./json-read.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const count = (text: string) =>
  messageFromJson(registryV1.RepoCountSchema, parseJson(`{"count": ${text}}`)).count;

test("64-bit integers are read exactly as numbers, as they are as text", () => {
  for (const [text, value] of [
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["9223372036854775807", 2n ** 63n - 1n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["1e18", 10n ** 18n],
    ["1.5E+18", 15n * 10n ** 17n],
    ["9007199254740993.0", 9007199254740993n],
    ["90071992547409930e-1", 9007199254740993n],
    ["12", 12n],
    ['"9223372036854775807"', 2n ** 63n - 1n],
  ] as const) {
    assert.equal(count(text), value, text);
  }
  const property = fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
    assert.equal(count(String(value)), value);
  });
  fc.assert(property, { seed: SEED });
});

test("numbers that are not whole or out of range are rejected", () => {
  for (const text of ["9223372036854775808", "9007199254740993.5", "1e19", "1e400"]) {
    assert.throws(() => count(text), { code: "INVALID_ARGUMENT" }, text);
  }
});

test("a large number is no text, no time and no list", () => {
  for (const [field, message] of [
    ["name", /must be a string/],
    ["bundles", /must be a list/],
    ["createTime", /must be an RFC 3339 time/],
    ["customOverlay", /must be an object/],
    ["catalogTier", /must be/],
  ] as const) {
    const json = parseJson(`{"${field}": 9007199254740993}`);
    assert.throws(() => messageFromJson(registryV1.RepoSchema, json), { message }, field);
  }
});

test("other JSON is parsed as always", () => {
  const property = fc.property(fc.json(), (text) => {
    fc.pre(!/\d{16}|e\+/i.test(text));
    assert.deepEqual(parseJson(text), JSON.parse(text));
  });
  fc.assert(property, { seed: SEED });
  assert.throws(() => parseJson('{"a": 9007199254740993'), SyntaxError);
  assert.deepEqual(parseJson('["a:1e5", 0.1234567890123456789]'), ["a:1e5", 0.12345678901234568]);
});
