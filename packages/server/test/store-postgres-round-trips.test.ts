import assert from "node:assert/strict";
import { after, before, describe, mock, test } from "node:test";
import { Connection } from "../src/store/db/postgres/connection.ts";
import { ProxiedServer } from "./support/server/proxied-server.ts";

type Sent = (sql: string) => Promise<void>;

/** Runs something while each statement that is sent to PostgreSQL is reported first, and waits for that. */
async function reported(sent: Sent, run: () => Promise<unknown>): Promise<void> {
  const { query } = Connection.prototype;
  async function reporting(this: Connection, ...args: Parameters<typeof query>) {
    const [statement] = args;
    await sent(typeof statement === "string" ? statement : statement.text);
    return query.apply(this, args);
  }
  const reports = mock.method(Connection.prototype, "query", reporting);
  try {
    await run();
  } finally {
    reports.mock.restore();
  }
}

const VERSION = "SELECT version FROM access_version";
const ROW = /^SELECT encoding, json FROM groups WHERE uid/;
const PAGE = /^SELECT page\.\*, counted\.total FROM .* name, id, encoding, json FROM groups/;

/** Statements of a list of groups; others are shared with other requests, or are part of their writes. */
const LISTS_GROUPS = /counted\.total| FROM counts WHERE uid/;

/** Statements of a list of grants; others are shared with other requests. */
const LISTS_GRANTS = / FROM (counts WHERE uid|role_bindings WHERE parent)/;

/** Fails unless all these statements are sent while the access version is not read yet. */
async function sentBeforeVersion(expected: readonly RegExp[], run: () => Promise<unknown>) {
  const missing = new Set(expected);
  const { promise: allSent, resolve } = Promise.withResolvers<void>();
  const sent = async (sql: string) => {
    for (const one of missing) if (one.test(sql)) missing.delete(one);
    if (missing.size === 0) resolve();
    if (sql === VERSION) await allSent;
  };
  await reported(sent, run);
  assert.equal(missing.size, 0);
}

describe("round trips to PostgreSQL", () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  let server: ProxiedServer;
  let group: string;
  let request: (method: string, path: string, body?: object) => Promise<{ uid: string }>;
  before(async () => {
    process.on("warning", warned);
    server = await ProxiedServer.start();
    const authorization = `Bearer ${await server.token()}`;
    request = async (method, path, body) => {
      const headers = { authorization, "content-type": "application/json" };
      const response = await fetch(`${server.url}/iam/v2beta1/groups${path}`, {
        ...{ method, headers, body: body === undefined ? null : JSON.stringify(body) },
      });
      assert.equal(response.status, 200);
      return response.json() as Promise<{ uid: string }>;
    };
    group = (await request("POST", "", { name: "organization" })).uid;
    await request("GET", `/${group}`);
  });
  after(async () => {
    await server.stop();
    process.off("warning", warned);
    // `pg` warns of statements that wait for others of a connection that is not pipelined.
    assert.deepEqual(warnings, []);
  });

  test("a GET does not wait for the access version before it reads the row", async () => {
    await sentBeforeVersion([ROW], () => request("GET", `/${group}`));
  });

  test("a list does not wait for the access version before it reads the page and the total", async () => {
    const list = `?uidp.childrenOf=${group}&orderBy=name`;
    await sentBeforeVersion([PAGE], () => request("GET", list));
  });

  test("the total and the rows of a list are of one moment", async () => {
    const create = async (name: string, parent = group) =>
      (await request("POST", `/${parent}`, { name })).uid;
    const ids = [await create("same"), await create("same"), await create("other")];
    const deep = await create("deep");
    for (const uid of ids) await create("same", uid);
    type Listed = { readonly groups: { readonly uid: string }[]; readonly totalCount: string };
    const list = async (query: string) => (await request("GET", query)) as unknown as Listed;
    /** Lists while other requests create rows before the statement with this number. */
    const listDuring = async (query: string, number: number) => {
      let statements = 0;
      let listed: Listed | undefined;
      let change = async () => {
        await create("same", deep);
        await create("same");
      };
      const sent = async (sql: string) => {
        if (!LISTS_GROUPS.test(sql) || statements++ !== number) return;
        const changing = change();
        change = async () => {};
        await changing;
      };
      await reported(sent, async () => {
        listed = await list(query);
      });
      assert.equal(listed?.groups.length, Number(listed?.totalCount), `${query}, ${number}`);
      return statements > number;
    };
    const queries = [
      `?uidp.childrenOf=${group}&orderBy=name`,
      `?uidp.descendantsOf=${group}&orderBy=created_at desc`,
      `?uidp.descendantsOf=${group}&name=same`,
      `?uidp.descendantsOf=${group}&namePrefix=sa&orderBy=name desc`,
      `?uidp.childrenOf=${group}&orderBy=name,uid desc`,
      `?uidp.descendantsOf=${deep}&orderBy=updated_at`,
    ];
    for (const query of queries)
      for (let number = 0; await listDuring(`${query}&pageSize=200`, number); number++);
  });

  test("the total and the grants at a resource are of one moment", async () => {
    const headers = {
      authorization: `Bearer ${await server.token()}`,
      "content-type": "application/json",
    };
    const send = async (path: string, body?: object, expected = 200) => {
      const method = body === undefined ? "GET" : "POST";
      const content = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(`${server.url}/iam/v2beta1${path}`, {
        ...{ method, headers, body: content },
      });
      assert.equal(response.status, expected);
      return response.json() as Promise<{ uid: string; grants: unknown[]; totalCount: string }>;
    };
    const claimMatch = { issuer: "https://issuer.test", subject: "s" };
    const identity = await send(`/identities/${group}`, { name: "ci", claimMatch });
    const role = await send(`/roles/${group}`, { name: "lister", capabilities: ["groups.list"] });
    const bind = () =>
      send(`/roleBindings/${group}`, { identityUid: identity.uid, roleUid: role.uid });
    await bind();
    for (let number = 0, isReached = true; isReached; number++) {
      let statements = 0;
      let isChanged = false;
      const sent = async (sql: string) => {
        if (isChanged || !LISTS_GRANTS.test(sql) || statements++ !== number) return;
        isChanged = true;
        await bind();
      };
      await reported(sent, async () => {
        const { grants, totalCount } = await send(`/access?resource=${group}&pageSize=200`);
        assert.equal(grants.length, Number(totalCount), `a change before statement ${number}`);
      });
      isReached = isChanged;
    }
    const sent = async (sql: string) => void (LISTS_GRANTS.test(sql) && (await bind()));
    await reported(sent, () => send(`/access?resource=${group}`, undefined, 409));
  });

  test("a GET after a change of access reads the row again, as the caller that it has now", async () => {
    await request("GET", `/${group}`);
    let rows = 0;
    const counting = async (sql: string) => {
      if (ROW.test(sql)) rows++;
    };
    await reported(counting, () => request("GET", `/${group}`));
    assert.equal(rows, 1);
    const role = { name: "reader", capabilities: ["groups.list"] };
    const path = `${server.url}/iam/v2beta1/roles/${group}`;
    const headers = {
      authorization: `Bearer ${await server.token()}`,
      "content-type": "application/json",
    };
    const created = await fetch(path, { method: "POST", headers, body: JSON.stringify(role) });
    assert.equal(created.status, 200, await created.text());
    await reported(counting, () => request("GET", `/${group}`));
    assert.equal(rows, 3);
  });
});
