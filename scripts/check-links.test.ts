import assert from "node:assert/strict";
import { test } from "node:test";
import { anchorsOf, linksOf, sourcesIn } from "./check-links.ts";

test("finds links and images that stay in the repository", () => {
  const text = [
    "[a](a.md#b) [web](https://example.com) ![picture](images/p.svg) `[code](c.md)`",
    '<img src="images/i.png" width="1">',
    "```",
    "[block](d.md)",
    "```",
  ].join("\n");
  assert.deepEqual(linksOf(text), ["a.md#b", "images/p.svg", "images/i.png"]);
});

test("makes anchors as GitHub does", () => {
  const text =
    "# The `wharf` command\n## A key, or a token\n## Twice\n## Twice\n## [Linked](x.md)\n";
  assert.deepEqual(
    [...anchorsOf(text)],
    ["the-wharf-command", "a-key-or-a-token", "twice", "twice-1", "linked"],
  );
});

test("finds source files in code spans", () => {
  const text =
    "`engine/list/list.ts`, `list.ts`, `engine/`, engine/get.ts and `packages/server/src/lib/runtime/code-cache.ts`";
  assert.deepEqual(sourcesIn(text), [
    "engine/list/list.ts",
    "packages/server/src/lib/runtime/code-cache.ts",
  ]);
});
