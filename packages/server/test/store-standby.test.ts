/** Lists that may be outdated, on PostgreSQL with a standby by streaming replication. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient, PROTOCOLS, type Protocol } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { freePort } from "./support/server/free-port.ts";
import { PostgresHost } from "./support/server/replicated-postgres.ts";
import { TestServer } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { roleNamed } from "./support/world/world.ts";

const HEADER = "wharf-max-staleness";

/** More than any test takes. */
const ANY = "86400s";

/** A user as operators make one: without special rights. */
const USER = "app";

describe("lists from a standby", () => {
  let primary: PostgresHost;
  let standby: PostgresHost;
  let server: TestServer;
  let token: string;
  let org: string;
  const urlOf = (host: PostgresHost, database = "wharf") =>
    `postgres://${USER}@${host.address}/${database}`;

  before(async () => {
    primary = await PostgresHost.primary();
    await primary.query(`CREATE ROLE ${USER} LOGIN`);
    await primary.query(`CREATE DATABASE wharf OWNER ${USER}`);
    await primary.query(`CREATE DATABASE other OWNER ${USER}`);
    standby = await PostgresHost.standbyOf(primary);
    // Tests end the standby, and commits must not wait for it.
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    await primary.query("SELECT pg_reload_conf()");
    const storeFlags = ["--database-url", urlOf(primary)];
    const flags = ["--database-standby-url", `${urlOf(standby)}?target_session_attrs=standby`];
    server = await TestServer.start({ sameStoreAs: { storeFlags }, flags });
    token = await server.token();
    org = (await api().groups.create("", { name: "acme" })).uid;
    for (let at = 0; at < 5; at++) await api().groups.create(org, { name: `before-${at}` });
    await untilUsed();
  });
  after(async () => {
    await server?.stop();
    await standby?.remove();
    await primary?.remove();
  });

  function api(protocol: Protocol = "REST", of = token, on = server.url): ApiClient {
    return new ApiClient({ url: on, token: of, protocol });
  }

  /** Lists with a header; `staleness` is that of the response, null for a current one. */
  async function listed(
    max: string,
    request: object = { uidp: { descendantsOf: org }, orderBy: "name" },
    { protocol = "REST" as Protocol, as = token, on = server.url } = {},
  ) {
    let staleness: string | null = null;
    const received = (field: (name: string) => string | null) => {
      staleness = field("wharf-staleness");
    };
    const headers = { [HEADER]: max };
    const client = new ApiClient({ url: on, token: as, protocol, headers, received });
    const { groups, totalCount } = await client.groups.list(request);
    const names: string[] = (groups ?? []).map(({ name }: { name: string }) => name);
    return { names, total: Number(totalCount), staleness: staleness as string | null };
  }

  /** The same once the standby is read: a busy machine may make it too slow for a moment. */
  function fromStandby(...[request, options]: [object?, Parameters<typeof listed>[2]?]) {
    return until(async () => {
      const found = await listed(ANY, request, options);
      return found.staleness !== null && found;
    });
  }

  const isStale = async () => (await listed(ANY)).staleness !== null;
  const untilUsed = () => until(isStale);

  /** Runs while the standby replays nothing; it has everything that was written before. */
  async function paused(run: () => Promise<void>): Promise<void> {
    await untilUsed();
    await until(async () => {
      const [written] = await primary.query("SELECT pg_current_wal_lsn()::text AS at");
      const [{ reached } = { reached: false }] = await standby.query(
        `SELECT pg_last_wal_replay_lsn() >= '${written?.at}' AS reached`,
      );
      return reached === true;
    });
    await standby.query("SELECT pg_wal_replay_pause()");
    await until(async () => {
      const [state] = await standby.query("SELECT pg_get_wal_replay_pause_state() AS now");
      return state?.now === "paused";
    });
    try {
      await run();
    } finally {
      await standby.query("SELECT pg_wal_replay_resume()");
    }
  }

  for (const protocol of PROTOCOLS) {
    test(`over ${protocol}, only lists that allow it are read from the standby`, async () => {
      const name = `after-${protocol.toLowerCase()}`;
      await paused(async () => {
        const { uid } = await api().groups.create(org, { name });
        const stale = await fromStandby(undefined, { protocol });
        assert.ok(!stale.names.includes(name));
        assert.equal(stale.total, stale.names.length);
        assert.match(stale.staleness ?? "", /^\d+\.\d{3}s$/);
        const current = await api(protocol).groups.list({ uidp: { descendantsOf: org } });
        assert.equal(Number(current.totalCount), stale.total + 1);
        const none = await listed("0s", undefined, { protocol });
        assert.deepEqual([none.total, none.staleness], [stale.total + 1, null]);
        assert.equal((await api(protocol).groups.get(uid)).name, name);
      });
      await until(async () => (await fromStandby()).names.includes(name));
    });
  }

  test("a standby that is older than allowed is not read", async () => {
    await paused(async () => {
      await api().groups.create(org, { name: "older" });
      assert.ok(!(await fromStandby()).names.includes("older"));
      await until(async () => (await listed("1s")).staleness === null);
      assert.ok((await listed("1s")).names.includes("older"));
      const { staleness } = await fromStandby();
      assert.ok(Number.parseFloat(staleness ?? "0") > 1, `${staleness} is too little`);
    });
  });

  test("access is as it is now, whatever the standby has", async () => {
    const { uid: folder } = await api().groups.create(org, { name: "restricted" });
    await api().groups.create(folder, { name: "inside" });
    const relationship = {
      claimMatch: { issuer: "https://ci.example.com", subject: "staleness" },
    };
    const made = await api().identities.create(org, { name: "ci", ...relationship });
    const as = await server.token(made.uid);
    const request = { uidp: { descendantsOf: folder } };
    const seen = async () => (await listed(ANY, request, { as })).names;
    await paused(async () => {
      assert.deepEqual(await seen(), []);
      const grant = { identityUid: made.uid, roleUid: roleNamed("viewer") };
      const bound = await api().roleBindings.create(folder, grant);
      assert.deepEqual(await seen(), ["inside"]);
      assert.deepEqual((await fromStandby(request, { as })).names, ["inside"]);
      await api().roleBindings.delete(bound.uid);
      assert.deepEqual(await seen(), []);
    });
  });

  test("pages, skips and orders of the standby belong to one another", async () => {
    await paused(async () => {
      await api().groups.create(org, { name: "aaa-first" });
      const all = await fromStandby();
      assert.ok(!all.names.includes("aaa-first"));
      const skipped = await fromStandby({
        ...{ uidp: { descendantsOf: org }, orderBy: "name", skip: 2, pageSize: 2 },
      });
      assert.deepEqual(skipped.names, all.names.slice(2, 4));
      assert.equal(skipped.total, all.total);
      const reversed = await fromStandby({ uidp: { descendantsOf: org }, orderBy: "name desc" });
      assert.deepEqual(reversed.names, all.names.toReversed());
    });
  });

  test("version 1, which may read many pages, is current", async () => {
    await paused(async () => {
      await api().groups.create(org, { name: "in-v1" });
      const headers = { [HEADER]: ANY };
      let staleness: string | null = "";
      const received = (field: (name: string) => string | null) => {
        staleness = field("wharf-staleness");
      };
      const client = new ApiClient({ url: server.url, token, version: "v1", headers, received });
      const { items } = await client.groups.list({ uidp: { descendantsOf: org } });
      assert.ok(items.some(({ name }: { name: string }) => name === "in-v1"));
      assert.equal(staleness, null);
    });
  });

  test("a value that is no number of seconds is rejected", async () => {
    for (const protocol of PROTOCOLS) {
      const error = await rejected(listed("soon", undefined, { protocol }));
      assert.equal(error.code, 3);
      assert.match(error.message, /wharf-max-staleness must be a number of seconds such as 10s/);
    }
  });

  test("metrics tell how current the standby is, and what was read from it", async () => {
    await fromStandby();
    const gauge = /^wharf_standby_staleness_seconds [\d.e-]+$/m;
    let text = "";
    await until(async () => {
      text = await (await fetch(`${server.url}/metrics`)).text();
      return gauge.test(text);
    });
    assert.match(text, /^wharf_standby_reads_total [1-9]\d*$/m);
    assert.match(text, /^wharf_standby_read_failures_total \d+$/m);
  });

  test("lists of a standby that crashes are read from the primary, until it is back", async () => {
    await untilUsed();
    await standby.crash();
    const found = await listed(ANY);
    assert.equal(found.staleness, null);
    assert.ok(found.names.includes("before-0"));
    const isLogged = async () => server.log.includes("the standby cannot be used");
    await until(isLogged);
    await standby.restart();
    await untilUsed();
    assert.match(server.log, /the standby can be used again/);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  });

  test("lists of a standby that falls silent are read from the primary", async () => {
    await untilUsed();
    standby.freeze();
    const found = await Promise.all(Array.from({ length: 20 }, () => listed(ANY)));
    for (const { names } of found) assert.ok(names.includes("before-0"));
    await until(async () => !(await isStale()));
    standby.thaw();
    await untilUsed();
  });

  const others: readonly (readonly [what: string, url: () => Promise<string>, why: string])[] = [
    ["another database", async () => urlOf(standby, "other"), "another database"],
    ["the primary itself", async () => urlOf(primary), "it is no standby"],
    [
      "nobody",
      async () => `postgres://${USER}@127.0.0.1:${await freePort()}/wharf`,
      "connection refused",
    ],
  ];
  for (const [what, url, why] of others) {
    test(`the URL of ${what} is not used, and requests do not fail`, async () => {
      const storeFlags = ["--database-url", urlOf(primary)];
      const flags = ["--database-standby-url", await url(), "--base-url", server.url];
      const misled = await TestServer.start({ sameStoreAs: { storeFlags }, flags });
      try {
        await until(async () => misled.log.includes(why));
        const found = await listed(ANY, undefined, { on: misled.url });
        assert.equal(found.staleness, null);
        assert.ok(found.names.includes("before-0"));
      } finally {
        await misled.stop();
      }
    });
  }

  test("a standby that is promoted is no longer read", async () => {
    await untilUsed();
    await standby.promote();
    const { uid } = await api().groups.create(org, { name: "on-the-primary" });
    const isSeen = async () => (await listed(ANY)).names.includes("on-the-primary");
    await until(isSeen);
    for (let time = 0; time < 10; time++) assert.ok(await isSeen());
    assert.equal((await api().groups.get(uid)).uid, uid);
  });
});

test("without a standby, lists are current whatever they allow", async () => {
  const server = await TestServer.start();
  try {
    const token = await server.token();
    const headers = { [HEADER]: ANY };
    const api = new ApiClient({ url: server.url, token, headers });
    const { uid } = await api.groups.create("", { name: "acme" });
    const { groups } = await api.groups.list({});
    assert.ok(groups.some((one: { uid: string }) => one.uid === uid));
  } finally {
    await server.stop();
  }
});
