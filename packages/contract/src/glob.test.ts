import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { globMatches, matchesAny } from "./glob.ts";

test("a star stands for any characters, a question mark for one", () => {
  const matching = [
    ...[
      ["*", ""],
      ["*", "v1"],
      ["v*", "v"],
      ["v*.0", "v1.0.0"],
      ["?", "a"],
      ["a?c", "abc"],
    ],
    ...[
      ["*-r?", "1.2-r3"],
      ["a*b*c", "a--b--b--c"],
      ["apps/*", "apps/one/two"],
      ["", ""],
    ],
  ] as const;
  const others = [
    ...[
      ["v*", "1"],
      ["?", ""],
      ["?", "ab"],
      ["a*b", "ab-"],
      ["*.0", "1.0.1"],
      ["", "a"],
    ],
    ...[
      ["a.c", "abc"],
      ["V*", "v1"],
      ["a*a", "a"],
      ["[a]", "a"],
    ],
  ] as const;
  for (const [pattern, text] of matching)
    assert.ok(globMatches(pattern, text), `${pattern} ${text}`);
  for (const [pattern, text] of others)
    assert.ok(!globMatches(pattern, text), `${pattern} ${text}`);
  assert.ok(matchesAny([], "anything"));
  assert.ok(!matchesAny(["a", "b"], "c"));
});

test("agrees with regular expressions", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (glob, value) => {
      const source = glob.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".");
      assert.equal(globMatches(glob, value), new RegExp(`^${source}$`).test(value));
    }),
    { numRuns: 2_000 },
  );
});
