import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { WharfError } from "../src/lib/errors.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { Store } from "../src/store/db/store.ts";
import { CommitProxy } from "./support/server/commit-proxy.ts";
import { newDatabase } from "./support/server/postgres.ts";

/** Short for the test that waits until it is over; the others do not come near it. */
const OUTCOME_TIMEOUT_MS = 300;

describe("a connection that breaks between COMMIT and its answer", () => {
  let proxy: CommitProxy;
  let direct: pg.Client;
  let patient: Store;
  let impatient: Store;
  before(async () => {
    const url = await newDatabase();
    direct = new pg.Client({ connectionString: url });
    await direct.connect();
    await direct.query("CREATE TABLE written (name text)");
    proxy = await CommitProxy.start(url);
    const open = async (timeouts = {}) => {
      const driver = await openPostgres(proxy.url, timeouts);
      return Store.open(driver, [], { committed() {} });
    };
    patient = await open();
    impatient = await open({ outcomeMs: OUTCOME_TIMEOUT_MS, retryMs: 0 });
  });
  after(async () => {
    await patient.close();
    await impatient.close();
    await proxy.stop();
    await direct.end();
  });

  const put = (store: Store, name: string) =>
    store.write((tx) => tx.run("INSERT INTO written (name) VALUES (?)", name));
  const count = async (name: string) => {
    const { rows } = await direct.query("SELECT count(*) FROM written WHERE name = $1", [name]);
    return Number(rows[0].count);
  };

  for (const fault of ["unanswered", "lost", "late"] as const) {
    test(`leaves every write acknowledged and stored once if it is ${fault}`, async () => {
      const names = [1, 2, 3].map((number) => `${fault}-${number}`);
      const { faults } = proxy;
      proxy.breakNext(fault);
      await Promise.all(names.map((name) => put(patient, name)));
      assert.equal(proxy.faults, faults + 1);
      for (const name of names) assert.equal(await count(name), 1, name);
      await put(patient, `after-${fault}`);
      assert.equal(await count(`after-${fault}`), 1);
    });
  }

  test("leaves no transaction open: its session is ended, and the batch runs again", async () => {
    proxy.breakNext("stuck");
    await put(patient, "stuck");
    assert.equal(await count("stuck"), 1);
    await put(patient, "after-stuck");
    assert.equal(await count("after-stuck"), 1);
    proxy.release();
  });

  test("is UNKNOWN while the database cannot be reached", async () => {
    proxy.breakNext("unanswered", { closes: true });
    await assert.rejects(put(impatient, "away"), isOutcomeUnknown);
    await assert.rejects(put(impatient, "rejected"), { code: "UNAVAILABLE" });
    proxy.isClosed = false;
    await put(impatient, "after-away");
    assert.deepEqual([await count("away"), await count("rejected")], [1, 0]);
    assert.equal(await count("after-away"), 1);
  });

  test("keeps the marker of a connection for a day", async () => {
    await direct.query("UPDATE commit_markers SET time = now() - interval '25 hours'");
    proxy.breakNext("lost");
    await put(patient, "later");
    const { rows } = await direct.query("SELECT batch FROM commit_markers ORDER BY batch");
    assert.equal(rows.length, 2, "those of the broken connection and of the new one");
  });
});

function isOutcomeUnknown(error: unknown): boolean {
  assert.ok(error instanceof WharfError);
  assert.equal(error.code, "UNKNOWN");
  assert.deepEqual(error.detail, { reason: "COMMIT_OUTCOME_UNKNOWN" });
  return true;
}
