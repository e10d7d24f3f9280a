/** Lists from a standby while another standby becomes the primary. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient } from "../support/client/api-client.ts";
import { PostgresHost } from "../support/server/replicated-postgres.ts";
import { TestServer } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";

describe("lists from a standby after a failover", () => {
  let hosts: PostgresHost[] = [];
  let server: TestServer;
  let token: string;
  let org: string;
  before(async () => {
    const primary = await PostgresHost.primary();
    hosts = [primary];
    await primary.query("CREATE DATABASE wharf");
    hosts.push(await PostgresHost.standbyOf(primary), await PostgresHost.standbyOf(primary));
    const [first, second, third] = hosts.map(({ address }) => address);
    const storeFlags = ["--database-url", `postgres://wharf@${first},${second}/wharf`];
    const flags = ["--database-standby-url", `postgres://wharf@${third}/wharf`];
    server = await TestServer.start({ sameStoreAs: { storeFlags }, flags });
    token = await server.token();
    org = (await create("acme", "")).uid;
  });
  after(async () => {
    await server?.stop();
    for (const host of hosts) await host.remove();
  });

  const create = (name: string, parent = org) =>
    new ApiClient({ url: server.url, token }).groups.create(parent, { name });

  async function listed() {
    let isStale = false;
    const headers = { "wharf-max-staleness": "86400s" };
    const received = (field: (name: string) => string | null) => {
      isStale = field("wharf-staleness") !== null;
    };
    const api = new ApiClient({ url: server.url, token, headers, received });
    const { groups = [] } = await api.groups.list({ uidp: { childrenOf: org } });
    return { names: groups.map(({ name }: { name: string }) => name), isStale };
  }

  test("come from it once it follows the new primary, and not before", async () => {
    const [primary, promoted, standby] = hosts as [PostgresHost, PostgresHost, PostgresHost];
    await create("before");
    await until(async () => {
      const { names, isStale } = await listed();
      return isStale && names.includes("before");
    });

    await primary.crash();
    await promoted.promote();
    await until(() => create("after").catch(() => undefined));
    // The standby is alone: it may have an end of the log that the new primary does not have.
    let current = 0;
    await until(async () => {
      const { names, isStale } = await listed();
      assert.ok(isStale || names.includes("after"));
      current = isStale ? 0 : current + 1;
      return current === 40;
    });

    await standby.follow(promoted);
    await until(async () => {
      // The timeline of a standby shows with its restart points.
      await promoted.query("CHECKPOINT");
      await standby.query("CHECKPOINT");
      return (await listed()).isStale;
    });
    await create("last");
    await until(async () => {
      const { names, isStale } = await listed();
      return isStale && names.includes("last");
    });
  });
});
