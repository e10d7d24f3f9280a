import assert from "node:assert/strict";
import { test } from "node:test";
import type { DescMessage } from "@bufbuild/protobuf";
import { StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  GroupSchema,
  ImportAdvisoriesRequestSchema,
  RepoSchema,
  RoleBindingSchema,
} from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import fc from "fast-check";
import { WharfError } from "../lib/errors.ts";
import { parseJson } from "./json-parse.ts";
import { messageFromJson } from "./json-read.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const read = <Desc extends DescMessage>(schema: Desc, text: string) =>
  messageFromJson(schema, parseJson(text, schema).value);

const count = (text: string) => read(registryV1.RepoCountSchema, `{"count": ${text}}`).count;

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
    const text = `{"${field}": 9007199254740993}`;
    assert.throws(() => read(registryV1.RepoSchema, text), { message }, field);
  }
});

/** The value, or that there is none. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (thrown) {
    assert.ok(thrown instanceof SyntaxError, String(thrown));
    return "malformed";
  }
}

/** JSON texts, and the same with one character replaced, removed or added. */
const texts = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "\n", "-", "e"))
  .chain(([text, at, other]) => {
    const cut = at % (text.length + 1);
    return fc.constantFrom(text, text.slice(0, cut) + other + text.slice(cut + 1));
  });

test("free-form JSON is what JSON.parse makes of it", () => {
  const property = fc.property(texts, (text) => {
    fc.pre(!/\d{16}|e/i.test(text));
    const expected = outcome(() => JSON.parse(text));
    assert.deepEqual(
      outcome(() => parseJson(text, ValueSchema).value),
      expected,
    );
  });
  fc.assert(property, { seed: SEED, numRuns: 2_000 });
  assert.deepEqual(parseJson('["a:1e5", 0.1234567890123456789]', ValueSchema).value, [
    "a:1e5",
    0.12345678901234568,
  ]);
});

test("skipped values must be well-formed, too", () => {
  const property = fc.property(texts, (text) => {
    const expected = outcome(() => JSON.parse(`{"nope": ${text}}`));
    const parsed = outcome(() => parseJson(`{"nope": ${text}}`, GroupSchema));
    const skipped = { value: { value: {}, unknown: ["nope"] } };
    // An unbalanced brace or quote may change what belongs to the unknown value.
    if (expected === "malformed") assert.equal(parsed, expected);
    else if (Object.keys((expected as { value: object }).value).length === 1)
      assert.deepEqual(parsed, skipped);
  });
  fc.assert(property, { seed: SEED, numRuns: 2_000 });
});

test("unknown fields are skipped and named, or end the parsing", () => {
  const text = '{"name": "a", "no": {"name": [1, {}]}, "identity": {"x\\u0041": 1, "uid": "u"}}';
  const parsed = parseJson(text, RoleBindingSchema);
  assert.deepEqual(parsed.unknown, ["name", "no", "identity.xA"]);
  assert.deepEqual(parsed.value, { identity: { uid: "u" } });
  const strict = () =>
    parseJson('{"uid": "u", "no": 1, ', RoleBindingSchema, { unknown: "reject" });
  assert.throws(strict, isInvalid("no"));
});

test("one field is read alone, whatever is beside it", () => {
  const parent = ImportAdvisoriesRequestSchema.field.parent;
  const text = `{"documents": [${"{},".repeat(200_000)}{}], "parent": "p", "no": 1}`;
  const parsed = parseJson(text, ImportAdvisoriesRequestSchema, { only: [parent] });
  assert.deepEqual(parsed, { value: { parent: "p" }, unknown: [] });
});

test("parsing ends where a bound is exceeded: before what follows", () => {
  const documents = (each: string, count: number) => `{"documents": [${each.repeat(count)}`;
  for (const [text, field] of [
    [`{"no": ${"[".repeat(100)}`, ""],
    [`{"no": ${'{"a":'.repeat(100)}`, ""],
    [documents("{},", 1_001), "documents"],
    [`{"documents": [{"advisories": [${"{},".repeat(100_001)}`, ""],
    [`{${'"no": 1,'.repeat(10_001)}`, ""],
    [`{"no": [${"1,".repeat(100_000)}`, ""],
  ] as const) {
    const parse = () => parseJson(text, ImportAdvisoriesRequestSchema);
    assert.throws(parse, isInvalid(field), text.slice(0, 40));
  }
  assert.throws(() => parseJson("[".repeat(101), StructSchema), isInvalid(""));
  for (const text of ["[".repeat(99), documents("{},", 999)]) {
    assert.throws(() => parseJson(text, ImportAdvisoriesRequestSchema), SyntaxError);
  }
});

test("maps are bounded while they are parsed", () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, at) => `"${at}": "x",`).join("");
  const parse = (count: number) => () =>
    parseJson(`{"customOverlay": {"environment": {${entries(count)}`, RepoSchema);
  assert.throws(parse(101), isInvalid("customOverlay.environment"));
  assert.throws(parse(100), SyntaxError);
});

test("a map can have the key __proto__, which sets no prototype", () => {
  const text = '{"customOverlay": {"environment": {"__proto__": "x"}}}';
  const { value } = parseJson(text, RepoSchema);
  assert.equal(JSON.stringify(value), text.replaceAll(": ", ":"));
});

function isInvalid(field: string): (thrown: unknown) => boolean {
  return (thrown) =>
    thrown instanceof WharfError &&
    thrown.detail !== undefined &&
    "badRequest" in thrown.detail &&
    thrown.detail.badRequest[0]?.field === field;
}
