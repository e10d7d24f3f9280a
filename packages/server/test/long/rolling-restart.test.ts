/** Replicas behind a balancer are restarted one after another while clients go on: no request may fail. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient, PROTOCOLS } from "../support/client/api-client.ts";
import { listAll } from "../support/client/pagination.ts";
import { Balancer } from "../support/server/balancer.ts";
import { TestServer } from "../support/server/test-server.ts";

const REPLICAS = 3;
const ROUNDS = 2;
const CLIENTS_PER_PROTOCOL = 4;

/** Between requests of a client: without it, they keep the processors busy as long as restarts take, and find no more. */
const PAUSE_MS = 50;

/** The delay of installations: many times what the balancer needs to notice. */
const FLAGS = ["--base-url", "http://wharf.test", "--shutdown-delay", "3"];

let servers: TestServer[];
let balancer: Balancer;
before(async () => {
  const first = await TestServer.start({ store: "postgres", flags: FLAGS, ownProcess: true });
  servers = [first];
  while (servers.length < REPLICAS)
    servers.push(await TestServer.start({ sameStoreAs: first, flags: FLAGS, ownProcess: true }));
  balancer = await Balancer.start(servers.map(({ url }) => url));
});
after(async () => {
  balancer.close();
  await Promise.all(servers.map((server) => server.stop()));
});

test("no request fails while replicas restart one by one", async () => {
  const token = await (servers[0] as TestServer).token();
  const urls = { REST: balancer.restUrl, gRPC: balancer.grpcUrl };
  const apis = PROTOCOLS.map((protocol) => new ApiClient({ url: urls[protocol], token, protocol }));
  const [rest] = apis as [ApiClient, ApiClient];
  const org = (await rest.groups.create("", { name: "rolling" })).uid;

  let isRolling = true;
  let requests = 0;
  const created: string[] = [];
  const failures: unknown[] = [];
  const client = async (api: ApiClient) => {
    while (isRolling) {
      try {
        created.push((await api.groups.create(org, { name: `group ${requests++}` })).uid);
        await api.groups.get(org);
        requests += 1;
      } catch (error) {
        failures.push(error);
      }
      await sleep(PAUSE_MS);
    }
  };
  const clients = apis.flatMap((api) =>
    Array.from({ length: CLIENTS_PER_PROTOCOL }, () => client(api)),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) {
      const before = requests;
      assert.equal(await server.terminate(), 0);
      await server.restart();
      await balancer.until(server.url, true);
      assert.ok(requests > before, "the other replicas serve");
    }
  }
  isRolling = false;
  await Promise.all(clients);

  assert.deepEqual(failures, []);
  const { items } = await listAll(rest.groups, "groups", {
    uidp: { childrenOf: org },
    pageSize: 200,
  });
  const found = new Set(items.map(({ uid }) => uid));
  assert.deepEqual(
    created.filter((uid) => !found.has(uid)),
    [],
    "acknowledged writes are kept",
  );
});
