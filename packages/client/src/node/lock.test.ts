import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { folderLock } from "./lock.ts";

test("without SQLite, one process has the lock, and an abandoned one is taken over", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-lock-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "lock");
  const [first, second] = [folderLock(path), folderLock(path)];
  assert.ok(first.take());
  assert.ok(!second.take());
  second.release();
  assert.ok(!folderLock(path).take(), "one that was not taken is not released");
  first.release();
  assert.ok(second.take());
  const longAgo = Date.now() / 1000 - 61;
  utimesSync(join(folder, readdirSync(folder)[0] as string), longAgo, longAgo);
  assert.ok(first.take());
});
