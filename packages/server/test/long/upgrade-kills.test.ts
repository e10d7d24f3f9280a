/** An upgrade is killed again and again; the next start goes on, and in the end nothing is missing. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { RESOURCES } from "../../src/app/resources.ts";
import type { Driver } from "../../src/store/db/connection.ts";
import { openPostgres } from "../../src/store/db/postgres.ts";
import { openSqlite } from "../../src/store/db/sqlite.ts";
import { comparableSchema } from "../support/server/comparable-schema.ts";
import { NewDatabase } from "../support/server/new-database.ts";
import { restoreFixture } from "../support/server/store-fixture.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";
import { testSettings } from "../support/server/test-settings.ts";

const WHARF = join(import.meta.dirname, "../../../cli/bin/wharf.cjs");

/** The store with the most steps ahead, whose groups get a column. */
const OLDEST = "0.1.0-dev.5";

/** Enough for several batches. */
const GROUPS = 20_000;

/** The longest delay of the first starts. Later ones may take a multiple of it: a step that cannot be divided takes its time. */
const MAX_DELAY_MS = 60;

/** More than an upgrade has lines in the log. */
const MAX_STARTS = 200;

for (const store of STORES) {
  describe(`an upgrade that is killed, on ${store}`, () => {
    test("goes on with the next start", async (t) => {
      const { storeFlags } = await restoreFixture(OLDEST, store);
      const { data, databaseUrl } = await testSettings(storeFlags);
      const connect = async () =>
        databaseUrl === "" ? openSqlite(join(data, "wharf.db")) : openPostgres(databaseUrl);
      const before = await connect();
      await addGroups(before);
      await before.close();

      const reached = new Set<string>();
      for (let start = 0; await killDuringUpgrade(storeFlags, start); start++) {
        reached.add(await progressOf(connect));
        assert.ok(start < MAX_STARTS, "each start gets further");
      }
      t.diagnostic(`killed at ${[...reached].join(", ")}`);

      const server = await TestServer.start({ sameStoreAs: { storeFlags } });
      t.after(() => server.stop());
      const after = await connect();
      t.after(() => after.close());
      const created = await NewDatabase.of(store);
      t.after(() => created.close());
      assert.deepEqual(
        await comparableSchema(after.reader),
        await comparableSchema((await created.store()).reader),
      );
      const rows = await after.reader.all<{ uid: string; last_step: string }>(
        "SELECT uid, last_step FROM groups WHERE parent <> ''",
      );
      assert.ok(rows.length > GROUPS);
      for (const { uid, last_step } of rows) assert.equal(last_step, uid.split("/").at(-1));
    });
  });
}

/** Starts a server, and kills it soon after its first line about the upgrade; false if it had nothing to upgrade. */
async function killDuringUpgrade(storeFlags: readonly string[], start: number): Promise<boolean> {
  const args = [WHARF, "serve", "--listen", "127.0.0.1:0", ...storeFlags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  const isUpgrading = await new Promise<boolean>((resolve) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes("upgrade of the store")) resolve(true);
    });
    createInterface({ input: child.stdout }).on("line", () => resolve(false));
    child.once("exit", () => resolve(false));
  });
  if (isUpgrading) await sleep((start % MAX_DELAY_MS) * (1 + Math.floor(start / 20)));
  child.kill("SIGKILL");
  await ended;
  assert.equal(child.signalCode, "SIGKILL", "the server has not ended by itself");
  return isUpgrading;
}

/** Adds groups as a version did that had no column for the last step. */
async function addGroups(driver: Driver): Promise<void> {
  const columns = "uid, parent, root, name, created, updated, encoding, verified_name, data, json";
  const sql = `INSERT INTO groups (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?)`;
  const parent = "a".repeat(40);
  await driver.begin();
  for (let at = 0; at < GROUPS; at++) {
    const uid = `${parent}/${at.toString(16).padStart(16, "0")}`;
    const message = create(GroupSchema, { uid, name: `group ${at}` });
    const { root, name, created, updated, encoding, data, json } = RESOURCES.groups.toRow(message);
    const values = [uid, parent, root, name, created, updated, encoding, data, json];
    await driver.writer.run(sql, ...values);
  }
  await driver.commit();
}

/** The last step, and what is left of it. */
async function progressOf(connect: () => Promise<Driver>): Promise<string> {
  const driver = await connect();
  const sql = "SELECT * FROM migrations ORDER BY step DESC LIMIT 1";
  const row = await driver.reader.get<{ step: number; pending?: string }>(sql);
  await driver.close();
  return `${row?.step} ${row?.pending ?? ""}`.trim();
}
