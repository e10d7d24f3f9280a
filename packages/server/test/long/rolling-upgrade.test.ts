/**
 * Old and new replicas on one PostgreSQL. There is no later version yet, so the new one is this version with one more
 * step, which adds what a step may add.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { schemaFor } from "../../src/app/backup/store-source.ts";
import { openStore } from "../../src/store/db/open.ts";
import { DIALECT } from "../../src/store/db/postgres/dialect.ts";
import { ApiClient, PROTOCOLS } from "../support/client/api-client.ts";
import { rejected } from "../support/client/api-error.ts";
import { listAll, uidsOf } from "../support/client/pagination.ts";
import { TestServer } from "../support/server/test-server.ts";

/** One existing table a step: a step that waits for a table while it holds others would hold up everybody. */
const FIRST_LATER = schemaFor(DIALECT).last + 1;
const LATER = Object.fromEntries([
  [
    `${FIRST_LATER}-things.sql`,
    "CREATE TABLE later_things (id INTEGER PRIMARY KEY, name TEXT NOT NULL);",
  ],
  ...["groups", "audit", "events", "counts"].map((table, at) => [
    `${FIRST_LATER + 1 + at}-${table}.sql`,
    `ALTER TABLE ${table} ADD COLUMN later TEXT NOT NULL DEFAULT '';\nCREATE INDEX ${table}_by_later ON ${table} (later);`,
  ]),
]);

/** Of gRPC. */
const NOT_FOUND = 5;

const FLAGS = ["--base-url", "http://wharf.test", "--shutdown-delay", "0"];

let old: TestServer;
let replaced: TestServer;
let later: TestServer | undefined;
before(async () => {
  old = await TestServer.start({ store: "postgres", flags: FLAGS, ownProcess: true });
  replaced = await TestServer.start({ sameStoreAs: old, flags: FLAGS, ownProcess: true });
});
after(async () => {
  await later?.stop();
  await replaced.stop();
  await old.stop();
});

test("replicas of two versions serve side by side, and an old one does not start again", async () => {
  const token = await old.token();
  const apisOf = ({ url }: TestServer) =>
    PROTOCOLS.map((protocol) => new ApiClient({ url, token, protocol }));
  const [first] = apisOf(old) as [ApiClient];
  const org = (await first.groups.create("", { name: "rolling" })).uid;
  const created: string[] = [];
  const failures: unknown[] = [];
  let isUpgrading = true;
  const client = async (api: ApiClient) => {
    for (let n = 0; isUpgrading; n++) {
      try {
        const { uid } = await api.groups.create(org, { name: `group-${n}` });
        created.push(uid);
        assert.equal((await api.groups.get(uid)).uid, uid);
        await api.groups.update(uid, { description: "changed" });
        await api.groups.list({ pageSize: 5 });
      } catch (error) {
        failures.push(error);
        return;
      }
    }
  };
  const clients = [...apisOf(old), ...apisOf(replaced)].map(client);
  later = await TestServer.start({
    sameStoreAs: old,
    flags: FLAGS,
    open: (location, tables, timings, options) =>
      openStore(location, tables, timings, { ...options, laterSteps: LATER }),
  });
  assert.match(later.log, /upgrade of the store: step (\d+) of \1 took/);
  clients.push(...apisOf(later).map(client));
  const before = created.length;
  while (created.length < before + 100 && failures.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  isUpgrading = false;
  await Promise.all(clients);
  assert.deepEqual(failures, []);

  // Each of them sees the writes of the other immediately: rows, totals and access.
  for (const [writer, reader] of [
    [old, later],
    [later, old],
  ] as const) {
    const [write] = apisOf(writer) as [ApiClient];
    for (const read of apisOf(reader)) {
      const { uid } = await write.groups.create(org, { name: "seen" });
      assert.equal((await read.groups.get(uid)).name, "seen");
      await write.groups.delete(uid);
      assert.equal((await rejected(read.groups.get(uid))).code, NOT_FOUND);
    }
  }
  const uids = await Promise.all(
    [old, later].map(async (server) => {
      const [api] = apisOf(server) as [ApiClient];
      const query = { uidp: { childrenOf: org }, pageSize: 200 };
      return uidsOf((await listAll(api.groups, "groups", query)).items).sort();
    }),
  );
  assert.deepEqual(uids[0], [...created].sort());
  assert.deepEqual(uids[1], uids[0]);

  assert.equal(await replaced.terminate(), 0);
  await assert.rejects(replaced.restart(), /the store was migrated by wharf \S+ \(step \d+, this/);
  assert.equal((await first.groups.get(org)).name, "rolling", "the other one still serves");
});
