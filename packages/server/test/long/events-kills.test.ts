/** kill -9 in the middle of deliveries: nothing is lost, and at most the requests in progress are repeated. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../support/client/api-client.ts";
import { Receiver } from "../support/events/receiver.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";

const GROUPS = 300;
const KILLS = 3;

// Concurrently: most of the time, a restarted server waits for the lease of the one that was killed.
describe("a server that is killed while it delivers", { concurrency: true }, () => {
  for (const store of STORES) {
    for (const maxConcurrency of [1, 16]) {
      test(`loses nothing, on ${store}, ${maxConcurrency} requests at a time`, async (t) => {
        const receiver = await Receiver.start(async (_received, response) => {
          await sleep(5);
          response.writeHead(200).end();
        });
        t.after(() => receiver.stop());
        const server = await TestServer.start({ store, ownProcess: true });
        t.after(() => server.stop());
        const token = await server.token();
        const api = new ApiClient({ url: server.url, token });
        const org = (await api.groups.create("", { name: "org" })).uid;
        const { uid } = await api.subscriptions.create(org, {
          sink: receiver.url,
          maxConcurrency,
          filters: [{ glob: { type: "*.iam.group.created.*" } }],
          state: "SUBSCRIPTION_STATE_PAUSED",
        });
        const made = new Set<string>();
        for (let at = 0; at < GROUPS; at++)
          made.add((await api.groups.create(org, { name: `group ${at}` })).uid);
        await api.subscriptions.update(uid, { state: "SUBSCRIPTION_STATE_ACTIVE" }, ["state"]);
        for (let kill = 0; kill < KILLS; kill++) {
          const before = receiver.received.length;
          await until(async () => receiver.received.length > before + 10 || undefined);
          await server.kill();
          await server.restart();
        }
        const subjects = () =>
          receiver.received.map(({ headers }) => String(headers["ce-subject"]));
        await until(async () => made.isSubsetOf(new Set(subjects())) || undefined);
        await until(async () => {
          const { health } = await api.subscriptions.get(uid);
          return health.pendingCount === "0" || undefined;
        });
        const repeated = subjects().length - new Set(subjects()).size;
        assert.ok(repeated <= KILLS * maxConcurrency, `${repeated} repeated`);
      });
    }
  }
});
