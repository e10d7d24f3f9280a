import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decode } from "./decode.ts";
import { DocumentError } from "./document-error.ts";
import { readJson } from "./json.ts";
import { READ_LIMITS } from "./limits.ts";
import { parseTime } from "./time.ts";
import { readYaml } from "./yaml.ts";

/** The message of the error that is thrown. */
function problemOf(work: () => unknown): string {
  let error: unknown;
  assert.throws(work, (thrown) => {
    error = thrown;
    return true;
  });
  assert.ok(error instanceof DocumentError, String(error));
  return error.message;
}

describe("bytes are decoded", () => {
  test("without a byte order mark", () => {
    assert.equal(decode(Buffer.from("\ufeffä€😀")), "ä€😀");
  });

  test("unless they are not UTF-8, with line and offset of the first invalid byte", () => {
    const cases: [bytes: number[], line: number, offset: number][] = [
      [[0xff], 1, 0],
      [[0x61, 0x0a, 0x0a, 0xc3], 3, 3],
      [[0xc3, 0xa4, 0x0a, 0xe2, 0x82, 0x41], 2, 3],
      [[0xf0, 0x9f, 0x98, 0x80, 0x80], 1, 4],
      [[0x41, 0xed, 0xa0, 0x80], 1, 1],
      [[0xc0, 0x80, 0x0a], 1, 0],
    ];
    for (const [bytes, line, offset] of cases) {
      const padded = Uint8Array.from([...bytes, ...Buffer.from("x".repeat(50))]);
      const shown = bytes[offset]?.toString(16);
      const expected = `${line}: is not UTF-8: byte 0x${shown} at offset ${offset}`;
      assert.equal(
        problemOf(() => decode(padded)),
        expected,
      );
    }
  });

  test("unless they are too many", () => {
    const bytes = new Uint8Array(READ_LIMITS.documentBytes + 1).fill(0xff);
    assert.equal(
      problemOf(() => decode(bytes)),
      "is larger than 16 MiB",
    );
  });
});

test("the default limits of long and numerous input", () => {
  const { documentBytes, yamlBytes, yamlTokens, depth, problems } = READ_LIMITS;
  assert.deepEqual([documentBytes, yamlBytes], [16 * 1024 ** 2, 4 * 1024 ** 2]);
  assert.deepEqual([yamlTokens, depth, problems], [400_000, 100, 20]);
  const { advisories, products, statements, productReferences } = READ_LIMITS;
  assert.deepEqual([advisories, products], [10_000, 100_000]);
  assert.deepEqual([statements, productReferences], [200_000, 2_000_000]);
});

describe("JSON", () => {
  test("has the value of JSON.parse, and positions", () => {
    const text = '{"a": [1, {"b\\n": "\\u00e4\\\\"}],\n "c": -1.5e3, "d": null}';
    const tree = readJson(text);
    assert.deepEqual(tree.value, JSON.parse(text));
    assert.deepEqual(tree.positionsOf([[]])[0], { line: 1, column: 1 });
    assert.deepEqual(tree.positionsOf([["a", 1, "b\n"]])[0], { line: 1, column: 19 });
    assert.deepEqual(tree.positionsOf([["c"]])[0], { line: 2, column: 7 });
    assert.deepEqual(tree.positionsOf([["a", 7, "x"]])[0], { line: 1, column: 7 });
    const columns = tree.positionsOf([["c"], ["a", 0], ["c"], ["a"]]).map(({ column }) => column);
    assert.deepEqual(columns, [7, 8, 7, 7]);
  });

  test("that is invalid is rejected with the position", () => {
    const cases: [text: string, problem: string][] = [
      ['{"a":1,\n"a":2}', '2:1: has the key "a" twice'],
      ['{"a":1,\n"\\u0061":2}', '2:1: has the key "a" twice'],
      ['{"a":1,}', "1:8: is not JSON: expected a string"],
      ['{"a" 1}', '1:6: is not JSON: expected ":"'],
      ["[1 2]", '1:4: is not JSON: expected "," or "]"'],
      ["[01]", '1:3: is not JSON: expected "," or "]"'],
      ["[nul]", "1:2: is not JSON: expected a value"],
      ["{} {}", "1:4: is not JSON: expected the end of the document"],
      ["[", "1:2: is not JSON: expected a value before the document ends"],
      ['["a', "1:4: is not JSON: expected the end of a string before the document ends"],
      ['["\\x"]', "1:3: is not JSON: expected an escape such as \\n"],
      ['["\t"]', "1:3: is not JSON: expected no control character in a string"],
      ["[".repeat(1e6), "1:102: is nested more than 100 levels deep"],
      [
        `{"${"a".repeat(1e6)}":1,\n"${"a".repeat(1e6)}":2}`,
        `2:1: has the key "${"a".repeat(80)}…" twice`,
      ],
    ];
    for (const [text, problem] of cases)
      assert.equal(
        problemOf(() => readJson(text)),
        problem,
      );
  });
});

