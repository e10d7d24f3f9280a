import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { operatorToken } from "../src/app/admin.ts";
import type { RunningServer } from "../src/app/running-server.ts";
import { startServer } from "../src/app/server.ts";
import type { Settings } from "../src/config/settings.ts";
import type { Driver } from "../src/store/db/connection.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { openSqlite } from "../src/store/db/sqlite.ts";
import { Store } from "../src/store/db/store.ts";
import { Http } from "./support/client/http.ts";
import { newDatabase } from "./support/server/postgres.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES, type StoreKind } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";

/** A server in this process whose disk can be full, as the database itself says. */
interface Filling {
  readonly settings: Settings;
  open(): Promise<Driver>;
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  discard(): void;
}

/** SQLite refuses to grow past a number of pages with the very error of a full disk. */
async function fillingSqlite(flags: readonly string[]): Promise<Filling> {
  const data = scratchFolder("wharf-full-");
  let driver: Driver | undefined;
  const limit = (pages: number) => driver?.writer.get(`PRAGMA max_page_count = ${pages}`);
  return {
    settings: await testSettings([...flags, "--data", data]),
    open: async () => {
      driver = openSqlite(join(data, "wharf.db"));
      return driver;
    },
    // Below what there is already, it becomes what there is.
    fill: async () => void (await limit(1)),
    makeRoom: async () => void (await limit(1_000_000)),
    discard: () => rmSync(data, { recursive: true }),
  };
}

/** PostgreSQL gives the error of a full disk for every new row. */
async function fillingPostgres(flags: readonly string[]): Promise<Filling> {
  const url = await newDatabase();
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  return {
    settings: await testSettings([...flags, "--database-url", url]),
    open: () => openPostgres(url),
    fill: () =>
      run(`
        CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger AS $$ BEGIN
          RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
        END $$ LANGUAGE plpgsql;
        CREATE TRIGGER full_disk BEFORE INSERT ON groups EXECUTE FUNCTION full_disk();
        CREATE TRIGGER full_disk BEFORE INSERT ON store_probes EXECUTE FUNCTION full_disk();`),
    makeRoom: () =>
      run("DROP TRIGGER full_disk ON groups; DROP TRIGGER full_disk ON store_probes;"),
    discard: () => {},
  };
}

const FILLING: Record<StoreKind, typeof fillingSqlite> = {
  sqlite: fillingSqlite,
  postgres: fillingPostgres,
};

for (const kind of STORES) {
  describe(`a server whose disk is full, on ${kind}`, () => {
    let disk: Filling;
    let server: RunningServer;
    let operator: Http;
    let parent: string;
    const written: string[] = [];
    before(async () => {
      disk = await FILLING[kind](["--listen", "127.0.0.1:0", "--log-level", "silent"]);
      server = await startServer(disk.settings, {
        open: async (_settings, tables, timings) => Store.open(await disk.open(), tables, timings),
      });
      operator = new Http(server.url, await operatorToken(disk.settings));
      parent = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    });
    after(async () => {
      await server.stop();
      disk.discard();
    });

    const create = (name: string) =>
      operator.post(`/iam/v2beta1/groups/${parent}`, { name, description: "d".repeat(500) });
    const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status;

    test("is ready and accepts writes before", async () => {
      assert.equal(await statusOf("/readyz"), 200);
      const made = await create("first");
      assert.equal(made.status, 200);
      written.push(made.body.uid);
    });

    test("rejects writes as UNAVAILABLE, with the cause and Retry-After", async () => {
      await disk.fill();
      // The last free pages may take some more.
      for (let at = 0; at < 200; at++) {
        const made = await create(`more-${at}`);
        if (made.status !== 200) break;
        written.push(made.body.uid);
      }
      const headers = {
        authorization: `Bearer ${await operatorToken(disk.settings)}`,
        "content-type": "application/json",
      };
      const body = JSON.stringify({ name: "rejected", description: "d".repeat(500) });
      const url = `${server.url}/iam/v2beta1/groups/${parent}`;
      const rejected = await fetch(url, { method: "POST", headers, body });
      assert.equal(rejected.status, 503);
      assert.equal(rejected.headers.get("retry-after"), "5");
      const { code } = (await rejected.json()) as { code: number };
      assert.equal(code, 14);
    });

    test("is not ready and reports why, but is alive and serves reads", async () => {
      const ready = await fetch(`${server.url}/readyz`);
      assert.equal(ready.status, 503);
      assert.equal(ready.headers.get("retry-after"), "5");
      const { status, reason } = (await ready.json()) as { status: string; reason: string };
      assert.deepEqual([status, reason], ["not_ready", "disk_full"]);
      assert.equal(await statusOf("/healthz"), 200);
      assert.equal((await operator.get(`/iam/v2beta1/groups/${parent}`)).status, 200);
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      assert.match(metrics, /^wharf_store_errors_total\{cause="disk_full"\} [1-9]/m);
    });

    test("recovers by itself, and has every acknowledged write", async () => {
      await disk.makeRoom();
      while ((await statusOf("/readyz")) !== 200) await sleep(100);
      const made = await create("after");
      assert.equal(made.status, 200);
      written.push(made.body.uid);
      for (const uid of written) {
        assert.equal((await operator.get(`/iam/v2beta1/groups/${uid}`)).status, 200, uid);
      }
      const list = await operator.get(`/iam/v2beta1/groups?uidp.children_of=${parent}&page_size=1`);
      assert.equal(Number(list.body.totalCount), written.length, "nothing of what was rejected");
    });
  });
}
