import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "./sqlite.ts";

test("a read sees what another process has committed before, within the turn too", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-sqlite-"));
  const path = join(folder, "wharf.db");
  const [ours, theirs] = [openSqlite(path), openSqlite(path)];
  t.after(async () => {
    await Promise.all([ours.close(), theirs.close()]);
    rmSync(folder, { recursive: true });
  });
  const write = async (sql: string) => {
    await theirs.begin();
    await theirs.writer.run(sql);
    await theirs.commit();
  };
  const count = async () =>
    (await ours.reader.get<{ total: number }>("SELECT count(*) AS total FROM things"))?.total;
  await write("CREATE TABLE things (name TEXT)");
  assert.equal(await count(), 0);
  await write("INSERT INTO things VALUES ('one')");
  const begun = performance.now();
  // Nothing here lets the turn end.
  while (performance.now() - begun < 5);
  assert.equal(await count(), 1);
});
