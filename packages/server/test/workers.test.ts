/** A server of several processes on one port behaves as one. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Http } from "./support/client/http.ts";
import { runs } from "./support/oracle/runs.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";
import { clientsOfWorkers, WorkerClient, workerPids } from "./support/server/workers.ts";
import { roleNamed } from "./support/world/world.ts";

const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };
const GROUPS = "/iam/v2beta1/groups";
const PING = "/ping/v2beta1/ping";

for (const store of STORES) {
  describe(`two workers on ${store}`, () => {
    let server: TestServer;
    let one: WorkerClient;
    let two: WorkerClient;
    before(async () => {
      server = await TestServer.start({ store, workers: 2 });
      [one, two] = (await clientsOfWorkers(server, 2)) as [WorkerClient, WorkerClient];
    });
    after(async () => {
      for (const client of [one, two]) client?.close();
      assert.equal(await server?.stop(), 0);
    });

    const organization = async (name: string): Promise<string> =>
      (await one.post(GROUPS, { name })).body.uid;

    test("a write through one worker is read through the other", async () => {
      const org = await organization("written");
      for (let round = 0; round < runs(20, 500); round++) {
        const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
        const { uid } = (await writer.post(`${GROUPS}/${org}`, { name: `group ${round}` })).body;
        assert.equal((await reader.get(`${GROUPS}/${uid}`)).body.uid, uid);
        const list = await reader.get(`${GROUPS}?uidp.childrenOf=${org}&pageSize=1`);
        assert.equal(list.body.totalCount, String(round + 1));
      }
    });

    test("a revocation through one worker counts for the next request on the other", async () => {
      const org = await organization("revoked");
      const identity = { name: "member", claimMatch: CLAIMS };
      const { uid } = (await one.post(`/iam/v2beta1/identities/${org}`, identity)).body;
      const token = await server.token(uid);
      const bound = { identityUid: uid, roleUid: roleNamed("viewer") };
      for (let round = 0; round < runs(10, 200); round++) {
        const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
        const binding = (await writer.post(`/iam/v2beta1/roleBindings/${org}`, bound)).body.uid;
        assert.equal((await reader.get(`${GROUPS}/${org}`, token)).status, 200);
        await writer.delete(`/iam/v2beta1/roleBindings/${binding}`);
        assert.equal((await reader.get(`${GROUPS}/${org}`, token)).status, 403);
      }
    });

    test("requests with one idempotency key create one group", async () => {
      const headers = { "idempotency-key": `key-${store}` };
      const create = (client: WorkerClient) =>
        client.send("POST", GROUPS, { body: { name: "once" }, headers });
      const answers = await Promise.all([one, two, one, two].map(create));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal(new Set(answers.map(({ body }) => body.uid)).size, 1);
    });

    test("concurrent attempts to sign in are limited for all workers together", async (t) => {
      const path = "/oauth/device_authorization";
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      // In turn, connections are those of both workers: neither alone has as many as the limit.
      const token = await server.token();
      const clients = Array.from({ length: 150 }, () => new WorkerClient(server.url, token));
      t.after(() => {
        for (const client of clients) client.close();
      });
      await Promise.all(clients.map((client) => client.get(PING)));
      const supervisor = server.process.pid as number;
      process.kill(supervisor, "SIGSTOP");
      const sent = { body: "audience=https://nowhere.test", headers };
      const attempts = clients.map(
        async (client) => (await client.send("POST", path, sent)).status,
      );
      // Both workers have received them now: later requests are answered.
      for (let request = 0; request < 10; request++)
        await Promise.all([one.get(PING), two.get(PING)]);
      process.kill(supervisor, "SIGCONT");
      const statuses = await Promise.all(attempts);
      const count = (status: number) => statuses.filter((one) => one === status).length;
      assert.deepEqual([count(400), count(429)], [100, 50]);
    });

    test("metrics are those of the whole server, from whichever worker", async () => {
      const pings = async (client: WorkerClient) => {
        const { body } = await client.get("/metrics");
        for (const worker of [1, 2])
          assert.match(body, new RegExp(`^process_open_fds{worker="${worker}"} \\d`, "m"));
        const line = /^wharf_request_duration_seconds_count{.*PingService\/Ping.*} (\d+)$/m;
        return Number(line.exec(body)?.[1] ?? 0);
      };
      const before = await pings(one);
      for (const client of [one, one, two]) assert.equal((await client.get(PING)).status, 200);
      assert.deepEqual([await pings(one), await pings(two)], [before + 3, before + 3]);
    });

    test("a worker that is killed is replaced, and the other one goes on", async () => {
      const writes = async () => {
        const { body } = await two.get("/metrics");
        return Number(/^wharf_store_writes_total (\d+)$/m.exec(body)?.[1]);
      };
      const before = await writes();
      const pids = workerPids(server.log);
      process.kill(pids.get(1) as number, "SIGKILL");
      // New connections are served throughout.
      while (workerPids(server.log).get(1) === pids.get(1)) {
        assert.equal((await two.get(PING)).status, 200);
        assert.equal((await new Http(server.url, "").get(PING)).status, 200);
        await sleep(20);
      }
      assert.match(server.log, /"worker":1,.*"signal":"SIGKILL".*worker ended unexpectedly/);
      for (const client of [one, two]) client.close();
      [one, two] = (await clientsOfWorkers(server, 2)) as [WorkerClient, WorkerClient];
      const uid = await organization("after");
      assert.equal((await two.get(`${GROUPS}/${uid}`)).status, 200);
      assert.ok((await writes()) > before, "counters of the one that ended still count");
    });
  });
}
