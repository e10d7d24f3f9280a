import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { afterPrefix } from "./name-prefix.ts";

const text = fc.string({ unit: "binary", maxLength: 6 });
const bytes = (one: string) => Buffer.from(one);

test("exactly the texts that begin with a prefix are between it and its end", () => {
  const property = fc.property(text, text, (prefix, other) => {
    fc.pre(prefix !== "");
    const end = afterPrefix(prefix);
    for (const one of [other, prefix + other, prefix]) {
      const isFrom = Buffer.compare(bytes(one), bytes(prefix)) >= 0;
      const isBefore = end === undefined || Buffer.compare(bytes(one), bytes(end)) < 0;
      assert.equal(isFrom && isBefore, one.startsWith(prefix), JSON.stringify([prefix, one, end]));
    }
  });
  fc.assert(property, { seed: 1 });
});

test("the end is next to the last character, over surrogates and past the last one", () => {
  assert.equal(afterPrefix("team-"), "team.");
  assert.equal(afterPrefix("\ud7ff"), "\ue000");
  assert.equal(afterPrefix("a\u{10ffff}"), "b");
  assert.equal(afterPrefix("\u{10ffff}"), undefined);
});
