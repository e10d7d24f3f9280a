import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqlite } from "./sqlite.ts";

test("a turn that takes long sees what another process has committed meanwhile", async (t) => {
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
