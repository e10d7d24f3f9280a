/** The order of the log of events on PostgreSQL: over restarts beside commits, changes of it, and restored databases. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { EventsService } from "@wharf/contract";
import pg from "pg";
import { newEventId } from "../src/lib/event-id.ts";
import type { Driver, Value } from "../src/store/db/connection.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { Store } from "../src/store/db/store.ts";
import { ApiClient } from "./support/client/api-client.ts";
import { Receiver } from "./support/events/receiver.ts";
import { EventStream } from "./support/events/streams.ts";
import { postgresPrograms, session } from "./support/server/postgres.ts";
import { PostgresHost } from "./support/server/replicated-postgres.ts";
import { type StartOptions, TestServer } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";

const WATCH = EventsService.method.watchEvents;
const UNAVAILABLE = 14;
const TIMES = { pollMs: 30, idlePollMs: 30 };

/** Inserts an event of a group that is not there, in the open transaction of a session. */
async function insertEvent(client: pg.Client, group: string, subject: string): Promise<void> {
  const time = Date.now();
  await client.query(
    `INSERT INTO events (event_id, time, type, subject, group_uid, actor, body_type, body)
     VALUES ($1, $2, 'iam.group.created.v1', $3, $4, 'actor', '', '{}')`,
    [newEventId(time), time, subject, group],
  );
}

/** A database before whose statements something else happens. */
function interrupted(driver: Driver, before: (sql: string) => Promise<void>): Driver {
  const wrap = <T extends Driver["reader"]>(reader: T): T =>
    new Proxy(reader, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "get") return value.bind(target);
        return async (sql: string, ...params: Value[]) => {
          await before(sql);
          return target.get(sql, ...params);
        };
      },
    });
  return { ...driver, reader: wrap(driver.reader), writer: wrap(driver.writer) };
}

describe("the order of events on PostgreSQL", () => {
  let receiver: Receiver;
  let server: TestServer;
  let api: ApiClient;
  let org: string;
  let options: StartOptions;
  before(async () => {
    receiver = await Receiver.start();
    const { origin } = new URL(receiver.url);
    const flags = ["--base-url", "http://wharf.test", "--private-sinks", origin];
    options = { flags, deliveryTimes: TIMES };
    server = await TestServer.start({ ...options, store: "postgres" });
    api = new ApiClient({ url: server.url, token: await server.token() });
    org = (await api.groups.create("", { name: "org" })).uid;
    await api.subscriptions.create(org, { sink: receiver.url });
  });
  after(async () => {
    assert.equal(await server.stop(), 0);
    await receiver.stop();
  });

  const watch = (request: { readonly after?: string } = {}) =>
    EventStream.overGrpc(server.url, api.token, WATCH, { group: org, ...request });

  test("survives the start of a replica beside commits of another one", async (t) => {
    const stream = await watch();
    const made: string[] = [];
    const create = async () => {
      made.push((await api.groups.create(org, { name: `group ${made.length}` })).uid);
    };
    await create();
    // Between any two statements about the order, the other replica commits.
    const open: StartOptions["open"] = async ({ databaseUrl }, tables, timings) => {
      const driver = interrupted(await openPostgres(databaseUrl), async (sql) => {
        if (sql.includes("max(tx)")) await create();
      });
      return Store.open(driver, tables, timings);
    };
    const client = await session(t, server.storeFlags[1] as string);
    const positions = async () =>
      (await client.query("SELECT tx, id FROM events ORDER BY id")).rows;
    const former = await positions();
    const replica = await TestServer.start({ ...options, sameStoreAs: server, open });
    t.after(() => replica.terminate());
    await until(async () => made.length > 1);
    await create();
    for (const uid of made) {
      await receiver.about(uid);
      await stream.about(uid);
    }
    assert.deepEqual((await positions()).slice(0, former.length), former);
    await stream.cancel();
  });

  test("may be changed by a replica of an earlier version, which ends streams and loses nothing", async (t) => {
    const stream = await watch();
    const { uid: seen } = await api.groups.create(org, { name: "seen" });
    const { id } = await stream.about(seen);
    await receiver.about(seen);
    const [other, earlier] = [
      await session(t, server.storeFlags[1] as string),
      await session(t, server.storeFlags[1] as string),
    ];
    // Nobody reads the next event before the order changes: a transaction before it is still open.
    await other.query("BEGIN; SELECT pg_current_xact_id()");
    const { uid: next } = await api.groups.create(org, { name: "next" });
    await earlier.query(
      `BEGIN; UPDATE events SET tx = 0; UPDATE event_cursors SET tx = 0;
       UPDATE subscription_states SET start_tx = 0; COMMIT`,
    );
    assert.equal(await stream.ended, UNAVAILABLE);
    const resumed = await watch({ after: id });
    await resumed.about(next);
    await receiver.about(next);
    await other.query("ROLLBACK");
    const { uid: last } = await api.groups.create(org, { name: "last" });
    await resumed.about(last);
    await receiver.about(last);
    await resumed.cancel();
  });
});

