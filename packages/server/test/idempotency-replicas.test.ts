import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient, PROTOCOLS } from "./support/client/api-client.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { TestServer } from "./support/server/test-server.ts";
import { roleNamed } from "./support/world/world.ts";

const FLAGS = ["--base-url", "http://wharf.test"];

/** Requests with one key, in turn to one replica and the other. */
const REPETITIONS = 6;

describe("one idempotency key on two replicas", () => {
  let [one, two]: TestServer[] = [];
  let api: ApiClient;
  let org: string;
  before(async () => {
    one = await TestServer.start({ store: "postgres", flags: FLAGS });
    two = await TestServer.start({ sameStoreAs: one, flags: FLAGS });
    api = new ApiClient({ url: one.url, token: await one.token() });
    org = (await api.groups.create("", { name: "org" })).uid;
  });
  after(async () => {
    closeGrpc();
    assert.deepEqual([await two?.stop(), await one?.stop()], [0, 0]);
  });

  const clients = (key: string) =>
    Array.from({ length: REPETITIONS }, (_, n) => {
      const { url } = (n % 2 === 0 ? one : two) as TestServer;
      const protocol = PROTOCOLS[n % PROTOCOLS.length] ?? "REST";
      return new ApiClient({ url, token: api.token, protocol }).keyed(key);
    });

  /** The number of audit entries and events of the resources below the organization. */
  const written = async () => {
    const sql = `SELECT (SELECT count(*) FROM audit WHERE resource LIKE '${org}/%') AS audit,
      (SELECT count(*) FROM events WHERE subject LIKE '${org}/%') AS events`;
    const [row] = await rawRows<Record<string, string>>(one as TestServer, sql);
    return [Number(row?.audit), Number(row?.events)];
  };

  for (const [what, send] of [
    ["groups", (as: ApiClient) => as.groups.create(org, { name: "once" })],
    ["names that must be unique", (as: ApiClient) => as.repos.create(org, { name: "once" })],
    [
      "secrets",
      (as: ApiClient) =>
        as.groupInvites.create(org, { roleUid: roleNamed("viewer"), ttl: "3600s" }),
    ],
  ] as const) {
    test(`creates one resource, whichever replica is first: ${what}`, async () => {
      for (let round = 0; round < 2; round++) {
        const [audit = 0, events = 0] = await written();
        const key = `${what} ${round}`.replaceAll(" ", "-");
        const made = await Promise.all(clients(key).map(send));
        const uids = new Set(made.map((one) => `${one.uid} ${one.code ?? ""}`));
        assert.equal(uids.size, 1, [...uids].join("\n"));
        assert.deepEqual(await written(), [audit + 1, events + 1]);
        if (what === "names that must be unique") await api.repos.delete(made[0]?.uid);
      }
    });
  }
});
