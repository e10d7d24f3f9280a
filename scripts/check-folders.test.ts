import assert from "node:assert/strict";
import { test } from "node:test";
import {
  foldersIntroduceThemselves,
  introductionIn,
  isNamed,
  problemsOf,
} from "./check-folders.ts";

const README =
  "- Is: Lists.\n- May import: `auth`, `engine`, `engine/audit`. Not `write/`.\n- Start with: `list.ts`\n";

test("the three lines name folders up to the first period, and a file", () => {
  assert.deepEqual(introductionIn(README), {
    folders: ["auth", "engine", "engine/audit"],
    start: "list.ts",
  });
  const all = "- Is: All of it.\n- May import: everything.\n- Start with: `server.ts`\n";
  assert.deepEqual(introductionIn(all), { folders: undefined, start: "server.ts" });
});

test("other lines, fewer and more are rejected", () => {
  assert.equal(introductionIn("Lists.\n"), undefined);
  assert.equal(introductionIn(`${README}- More.\n`), undefined);
  assert.equal(introductionIn(README.replace("- Is", "- Was")), undefined);
});

test("a folder names others with all below them, and of those around it their files alone", () => {
  const names = ["auth", "engine"];
  assert.ok(isNamed("engine/list", "engine/list/order.ts", names));
  assert.ok(isNamed("engine/list", "engine/definition.ts", names));
  assert.ok(!isNamed("engine/list", "engine/write/mutation.ts", names));
  assert.ok(isNamed("engine/list", "auth/who/token.ts", names));
  assert.ok(!isNamed("engine/list", "authority/x.ts", names));
});

test("a missing README.md, an import that it does not name and a folder above are found", () => {
  const files = new Map([
    [
      "engine/list/a.ts",
      `import { x } from "../write/mutation.ts";\nimport { y } from "./b.ts";\n`,
    ],
  ]);
  assert.deepEqual(problemsOf("engine/list", undefined, files), ["engine/list: has no README.md"]);
  assert.deepEqual(problemsOf("engine/list", README, files), [
    "engine/list/a.ts imports engine/write/mutation.ts, which engine/list/README.md does not name",
  ]);
  const upward = README.replace("`auth`", "`iam`");
  assert.deepEqual(problemsOf("engine/list", upward, new Map()), [
    "engine/list/README.md names iam, which is above it",
  ]);
});

test("the folders of the server introduce themselves", () => foldersIntroduceThemselves());
