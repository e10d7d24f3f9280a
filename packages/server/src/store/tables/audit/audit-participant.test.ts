import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CommitOutcomeUnknown } from "../../db/commit/errors.ts";
import { openSqlite } from "../../db/sqlite.ts";
import { Store } from "../../db/store.ts";
import { writeAudit } from "./audit-and-events.ts";

test("a chain goes on after a rollback, and ends with a commit whose outcome is unknown", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-audit-"));
  const driver = openSqlite(join(folder, "wharf.db"));
  let isLost = false;
  const commit = async () => {
    await driver.commit();
    if (isLost) throw new CommitOutcomeUnknown("no answer", undefined);
  };
  const store = await Store.open({ ...driver, commit }, [], { committed() {} });
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const entry = {
    ...{ time: 0, actor: "", resource: "", requestId: "", remoteAddress: "", userAgent: "" },
    ...{ code: 0, detail: "" },
  };
  const write = (method: string, error?: Error) =>
    store.write(async (tx) => {
      await tx.run("DELETE FROM store_probes");
      writeAudit(tx, { ...entry, method });
      if (error !== undefined) throw error;
    });
  await write("1");
  await assert.rejects(write("2", new Error("rolled back")), /rolled back/);
  await write("3");
  isLost = true;
  await assert.rejects(write("4"), { code: "UNKNOWN" });
  isLost = false;
  await write("5");
  const rows = await store.reader.all<{ method: string; chain: string; sequence: number }>(
    "SELECT method, chain, sequence FROM audit ORDER BY id",
  );
  const [first] = rows;
  assert.deepEqual(
    rows.map(({ method, chain, sequence }) => [method, chain === first?.chain, sequence]),
    [
      ["1", true, 1],
      ["3", true, 2],
      ["4", true, 3],
      ["5", false, 1],
    ],
  );
});
