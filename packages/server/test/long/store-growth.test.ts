import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_KINDS_PER_NETWORK } from "../../src/engine/audit/aggregator.ts";
import { MAX_PENDING_DEVICES_PER_NETWORK } from "../../src/login/oauth/device.ts";
import { DirectStore, rawRows } from "../support/server/direct-store.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

const REFUSALS = 1_500;
const LOGINS = 600;
const CONCURRENCY = 16;

/** Long enough that their rows would be megabytes. */
const EXPIRED = 2_000;
const LONG_PAYLOAD = JSON.stringify({ filler: "p".repeat(7_000) });

const MINUTE_MS = 60_000;

for (const store of STORES) {
  describe(`floods without credentials, on ${store}`, () => {
    test("store a bounded number of rows", async (t) => {
      const server = await TestServer.start({
        store,
        flags: ["--log-level", "silent"],
        ownProcess: true,
      });
      t.after(() => server.stop());
      const count = async (table: string) => {
        const [row] = await rawRows<{ n: number }>(server, `SELECT count(*) AS n FROM ${table}`);
        return Number(row?.n);
      };
      const before = { audit: await count("audit"), tickets: await count("tickets") };
      const started = Date.now();
      await flood(REFUSALS, (at) => {
        const query = new URLSearchParams({ aud: server.url, identity: hex(at) });
        const headers = { authorization: `Bearer ${madeUp(at)}` };
        return fetch(`${server.url}/sts/exchange?${query}`, { headers });
      });
      await flood(REFUSALS, (at) => {
        const credentials = Buffer.from(`${hex(at)}:${madeUp(at)}`).toString("base64");
        const headers = { authorization: `Basic ${credentials}` };
        return fetch(`${server.url}/token?scope=repository:a/b${at}:pull`, { headers });
      });
      await flood(LOGINS, (at) => fetch(`${server.url}${LOGIN_PATHS[at % LOGIN_PATHS.length]}`));
      await flood(2 * MAX_PENDING_DEVICES_PER_NETWORK, () =>
        fetch(`${server.url}/oauth/device_authorization`, { method: "POST", body: "" }),
      );
      assert.equal(await server.terminate(), 0);
      const windows = Math.ceil((Date.now() - started) / MINUTE_MS) + 1;
      const audited = (await count("audit")) - before.audit;
      assert.ok(audited > 0);
      assert.ok(audited <= windows * (2 * MAX_KINDS_PER_NETWORK + 1), `${audited} entries`);
      assert.ok((await count("tickets")) - before.tickets <= MAX_PENDING_DEVICES_PER_NETWORK);
      const rows = await rawRows<{ detail: string }>(server, "SELECT detail FROM audit");
      const requests = rows.map(({ detail }) => JSON.parse(detail || "{}").count ?? 1);
      assert.equal(
        requests.reduce((sum, one) => sum + one, 0),
        2 * REFUSALS + before.audit,
        "each request is counted once",
      );
    });

    test("stored by an earlier version are deleted in the background", async (t) => {
      const server = await TestServer.start({
        store,
        flags: ["--log-level", "silent"],
        ownProcess: true,
      });
      t.after(() => server.stop());
      const direct = await DirectStore.open(server);
      t.after(() => direct.close());
      const digests = JSON.stringify(Array.from({ length: EXPIRED }, (_, at) => `digest ${at}`));
      await direct.store.write((tx) => {
        const sql = `INSERT INTO tickets (digest, purpose, payload, expires)
          SELECT value, 'login', '${LONG_PAYLOAD}', 1 FROM (${tx.dialect.texts}) given`;
        return tx.run(sql, digests);
      });
      const left = async () => {
        const sql = "SELECT count(*) AS n FROM tickets WHERE expires = 1";
        return Number((await direct.store.reader.get<{ n: number }>(sql))?.n);
      };
      // In batches, which store-expiry.test.ts counts: requests are answered meanwhile.
      while ((await left()) > 0) {
        assert.equal((await fetch(`${server.url}/oauth`)).status, 200);
        await sleep(5);
      }
    });
  });
}

const LOGIN_PATHS = ["/oauth", "/device", "/account", "/oauth?invite="];

async function flood(total: number, send: (at: number) => Promise<Response>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < total) await (await send(next++)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** A uid that nothing has. */
function hex(at: number): string {
  return at.toString(16).padStart(40, "0");
}

/** A token that nobody signed, of an issuer that nobody knows. */
function madeUp(at: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: `https://issuer-${at}.example`, sub: "s".repeat(500) };
  return `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}.AAAA`;
}
