import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { styleOf } from "../terminal/terminal.ts";
import { widthOf } from "../terminal/width.ts";
import { fit, table } from "./table.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

test("the widest columns shrink first", () => {
  assert.deepEqual(fit([40, 10], 40), [28, 10]);
  assert.deepEqual(fit([40, 40, 5], 49), [20, 20, 5]);
  assert.deepEqual(fit([5, 5], 80), [5, 5]);
  assert.deepEqual(fit([9, 9], 3), [1, 1]);
});

test("columns of ids are never cut, other columns make room for them", () => {
  assert.deepEqual(fit([40, 10], 40, [true]), [40, 1]);
  assert.deepEqual(fit([40, 40, 5], 80, [true]), [40, 31, 5]);
  const uid = "8427b422129ad58e92e9b0c64898885dfdba95d6";
  const [, line = ""] = table(["UID", "TEXT"], [[uid, "x".repeat(50)]], 20, styleOf(false), [true]);
  assert.ok(line.startsWith(`${uid}  `), line);
});

test("a table fits any terminal that has room for a letter of each column", () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 30 });
  const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 10, max: 120 }), (cells, width) => {
      for (const line of table(["NAME", "UID", "TEXT"], cells, width, styleOf(false))) {
        assert.ok(widthOf(line) <= width, `${widthOf(line)} > ${width}: ${JSON.stringify(line)}`);
        assert.ok(line.isWellFormed());
      }
    }),
    { seed: SEED },
  );
});

test("styles of cells change no widths", () => {
  const rows = [
    ["high", "libssl3"],
    ["low", "musl"],
  ];
  const styles = [["red"], [undefined, "dim"]] as const;
  const plain = table(["SEVERITY", "PACKAGE"], rows, 12, styleOf(false), [], styles);
  const colored = table(["SEVERITY", "PACKAGE"], rows, 12, styleOf(true), [], styles);
  assert.deepEqual(colored.map(stripVTControlCharacters), plain);
  assert.deepEqual(colored.slice(1), [
    "\u001b[31mhigh\u001b[39m   libs…",
    "low    \u001b[2mmusl\u001b[22m",
  ]);
});
