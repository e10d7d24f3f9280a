import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { WharfError } from "../../src/lib/errors.ts";
import { openPostgres } from "../../src/store/db/postgres.ts";
import { Store } from "../../src/store/db/store.ts";
import { CountChanges } from "../../src/store/resources/counts.ts";
import { Random, SEED } from "../support/oracle/random.ts";
import { COMMIT_FAULTS, CommitProxy } from "../support/server/commit-proxy.ts";
import { newDatabase } from "../support/server/postgres.ts";

const TRIALS = 200;
const REPLICAS = 2;
const MAX_WRITES = 20;
const OUTCOME_MS = 300;

/** Allowed numbers of stored rows of a write, by its status. */
const ALLOWED: Readonly<Record<string, readonly number[]>> = {
  OK: [1],
  UNAVAILABLE: [0],
  UNKNOWN: [0, 1],
};

test(`${TRIALS} broken commits of two replicas lose and double nothing`, async (t) => {
  const random = new Random(SEED);
  const url = await newDatabase();
  const direct = new pg.Client({ connectionString: url });
  await direct.connect();
  await direct.query("CREATE TABLE written (name text)");
  const proxy = await CommitProxy.start(url);
  const stores = await Promise.all(
    Array.from({ length: REPLICAS }, async () => {
      const driver = await openPostgres(proxy.url, { outcomeMs: OUTCOME_MS, retryMs: 0 });
      return Store.open(driver, [], { committed() {} });
    }),
  );
  const put = async (store: Store, name: string): Promise<string> => {
    try {
      await store.write(async (tx) => {
        // Every write counts at the root: replicas wait for each other.
        tx.changes(CountChanges).moved("written", "", 1);
        await tx.run("INSERT INTO written (name) VALUES (?)", name);
      });
      return "OK";
    } catch (error) {
      proxy.release();
      assert.ok(error instanceof WharfError, String(error));
      return error.code;
    }
  };

  const outcomes: Record<string, number> = {};
  try {
    for (let trial = 0; trial < TRIALS; trial++) {
      const fault = random.pick(COMMIT_FAULTS);
      const closes = random.below(5) === 0;
      proxy.breakNext(fault, { closes });
      const names = Array.from({ length: 1 + random.below(MAX_WRITES) }, (_, at) => {
        return `${trial}-${at}`;
      });
      const writes = names.map((name) => put(random.pick(stores), name));
      const answers = await Promise.all(writes);
      proxy.isClosed = false;
      proxy.release();
      for (const [at, name] of names.entries()) {
        const sql = "SELECT count(*)::integer AS stored FROM written WHERE name = $1";
        const { stored } = (await direct.query(sql, [name])).rows[0];
        const answer = answers[at] as string;
        const what = `${fault}${closes ? ", then away" : ""}: ${answer}, stored ${stored}`;
        assert.ok(ALLOWED[answer]?.includes(stored), `trial ${trial}: ${what}`);
        outcomes[what] = (outcomes[what] ?? 0) + 1;
      }
    }
    assert.equal(proxy.faults, TRIALS);
    const sql = `SELECT (SELECT count(*) FROM written)::integer AS rows,
      (SELECT descendants FROM counts WHERE uid = '' AND kind = 'written')::integer AS counted`;
    const { rows, counted } = (await direct.query(sql)).rows[0];
    assert.equal(counted, rows, "counts are written with their rows");
    for (const [what, times] of Object.entries(outcomes).sort()) t.diagnostic(`${times} × ${what}`);
  } finally {
    for (const store of stores) await store.close();
    await proxy.stop();
    await direct.end();
  }
});
