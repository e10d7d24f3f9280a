import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openSqlite } from "./sqlite.ts";

test("a tick sees what another connection has committed meanwhile", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-sqlite-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "wharf.db");
  const { reader, writer, close } = openSqlite(path, { maxAgeMs: 0 });
  t.after(close);
  await writer.run("CREATE TABLE things (name TEXT)");
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  // All in one turn of the event loop: SQLite answers without waiting.
  const count = () => reader.get<{ n: number }>("SELECT count(*) AS n FROM things");
  for (let things = 0; things < 3; things++) {
    assert.deepEqual((await count())?.n, things);
    other.exec("INSERT INTO things VALUES ('a')");
  }
});

test("a result is cached until the next commit, and needs no transaction", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-sqlite-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "wharf.db");
  const { reader, writer, begin, commit, close } = openSqlite(path);
  t.after(close);
  await writer.run("CREATE TABLE things (name TEXT)");
  const all = () => reader.all("SELECT name FROM things");
  const first = await all();
  await setImmediate();
  assert.equal(await all(), first);
  // A reader would prevent this.
  const truncated = await writer.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
  assert.equal(truncated?.busy, 0);
  await begin();
  await writer.run("INSERT INTO things VALUES ('a')");
  await commit();
  assert.deepEqual(
    (await all()).map((row) => ({ ...row })),
    [{ name: "a" }],
  );
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
  const existing = join(folder, "known.db");
  writeFileSync(existing, "");
  chmodSync(existing, 0o644);
  await openAt(existing);
});
