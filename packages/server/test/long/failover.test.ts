import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/store/db/postgres.ts";
import { Http } from "../support/client/http.ts";
import { PostgresHost } from "../support/server/replicated-postgres.ts";
import { TestServer } from "../support/server/test-server.ts";

const FLAGS = ["--base-url", "http://wharf.test"];
const WRITERS = 8;

/** Generous: a replica needs less than five seconds. */
const BACK_MS = 60_000;

describe("a failover of PostgreSQL with streaming replication", () => {
  let primary: PostgresHost;
  let standby: PostgresHost;
  const replicas: TestServer[] = [];
  let token: string;
  let org: string;
  before(async () => {
    primary = await PostgresHost.primary();
    await primary.query("CREATE DATABASE wharf");
    standby = await PostgresHost.standbyOf(primary);
    const hosts = `${primary.address},${standby.address}`;
    const url = `postgres://wharf@${hosts}/wharf?target_session_attrs=read-write`;
    const sameStoreAs = { storeFlags: ["--database-url", url] };
    const options = { sameStoreAs, flags: FLAGS, ownProcess: true };
    replicas.push(await TestServer.start(options), await TestServer.start(options));
    token = (await replicas[0]?.token()) ?? "";
    org = (await http(0).post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
  });
  after(async () => {
    for (const replica of replicas) await replica.stop();
    await primary.remove();
    await standby.remove();
  });

  const http = (replica: number) => new Http(replicas[replica]?.url ?? "", token);

  /** Writes through all replicas until it is stopped. Returns the acknowledged names with their uids. */
  function load() {
    const acknowledged = new Map<string, string>();
    const statuses = new Set<number>();
    let isOn = true;
    let sent = 0;
    const writer = async (replica: number) => {
      while (isOn) {
        const name = `g${process.hrtime.bigint()}-${sent++}`;
        const { status, body } = await http(replica).post(`/iam/v2beta1/groups/${org}`, { name });
        statuses.add(status);
        if (status === 200) acknowledged.set(name, body.uid);
        else await sleep(20);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, i) => writer(i % replicas.length));
    const stop = async () => {
      isOn = false;
      await Promise.all(writers);
    };
    return { acknowledged, statuses, stop };
  }

  async function untilReady(): Promise<void> {
    for (const { url } of replicas) {
      const deadline = performance.now() + BACK_MS;
      while ((await fetch(`${url}/readyz`)).status !== 200) {
        assert.ok(performance.now() < deadline, "a replica is not back");
        await sleep(50);
      }
    }
  }

  const faults: readonly (readonly [name: string, fault: (host: PostgresHost) => unknown])[] = [
    ["crashes", (host) => host.crash()],
    ["falls silent", (host) => host.freeze()],
  ];
  for (const [name, fault] of faults) {
    test(`loses no acknowledged write when the primary ${name}`, async () => {
      const { acknowledged, statuses, stop } = load();
      while (acknowledged.size < 100) await sleep(20);
      await fault(primary);
      await standby.promote();
      const before = acknowledged.size;
      while (acknowledged.size < before + 100) await sleep(20);
      await stop();
      await untilReady();

      const rows = await standby.query(
        `SELECT name, uid FROM groups WHERE parent = '${org}'`,
        "wharf",
      );
      const stored = new Map(rows.map((row) => [row.name, row.uid]));
      const lost = [...acknowledged].filter(([group, uid]) => stored.get(group) !== uid);
      assert.deepEqual(lost, []);
      assert.ok(
        [...statuses].every((status) => status === 200 || status >= 500),
        [...statuses].join(),
      );

      // The former primary becomes the standby of the new one, at its port.
      const { port } = primary;
      await primary.remove();
      primary = standby;
      standby = await PostgresHost.standbyOf(primary, port);
    });
  }

  test("is not ready, and serves no reads, while there are only standbys", async () => {
    await primary.crash();
    const reason = async () =>
      ((await (await fetch(`${replicas[0]?.url}/readyz`)).json()) as { reason: string }).reason;
    const deadline = performance.now() + BACK_MS;
    while ((await reason().catch(() => "")) !== "standby") {
      assert.ok(performance.now() < deadline, "the standby is not noticed");
      await sleep(50);
    }
    const read = await http(0).get(`/iam/v2beta1/groups/${org}`);
    assert.equal(read.status, 503);
    assert.ok(read.headers.has("retry-after"));
    await standby.promote();
    await untilReady();
    assert.equal((await http(0).get(`/iam/v2beta1/groups/${org}`)).status, 200);
  });
});

test("a former primary that comes back is not used", async (t) => {
  const former = await PostgresHost.primary();
  t.after(() => former.remove());
  const standby = await PostgresHost.standbyOf(former);
  t.after(() => standby.remove());
  const url = `postgres://wharf@${former.address},${standby.address}/postgres`;
  const driver = await openPostgres(url, { retryMs: 0 });
  t.after(() => driver.close());
  const port = async () => {
    const sql = "SELECT current_setting('port') AS port";
    return Number((await driver.reader.get<{ port: string }>(sql))?.port);
  };
  assert.equal(await port(), former.port);
  await former.crash();
  await standby.promote();
  assert.equal(await port(), standby.port);
  await former.restart();
  await standby.crash();
  await assert.rejects(port(), (error: Error) => {
    assert.match(String((error.cause as Error).message), /it is a former primary \(timeline 1,/);
    return driver.failureOf(error) === "standby";
  });
  await standby.restart();
  assert.equal(await port(), standby.port);
});
