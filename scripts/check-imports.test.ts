import assert from "node:assert/strict";
import { test } from "node:test";
import {
  importedTables,
  importsEngine,
  importsGoDown,
  readsUserSettings,
  testsHaveTheirOwnData,
  trustRunsAnywhere,
  unportableImports,
  upwardImports,
} from "./check-imports.ts";

const ENGINE = `import type { Engine } from "../../engine/engine.ts";\n`;

test("an import of a folder above is found, as a type, over several lines and as an export", () => {
  assert.deepEqual(upwardImports("store/db/store.ts", ENGINE), ["engine"]);
  const long = `import {\n  type Call,\n  reply,\n} from "../rpc/call.ts";\n`;
  assert.deepEqual(upwardImports("auth/access.ts", long), ["rpc"]);
  assert.deepEqual(upwardImports("lib/x.ts", `export * from "../store/db/store.ts";\n`), ["store"]);
});

test("imports of folders below, of the same folder and of packages are accepted", () => {
  assert.deepEqual(upwardImports("registry/tags/definition.ts", ENGINE), []);
  const near = `import { a } from "./a.ts";\nimport pg from "pg";\n`;
  assert.deepEqual(upwardImports("lib/x.ts", near), []);
});

test("an exception holds for its file alone", () => {
  const text = `import { LEVELS } from "../observe/logger.ts";\n`;
  assert.deepEqual(upwardImports("config/schema/operation.ts", text), []);
  assert.deepEqual(upwardImports("config/parse.ts", text), ["observe"]);
});

test("a folder that is not in the list is an error", () => {
  assert.throws(() => upwardImports("other/a/x.ts", ENGINE), /other is not in the list of folders/);
});

test("drivers and transactions import no table; what composes a store may", () => {
  const text = `import { CountChanges } from "../../resources/counts.ts";\n`;
  assert.deepEqual(importedTables("store/db/commit/x.ts", text), ["store/resources/counts.ts"]);
  const near = `import type { ResourceTable } from "../resources/resource-table.ts";\n`;
  assert.deepEqual(importedTables("store/db/health.ts", near), [
    "store/resources/resource-table.ts",
  ]);
  assert.deepEqual(importedTables("store/db/store.ts", near), []);
});

test("only the composition root has the whole engine", () => {
  assert.ok(importsEngine("registry/tags/tags.ts", ENGINE));
  assert.ok(!importsEngine("app/core.ts", `import { createEngine } from "../engine/engine.ts";\n`));
});

test("the server keeps the direction", () => importsGoDown());

test("a test that reads settings on its own is found", () => {
  const text = `import {\n  readSettings,\n  type Settings,\n} from "../../src/config/settings.ts";\n`;
  assert.ok(readsUserSettings("packages/server/test/long/backup.test.ts", text));
  assert.ok(!readsUserSettings("packages/server/src/config/settings.test.ts", text));
  const types = `import type { Settings } from "../../src/config/settings.ts";\n`;
  assert.ok(!readsUserSettings("packages/server/test/long/backup.test.ts", types));
});

test("tests have their own data", () => testsHaveTheirOwnData());

test("the trust rules import types and the files beside them", () => {
  const types = `import type { IdentityJson } from "@wharf/contract/messages";\n`;
  assert.deepEqual(unportableImports(`${types}export * from "./platform.ts";\n`), []);
  const values = `import { create } from "@bufbuild/protobuf";\nimport "node:fs";\n`;
  assert.deepEqual(unportableImports(values), ["@bufbuild/protobuf", "node:fs"]);
  assert.deepEqual(unportableImports(`const fs = await import("node:fs");\n`), ["node:fs"]);
  return trustRunsAnywhere();
});
