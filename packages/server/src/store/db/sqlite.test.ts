import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqlite } from "./sqlite.ts";

test("a long tick sees what another process has committed meanwhile", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-sqlite-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "wharf.db");
  const { reader, writer, close } = openSqlite(path);
  t.after(close);
  await writer.run("CREATE TABLE things (name TEXT)");
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  // All in one turn of the event loop: SQLite answers without waiting.
  const count = () => reader.get<{ n: number }>("SELECT count(*) AS n FROM things");
  assert.deepEqual((await count())?.n, 0);
  other.exec("INSERT INTO things VALUES ('a')");
  for (const begun = performance.now(); performance.now() - begun < 1; );
  assert.deepEqual((await count())?.n, 1);
});

test("only the service user can read the store and its journals", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-sqlite-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const openAt = async (path: string) => {
    const { writer, close } = openSqlite(path);
    await writer.run("CREATE TABLE things (name TEXT)");
    assert.deepEqual([path, `${path}-wal`, `${path}-shm`].map(modeOf), ["600", "600", "600"]);
    await close();
  };
  const made = join(folder, "made");
  await openAt(join(made, "wharf.db"));
  assert.equal(modeOf(made), "700");
  const known = join(folder, "known.db");
  writeFileSync(known, "");
  chmodSync(known, 0o644);
  await openAt(known);
});
