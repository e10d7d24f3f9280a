import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { newChildUid } from "@wharf/contract";
import { CountedTask } from "../../lib/testing/counted-task.ts";
import { openSqlite } from "../db/sqlite.ts";
import { Store } from "../db/store.ts";
import { readRowsById } from "./page.ts";
import { ResourceTable } from "./resource-table.ts";

const ROOT = "a".repeat(40);
const ROWS = 201;

const things = new ResourceTable({
  ...{ uidIsParent: false, name: "things", isScope: false, hasChildren: false, filterColumns: [] },
});

test("other tasks can run while the rows of a page are read by id", async () => {
  const directory = mkdtempSync(join(tmpdir(), "wharf-rows-"));
  const store = await Store.open(openSqlite(join(directory, "wharf.db")), [things], {
    committed() {},
  });
  try {
    await store.write(async (tx) => {
      for (let at = 0; at < ROWS; at++) {
        await things.insert(tx, {
          ...{ uid: newChildUid(ROOT), parent: ROOT, root: ROOT, name: `thing ${at}` },
          ...{ created: at, updated: at, filters: {} },
          ...{ encoding: 7, json: `row ${at}`, data: new Uint8Array() },
        });
      }
    });
    const stored = await store.reader.arrays<[number, string]>("SELECT id, json FROM things");
    const ids = stored.map(([id]) => id);
    const task = new CountedTask();
    // A row that does not exist is missing.
    const found = await readRowsById(store.reader, things, [...ids, 0], "json", task);
    assert.deepEqual(found, new Map(stored.map(([id, json]) => [id, [7, json]])));
    assert.ok(task.steps >= 4, `${task.steps} steps`);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