test("events of a database that is restored into another cluster keep their order", async (t) => {
  const receiver = await Receiver.start();
  const [source, target] = [await PostgresHost.primary(), await PostgresHost.primary()];
  const servers: TestServer[] = [];
  t.after(async () => {
    for (const server of servers) await server.stop();
    await Promise.all([source.remove(), target.remove(), receiver.stop()]);
  });
  const urlAt = (host: PostgresHost) => `postgres://wharf@${host.address}/wharf`;
  for (const host of [source, target]) await host.query("CREATE DATABASE wharf");
  // Transactions of the new cluster have lower numbers.
  await source.query(
    "DO $$ BEGIN FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$",
  );
  const { origin } = new URL(receiver.url);
  const flags = ["--base-url", "http://wharf.test", "--private-sinks", origin];
  const start = async (host: PostgresHost) => {
    const sameStoreAs = { storeFlags: ["--database-url", urlAt(host)] };
    const server = await TestServer.start({ sameStoreAs, flags, deliveryTimes: TIMES });
    servers.push(server);
    return server;
  };

  const former = await start(source);
  const token = await former.token();
  const api = new ApiClient({ url: former.url, token });
  const org = (await api.groups.create("", { name: "org" })).uid;
  await api.subscriptions.create(org, { sink: receiver.url });
  // The cursor is at an event with a higher id than one that is not dispatched yet.
  const [first, second] = [0, 1].map(() => new pg.Client({ connectionString: urlAt(source) })) as [
    pg.Client,
    pg.Client,
  ];
  for (const client of [first, second]) await client.connect();
  await first.query("BEGIN; SELECT pg_current_xact_id()");
  await second.query("BEGIN");
  await insertEvent(second, org, "second");
  await insertEvent(first, org, "first");
  await first.query("COMMIT");
  const dispatched = await receiver.about("first");
  assert.equal(await former.stop(), 0);
  servers.length = 0;
  await second.query("COMMIT");
  for (const client of [first, second]) await client.end();

  const program = (name: string) => join(postgresPrograms(), name);
  const dump = execFileSync(program("pg_dump"), [urlAt(source)], { maxBuffer: 1 << 28 });
  execFileSync(program("psql"), ["-q", "-v", "ON_ERROR_STOP=1", urlAt(target)], {
    input: dump,
    stdio: ["pipe", "ignore", "inherit"],
  });

  const replicas = await Promise.all([start(target), start(target)]);
  const [one, two] = replicas.map(({ url }) => new ApiClient({ url, token })) as [
    ApiClient,
    ApiClient,
  ];
  const stream = await EventStream.overGrpc(two.url, token, WATCH, {
    group: org,
    after: dispatched.headers["ce-id"] as string,
  });
  const expected = ["second"];
  for (const { groups } of [one, two, one, two])
    expected.push((await groups.create(org, { name: "new" })).uid);
  for (const subject of expected) {
    await receiver.about(subject);
    await stream.about(subject);
  }
  assert.deepEqual(
    stream.events.map(({ subject }) => subject),
    expected,
  );
  const { events } = await one.events.list({ group: org, pageSize: 200 });
  const listed = events.map(({ subject }: { subject: string }) => subject);
  assert.deepEqual(listed.slice(-6), ["first", ...expected]);
  await stream.cancel();
});
