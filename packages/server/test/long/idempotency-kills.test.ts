/** Creates are executed once although the server is killed while it executes them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../support/client/api-client.ts";
import { rawRows } from "../support/server/direct-store.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

const KILLS = 10;
const CLIENTS = 8;

for (const store of STORES) {
  describe(`creates with an idempotency key while the server is killed, on ${store}`, () => {
    let server: TestServer;
    let api: ApiClient;
    before(async () => {
      server = await TestServer.start({ store, ownProcess: true });
      api = new ApiClient({ url: server.url, token: await server.token() });
    });
    after(() => server.stop());

    test("each is executed exactly once", async () => {
      const { uid: org } = await api.groups.create("", { name: "killed" });
      const created = new Map<string, string>();
      let isRunning = true;
      let repeated = 0;
      /** Repeats each create until it is answered: the server may be gone at any time. */
      const client = async (number: number) => {
        for (let n = 0; isRunning; n++) {
          const name = `c${number}-${n}`;
          while (!created.has(name)) {
            await api
              .keyed(name)
              .groups.create(org, { name })
              .then(({ uid }) => created.set(name, uid))
              .catch(async () => {
                repeated += 1;
                await sleep(20);
              });
          }
        }
      };
      const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(100 + 300 * Math.random());
        await server.kill();
        await server.restart();
      }
      isRunning = false;
      await Promise.all(clients);
      assert.ok(repeated > KILLS, `${repeated} requests were cut off`);
      const sql = (table: string, column: string) =>
        `SELECT ${column} AS name FROM ${table} WHERE ${column} LIKE '${org}/%'`;
      const rows = await rawRows<{ uid: string; name: string }>(
        server,
        `SELECT uid, name FROM groups WHERE parent = '${org}'`,
      );
      assert.deepEqual(
        rows.map(({ uid, name }) => `${name} ${uid}`).sort(),
        [...created].map((one) => one.join(" ")).sort(),
      );
      for (const [table, column] of [
        ["events", "subject"],
        ["audit", "resource"],
      ] as const) {
        assert.equal((await rawRows(server, sql(table, column))).length, created.size, table);
      }
    });
  });
}
