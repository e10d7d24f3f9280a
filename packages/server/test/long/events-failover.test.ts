/** Events over a failover to a standby that lacks the latest commits, whose transactions get the same numbers again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventsService } from "@wharf/contract";
import { ApiClient } from "../support/client/api-client.ts";
import { Receiver } from "../support/events/receiver.ts";
import { EventStream } from "../support/events/streams.ts";
import { PostgresHost } from "../support/server/replicated-postgres.ts";
import { TestServer } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";

const WATCH = EventsService.method.watchEvents;
const OUT_OF_RANGE = 11;

test("a failover that loses commits skips no event of the following ones", async (t) => {
  const receiver = await Receiver.start();
  const primary = await PostgresHost.primary();
  await primary.query("CREATE DATABASE wharf");
  const standby = await PostgresHost.standbyOf(primary);
  const servers: TestServer[] = [];
  t.after(async () => {
    for (const server of servers) await server.stop();
    await Promise.all([primary.remove(), standby.remove(), receiver.stop()]);
  });
  const url = `postgres://wharf@${primary.address},${standby.address}/wharf`;
  const { origin } = new URL(receiver.url);
  const server = await TestServer.start({
    sameStoreAs: { storeFlags: ["--database-url", url] },
    flags: ["--base-url", "http://wharf.test", "--private-sinks", origin],
    deliveryTimes: { pollMs: 30, idlePollMs: 30, leaseMs: 1_000 },
  });
  servers.push(server);
  const api = new ApiClient({ url: server.url, token: await server.token() });
  const org = (await api.groups.create("", { name: "org" })).uid;
  await api.subscriptions.create(org, { sink: receiver.url });
  const watch = (after?: string) =>
    EventStream.overGrpc(server.url, api.token, WATCH, { group: org, ...(after && { after }) });
  const create = async () => (await api.groups.create(org, { name: "group" })).uid as string;

  const stream = await watch();
  const kept = await stream.about(await create());
  await receiver.about(kept.subject);
  // From now on, the standby gets nothing.
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = ''");
  await primary.query("SELECT pg_reload_conf()");
  await standby.query("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'");
  await standby.query("SELECT pg_reload_conf()");
  await until(async () => (await primary.query("SELECT 1 FROM pg_stat_replication")).length === 0);
  const lost: string[] = [];
  for (let at = 0; at < 30; at++) lost.push(await create());
  const last = await stream.about(lost.at(-1) as string);
  await receiver.about(last.subject);
  await primary.crash();
  await standby.promote();

  const first = await until(() => create().catch(() => undefined));
  const made = [first];
  for (let at = 0; at < 50; at++) made.push(await create());
  for (const subject of made) await receiver.about(subject);
  // The stream has ended; its client continues after an event that the database still has.
  await stream.ended;
  assert.equal(await (await watch(last.id)).ended, OUT_OF_RANGE);
  const resumed = await watch(kept.id);
  for (const subject of made) await resumed.about(subject);
  assert.ok(!resumed.events.some(({ subject }) => lost.includes(subject)));
  await resumed.cancel();
});
