import assert from "node:assert/strict";
import { test } from "node:test";
import type { Token } from "marked";
import { tokensOf, withoutTags } from "../src/ui/markdown-tokens.ts";

/** Runs work, and counts the regular expressions that it executes and the characters that it searches. */
function stepsOf(work: () => unknown): number {
  const { exec } = RegExp.prototype;
  const { indexOf } = String.prototype;
  let steps = 0;
  RegExp.prototype.exec = function (text) {
    steps += 1;
    return exec.call(this, text);
  };
  String.prototype.indexOf = function (this: string, found, from = 0) {
    const at = indexOf.call(this, found, from);
    steps += (at < 0 ? this.length : at) - from + 1;
    return at;
  };
  try {
    work();
    return steps;
  } finally {
    RegExp.prototype.exec = exec;
    String.prototype.indexOf = indexOf;
  }
}

const PIECES = [
  ...["<", "<a ", "</", "<!--", "<b>", "<div>\n", "[", "![", "[a](", "[a]: b\n", "[a][", "](", "*"],
  ...["_", "***", "*a ", "_a ", "**a", "a**b", "a_b", "x*", "*x* ", "~a", "~~", "`", "``a`", "\\"],
  ...["&", "|", "a|b\n-|-\n", "- ", "> ", "1. ", "> - ", "- a\n", "- [ ] a\n", "- a\n\n  b\n\n"],
  ...["# a\n", "a\n=\n", "```\n", "a\n\n", "http://", "a@b."],
];

/** A square would be noticed at this size, too. */
const SIZE = 2_000;

test("the work for a README grows with its length, whatever is in it", () => {
  for (const piece of PIECES) {
    for (const [start, end] of [
      ["", ""],
      ["", ">x"],
      ["<div>\n", ""],
      ["- [ ] a\n", "\nb"],
    ]) {
      const [once = 0, fourTimes = 0] = [SIZE / 4, SIZE].map((size) => {
        const text = `${start}${piece.repeat(size / piece.length)}${end}`;
        return stepsOf(() => {
          tokensOf(text);
          withoutTags(text);
        });
      });
      // Four times the work, where twice as much would be allowed for each character; a square is sixteen times.
      const growth = fourTimes / once;
      assert.ok(growth < 8 || fourTimes < 50 * SIZE, `${JSON.stringify(piece)}: ${growth}`);
      assert.ok(fourTimes < 200 * SIZE, `${JSON.stringify(piece)}: ${fourTimes} steps`);
    }
  }
});

const typesOf = (tokens: readonly Token[] | undefined): string[] =>
  (tokens ?? []).flatMap((token) => [
    token.type,
    ...typesOf("tokens" in token ? token.tokens : "items" in token ? token.items : []),
  ]);

test("READMEs as people write them are formatted", () => {
  const badges = "[![build](https://a.example/b.svg)](https://a.example) ".repeat(12);
  const options = "- `--name`: *what* it is **called**, see [names](#names)\n".repeat(200);
  const tasks = "- [x] done\n- [ ] _not_ yet\n".repeat(30);
  const text = `# Title\n\n${badges}\n\n> note: **read** it\n\n${options}\n${tasks}\n\n| a | b |\n|---|---|\n| \`c\` | *d* |\n`;
  const types = typesOf(tokensOf(text));
  const number = (type: string) => types.filter((one) => one === type).length;
  assert.deepEqual(
    ["heading", "image", "blockquote", "table", "checkbox"].map(number),
    [1, 12, 1, 1, 60],
  );
  assert.deepEqual(["codespan", "strong", "link"].map(number), [200, 201, 212]);
});

test("tags are left out of HTML, and text stays", () => {
  assert.equal(withoutTags('a <b title="x">c</b> 1 < 2'), "a c 1 < 2");
  assert.equal(withoutTags("<<b>> <"), "> <");
  assert.equal(withoutTags(""), "");
});