describe("YAML", () => {
  test("keeps scalars as text, and has positions", () => {
    const tree = readYaml("version: 1.10\nlist:\n  - yes\n  - {a: 0x10, b: }\n");
    assert.deepEqual(tree.value, { version: "1.10", list: ["yes", { a: "0x10", b: "" }] });
    assert.deepEqual(tree.positionsOf([["list", 1, "a"]])[0], { line: 4, column: 9 });
    assert.deepEqual(tree.positionsOf([["list", 5]])[0], { line: 3, column: 3 });
  });

  test("cannot set a prototype", () => {
    const { value } = readYaml("__proto__:\n  id: x\nconstructor: y\n");
    assert.deepEqual(Object.keys(value as object), ["__proto__", "constructor"]);
    assert.equal((value as { id?: string }).id, undefined);
  });

  test("that is invalid or exceeds a limit is rejected with the position", () => {
    const cases: [text: string, problem: RegExp][] = [
      ["a: 1\nb: 2\na: 3\n", /^3:1: has the key "a" twice$/],
      ["a: &x [1]\nb: *x\n", /^2:4: has an alias, \*x; aliases are not supported$/],
      ["a: 1\n---\nb: 2\n", /has several documents; expected one$/],
      ["a: [1\n", /^\d+:\d+: is not YAML: /],
      ["a: 'x\n", /^\d+:\d+: is not YAML: /],
      ["? [a]\n: b\n", /has a key that is not text$/],
      ["a: b\nc: !thing d\n", /^2:4: is not YAML: Unresolved tag: !thing$/],
      ["- ".repeat(200), /^1:201: is nested more than 100 levels deep$/],
      ["- ".repeat(1e5), /^1:201: is nested more than 100 levels deep$/],
      [`a: ${"[".repeat(1e5)}`, /^1:103: is nested more than 100 levels deep$/],
      [`a: *${"b".repeat(1e5)}`, /^1:4: has an alias, \*b{80}…; aliases are not supported$/],
      [`a: !${"b".repeat(1e5)} c`, /^1:4: is not YAML: Unresolved tag: !b{63}…$/],
      [`a: ${"x".repeat(READ_LIMITS.yamlBytes)}`, /^is YAML of more than 4 MiB$/],
    ];
    for (const [text, problem] of cases)
      assert.match(
        problemOf(() => readYaml(text)),
        problem,
      );
  });

  test("with too many tokens or errors is rejected before its end", () => {
    const limits = { ...READ_LIMITS, yamlTokens: 4_000 };
    const cases: [text: string, problem: RegExp][] = [
      ["-\n".repeat(2e4), /^2000:2: has more than 4000 tokens$/],
      [`a: [${",".repeat(4e4)}`, /^1:4001: has more than 4000 tokens$/],
      [`a: "${"\\x".repeat(2e4)}"`, /^1:4: has more than 4000 tokens$/],
      [
        "]".repeat(4e4),
        /^1:1: is not YAML: Unexpected flow-seq-end(.|\n)*\n1:20: is not YAML: [^\n]*$/,
      ],
    ];
    for (const [text, problem] of cases)
      assert.match(
        problemOf(() => readYaml(text, limits)),
        problem,
      );
  });

  test("of thousands of lines is read", () => {
    const text = `list:\n${"  - timestamp: 2026-01-31T12:00:00Z\n    type: detection\n".repeat(2_500)}`;
    assert.equal((readYaml(text).value as { list: unknown[] }).list.length, 2_500);
  });

  test("of thousands of keys is read", () => {
    const text = Array.from({ length: 5_000 }, (_, i) => `k${i}: v\n`).join("");
    assert.equal(Object.keys(readYaml(text).value as object).length, 5_000);
  });
});

describe("times", () => {
  test("are RFC 3339, with any offset", () => {
    const seconds = (text: string) => Number(parseTime(text)?.seconds);
    assert.equal(seconds("2026-01-31T12:00:00Z"), Date.parse("2026-01-31T12:00:00Z") / 1000);
    assert.equal(seconds("2026-01-31t12:00:00+01:30"), seconds("2026-01-31T10:30:00Z"));
    assert.equal(seconds("2026-01-31 12:00:00-01:30"), seconds("2026-01-31T13:30:00Z"));
    assert.equal(seconds("2016-12-31T23:59:60Z"), seconds("2017-01-01T00:00:00Z"));
    assert.equal(parseTime("2026-01-31T12:00:00.1234567891Z")?.nanos, 123456789);
  });

  test("are rejected otherwise", () => {
    const others = ["", "2026-01-31", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z"];
    others.push("2026-01-31T24:00:00Z", "2026-01-31T12:00:00", "0001-01-01T00:00:00Z", "now");
    for (const text of others) assert.equal(parseTime(text), undefined, text);
  });
});
