/** Events on several replicas: nothing is skipped, and a replica that fails is replaced. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { AuditService, EventsService } from "@wharf/contract";
import pg from "pg";
import { newEventId } from "../src/lib/event-id.ts";
import { type Answer, ApiClient } from "./support/client/api-client.ts";
import { Receiver } from "./support/events/receiver.ts";
import { EventStream } from "./support/events/streams.ts";
import { session } from "./support/server/postgres.ts";
import { TestServer } from "./support/server/test-server.ts";

const WATCH = EventsService.method.watchEvents;
const WATCH_AUDIT = AuditService.method.watchAuditEntries;

/** A replica that lingers with the lease of a subscription sends what the other one dispatches. */
const TIMES = {
  leaseMs: 600,
  lingerMs: 600_000,
  pollMs: 30,
  idlePollMs: 30,
  retryDelaysMs: [20, 20],
};

describe("events on several replicas", () => {
  let [one, two]: TestServer[] = [];
  let [a, b]: ApiClient[] = [];
  let receiver: Receiver;
  let org: string;
  let database: string;
  before(async () => {
    receiver = await Receiver.start();
    const origin = new URL(receiver.url).origin;
    const flags = ["--base-url", "http://wharf.test", "--private-sinks", origin];
    one = await TestServer.start({ store: "postgres", flags, deliveryTimes: TIMES });
    two = await TestServer.start({ sameStoreAs: one, flags, deliveryTimes: TIMES });
    database = one.storeFlags[1] as string;
    a = new ApiClient({ url: one.url, token: await one.token() });
    b = new ApiClient({ url: two.url, token: a.token });
    org = (await a.groups.create("", { name: "org" })).uid;
    await a.subscriptions.create(org, { sink: receiver.url });
  });
  after(async () => {
    assert.deepEqual([await one?.stop(), await two?.stop()], [0, 0]);
    await receiver.stop();
  });

  /** Inserts an event of a group that is not there, in an open transaction. */
  const insert = async (client: pg.Client, subject: string) => {
    const time = Date.now();
    await client.query("BEGIN");
    await client.query(
      `INSERT INTO events (event_id, time, type, subject, group_uid, actor, body_type, body)
       VALUES ($1, $2, 'iam.group.created.v1', $3, $4, 'actor', '', '{}')`,
      [newEventId(time), time, subject, org],
    );
  };

  const subjects = async (api: ApiClient): Promise<string[]> => {
    const { events } = await api.events.list({ group: org, pageSize: 200 });
    return events.map(({ subject }: Answer) => subject);
  };

  test("an event that commits after a later one is not skipped", async (t) => {
    // Ends with the test: an open transaction would hold up the events of all others.
    const client = await session(t, database);
    const stream = await EventStream.overGrpc(b?.url ?? "", a?.token ?? "", WATCH, { group: org });
    const slow = `slow-${randomUUID()}`;
    await insert(client, slow);
    // Has a higher id, and commits first.
    const fast = (await (a as ApiClient).groups.create(org, { name: "fast" })).uid;
    const order = await client.query(
      "SELECT subject FROM events WHERE subject IN ($1, $2) ORDER BY id",
      [slow, fast],
    );
    assert.deepEqual(
      order.rows.map((row) => row.subject),
      [slow, fast],
    );
    for (let pass = 0; pass < 3; pass++) {
      await (b as ApiClient).groups.create("", { name: `elsewhere ${pass}` });
      const seen = await subjects(b as ApiClient);
      assert.ok(seen.includes(fast) && !seen.includes(slow), "lists show what is committed");
      const early = stream.events.filter(({ subject }) => subject === fast || subject === slow);
      assert.deepEqual(early, [], "the stream waits for what may still precede it");
    }
    await client.query("COMMIT");
    for (const subject of [slow, fast]) {
      await receiver.about(subject);
      await stream.about(subject);
    }
    const listed = await subjects(b as ApiClient);
    assert.ok(listed.indexOf(slow) < listed.indexOf(fast));
    const streamed = stream.events.map(({ subject }) => subject);
    assert.ok(streamed.indexOf(slow) < streamed.indexOf(fast), "in the order of the log");
    await stream.cancel();
  });

  test("an audit entry that commits after a later one is not skipped", async (t) => {
    const client = await session(t, database);
    const [reader, writer] = [b as ApiClient, a as ApiClient];
    const filter = { resource: org, method: "*Group" };
    const [latest] = (await writer.audit.listAuditEntries({ filter: { resource: org } })).entries;
    const stream = await EventStream.overGrpc(reader.url, reader.token, WATCH_AUDIT, {
      filter,
      after: latest.uid,
    });
    const slow = randomUUID();
    await client.query("BEGIN");
    await client.query(
      `INSERT INTO audit (time, actor, method, resource, request_id, remote_address, user_agent, code, detail)
       VALUES ($1, 'actor', 'test/SlowGroup', $2, $3, '', '', 0, '')`,
      [Date.now(), org, slow],
    );
    const { uid: fast } = await writer.groups.create(org, { name: "audited first" });
    const listed = async () => (await reader.audit.listAuditEntries({ filter })).entries;
    for (let pass = 0; pass < 3; pass++) {
      await reader.groups.create("", { name: `elsewhere ${pass}` });
      assert.equal((await listed())[0].resource.uid, fast, "lists show what is committed");
      assert.deepEqual(stream.events, [], "the stream waits for what may still precede it");
    }
    await client.query("COMMIT");
    await stream.first((entry) => entry.resource.uid === fast);
    assert.deepEqual(
      stream.events.slice(0, 2).map((entry) => entry.requestId === slow),
      [true, false],
    );
    await stream.cancel();
  });

  test("events of either replica arrive once", async () => {
    const made: string[] = [];
    for (let at = 0; at < 10; at++) {
      const api = (at % 2 === 0 ? a : b) as ApiClient;
      made.push((await api.groups.create(org, { name: `group ${at}` })).uid);
    }
    for (const uid of made) {
      await receiver.about(uid);
      const count = receiver.received.filter(({ headers }) => headers["ce-subject"] === uid).length;
      assert.equal(count, 1);
    }
  });

  test("when a replica stops, the other one delivers", async () => {
    const sender = await holder(database);
    assert.ok(sender);
    await one?.terminate();
    const { uid } = await (b as ApiClient).groups.create(org, { name: "after the stop" });
    await receiver.about(uid);
    await one?.restart();
  });

  test("a lease that nobody renews is taken over", async () => {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    await one?.terminate();
    await two?.terminate();
    // As a process leaves them that was killed.
    const expires = Date.now() + 500;
    await client.query("DELETE FROM leases");
    const { rows } = await client.query("SELECT uid FROM subscription_states");
    for (const name of ["events", ...rows.map(({ uid }) => `subscription ${uid}`)]) {
      await client.query("INSERT INTO leases (name, holder, expires) VALUES ($1, 'killed', $2)", [
        name,
        expires,
      ]);
    }
    await client.end();
    await one?.restart();
    await two?.restart();
    const { uid } = await (a as ApiClient).groups.create(org, { name: "after the kill" });
    await receiver.about(uid);
    assert.ok(Date.now() >= expires);
  });
});

/** The holder of the lease of the dispatcher. */
async function holder(database: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query("SELECT holder FROM leases WHERE name = 'events'");
  await client.end();
  return rows[0]?.holder;
}
