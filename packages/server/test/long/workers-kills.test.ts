/** Workers are killed while clients go on: others serve, and nothing that was acknowledged is lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../support/client/api-client.ts";
import { listAll } from "../support/client/pagination.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";
import { WorkerClient, workerPids } from "../support/server/workers.ts";

const WORKERS = 3;
const CLIENTS = 12;
/** Each worker twice. */
const KILLS = 2 * WORKERS;

/** Between requests of a client: without it, they keep the processors busy as long as a worker takes to start. */
const PAUSE_MS = 25;

/** The errors that a client of a killed worker sees. */
const BROKEN = new Set(["ECONNRESET", "EPIPE"]);

for (const store of STORES) {
  test(`workers that are killed on ${store} lose nothing, and only their own connections`, async (t) => {
    const server = await TestServer.start({ store, workers: WORKERS });
    t.after(() => server.stop());
    const token = await server.token();
    const api = new ApiClient({ url: server.url, token });
    const org = (await api.groups.create("", { name: "organization" })).uid;

    let isRunning = true;
    const acknowledged: string[] = [];
    let attempts = 0;
    let broken = 0;
    const client = async () => {
      let own = new WorkerClient(server.url, token);
      while (isRunning) {
        const name = `group ${attempts++}`;
        try {
          const { status, body } = await own.post(`/iam/v2beta1/groups/${org}`, { name });
          assert.equal(status, 200, JSON.stringify(body));
          acknowledged.push(body.uid);
          assert.equal((await own.get(`/iam/v2beta1/groups/${body.uid}`)).status, 200);
        } catch (error) {
          if (!BROKEN.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
          broken += 1;
          own.close();
          own = new WorkerClient(server.url, token);
        }
        await sleep(PAUSE_MS);
      }
      own.close();
    };
    const clients = Array.from({ length: CLIENTS }, client);
    const ended = Promise.all(clients);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await Promise.race([sleep(20), ended]);
      const victim = (kill % WORKERS) + 1;
      const pids = workerPids(server.log);
      process.kill(pids.get(victim) as number, "SIGKILL");
      const replaced = () => workerPids(server.log).get(victim) !== pids.get(victim);
      while (!replaced()) await Promise.race([sleep(20), ended]);
    }
    isRunning = false;
    await ended;

    assert.ok(broken <= KILLS * CLIENTS, `${broken} broken requests`);
    const childrenOf = { uidp: { childrenOf: org }, pageSize: 200 };
    const { items } = await listAll(api.groups, "groups", childrenOf);
    const stored = new Set(items.map(({ uid }) => uid));
    assert.deepEqual(
      acknowledged.filter((uid) => !stored.has(uid)),
      [],
    );
    const { totalCount } = await api.groups.list(childrenOf);
    assert.equal(totalCount, String(stored.size));
    assert.equal(await server.admin("check"), "ok\n");
  });
}
