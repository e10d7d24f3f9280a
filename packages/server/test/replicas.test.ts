import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BUILTIN_ROLES } from "@wharf/contract";
import { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { inParallel, listAll, uidsOf } from "./support/client/pagination.ts";
import { isLong, runs } from "./support/oracle/runs.ts";
import { emptyDatabase } from "./support/server/postgres.ts";
import { TestServer } from "./support/server/test-server.ts";
import { roleNamed } from "./support/world/world.ts";

/** Replicas stand behind one address, which is whom tokens are meant for. */
const FLAGS = ["--base-url", "http://wharf.test"];
/** Servers in one process share nothing but the database; among the long tests, each has its own. */
const ownProcess = isLong();
const BUILTIN = BUILTIN_ROLES.length;
const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };

describe("two replicas on one database", () => {
  let [one, two]: TestServer[] = [];
  let a: ApiClient;
  let b: ApiClient;
  let org: string;
  before(async () => {
    one = await TestServer.start({ store: "postgres", flags: FLAGS, ownProcess });
    two = await TestServer.start({ sameStoreAs: one, flags: FLAGS, ownProcess });
    a = new ApiClient({ url: one.url, token: await one.token() });
    b = new ApiClient({ url: two.url, token: a.token });
    org = (await a.groups.create("", { name: "org" })).uid;
  });
  after(async () => {
    assert.deepEqual([await one?.stop(), await two?.stop()], [0, 0]);
  });

  /** An identity bound in a group, with its token: cached by both replicas, and used on the second. */
  const member = async (group: string, roleUid: string) => {
    const { uid } = await a.identities.create(org, { name: "member", claimMatch: CLAIMS });
    const binding = await a.roleBindings.create(group, { identityUid: uid, roleUid });
    const token = (await one?.token(uid)) as string;
    assert.equal((await b.as(token).groups.get(group)).uid, group);
    return { uid, binding: binding.uid as string, onB: b.as(token) };
  };

  test("start together on an empty database and share its keys and roles", async () => {
    for (let round = 0; round < runs(1, 3); round++) {
      const sameStoreAs = { storeFlags: ["--database-url", await emptyDatabase()] };
      const starts = [1, 2, 3].map(() =>
        TestServer.start({ sameStoreAs, flags: FLAGS, ownProcess }),
      );
      const ended = await Promise.allSettled(starts);
      try {
        const kids = new Set<string>();
        for (const server of await Promise.all(starts)) {
          const api = new ApiClient({ url: server.url, token: await server.token() });
          const { totalCount, roles } = await api.roles.list({ pageSize: 200 });
          assert.deepEqual([totalCount, roles.length], [String(BUILTIN), BUILTIN]);
          const { body } = await new Http(server.url, "").get("/.well-known/jwks.json");
          for (const { kid } of body.keys) kids.add(kid);
        }
        assert.equal(kids.size, 1, "one of them made the key of all");
      } finally {
        for (const start of ended) if (start.status === "fulfilled") await start.value.stop();
      }
    }
  });

  test("a server that cannot start reports why and exits", async () => {
    const { host } = new URL(one?.url ?? "");
    const sameStoreAs = one as TestServer;
    await assert.rejects(
      TestServer.start({ sameStoreAs, flags: [...FLAGS, "--listen", host], ownProcess: true }),
      /ended at start with 1:[\s\S]*the address is in use/,
    );
    const nowhere = { storeFlags: ["--database-url", "postgres://wharf@127.0.0.1:1/none"] };
    await assert.rejects(
      TestServer.start({ sameStoreAs: nowhere, ownProcess: true }),
      /ended at start with 7:\s*wharf: the database at 127.0.0.1:1 cannot be used: connection refused/,
    );
  });

  test("read each other's writes immediately", async () => {
    for (let round = 0; round < 6; round++) {
      const [here, there] = round % 2 === 0 ? [a, b] : [b, a];
      const { uid } = await here.groups.create(org, { name: "new" });
      assert.equal((await there.groups.get(uid)).name, "new");
      await there.groups.update(uid, { name: "changed" });
      assert.equal((await here.groups.get(uid)).name, "changed");
      const request = { uidp: { childrenOf: org } };
      assert.deepEqual(await here.groups.list(request), await there.groups.list(request));
      await here.groups.delete(uid);
      assert.equal((await rejected(there.groups.get(uid))).code, 5);
    }
  });

  test("apply bindings of the other with the next request", async () => {
    const { uid, binding, onB } = await member(org, roleNamed("viewer"));
    await a.roleBindings.delete(binding);
    assert.equal((await rejected(onB.groups.get(org))).code, 7);
    assert.equal((await onB.groups.list()).totalCount, "0");
    for (let round = 0; round < 5; round++) {
      const again = { identityUid: uid, roleUid: roleNamed("viewer") };
      const { uid: next } = await a.roleBindings.create(org, again);
      assert.equal((await onB.groups.get(org)).uid, org);
      await a.roleBindings.delete(next);
      assert.equal((await rejected(onB.groups.get(org))).code, 7);
    }
  });

  test("apply a deleted identity of the other with the next request", async () => {
    const { uid, onB } = await member(org, roleNamed("viewer"));
    await a.identities.delete(uid);
    assert.equal((await rejected(onB.groups.get(org))).code, 16);
  });

  test("apply a changed role of the other with the next request", async () => {
    const capabilities = ["CAP_IAM_GROUPS_LIST"];
    const role = await a.roles.create(org, { name: "role", capabilities });
    const { onB } = await member(org, role.uid);
    assert.equal((await rejected(onB.groups.update(org, { description: "x" }))).code, 7);
    await a.roles.update(role.uid, { capabilities: [...capabilities, "CAP_IAM_GROUPS_UPDATE"] });
    assert.equal((await onB.groups.update(org, { description: "x" })).description, "x");
    await a.roles.update(role.uid, { capabilities: ["CAP_TAG_LIST"] });
    assert.equal((await rejected(onB.groups.get(org))).code, 7);
  });

  test("apply a deleted group of the other, with its owner's binding", async () => {
    const maker = await member(org, roleNamed("viewer"));
    const { uid } = await maker.onB.groups.create("", { name: "mine" });
    assert.equal((await a.as(maker.onB.token).groups.get(uid)).uid, uid);
    await a.as(maker.onB.token).groups.delete(uid);
    assert.equal((await rejected(maker.onB.groups.get(uid))).code, 5);
    assert.equal((await rejected(maker.onB.groups.create(uid, { name: "x" }))).code, 5);
  });

  test("accept each other's page tokens", async () => {
    const parent = (await a.groups.create("", { name: "paged" })).uid;
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const name of names) await a.groups.create(parent, { name });
    const request = { uidp: { childrenOf: parent }, orderBy: "name desc", pageSize: 2 };
    const first = await a.groups.list(request);
    const second = await b.groups.list({ ...request, pageToken: first.nextPageToken });
    const third = await a.groups.list({ ...request, pageToken: second.nextPageToken });
    const rows = [first, second, third].flatMap((page) => page.groups);
    assert.deepEqual(
      rows.map((row) => row.name),
      names.toReversed(),
    );
  });

  test("keep totals exact while both create and delete in one group", async () => {
    const parent = (await a.groups.create("", { name: "busy" })).uid;
    const folders = await Promise.all(
      [a, b, a, b].map(async (api) => (await api.groups.create(parent, { name: "folder" })).uid),
    );
    const work = Array.from({ length: runs(20, 100) }, (_, at) => at);
    const kept = await inParallel(work, async (at) => {
      const [here, there] = at % 2 === 0 ? [a, b] : [b, a];
      const { uid } = await here.groups.create(folders[at % 4], { name: `group ${at % 7}` });
      if (at % 5 === 0) await there.groups.update(uid, { description: "changed" });
      if (at % 3 > 0) return uid as string;
      await there.groups.delete(uid);
      return undefined;
    });
    const wanted = [...folders, ...kept.filter((uid) => uid !== undefined)].sort();
    for (const api of [a, b]) {
      const request = { uidp: { descendantsOf: parent }, pageSize: 50 };
      const { items, totals } = await listAll(api.groups, "groups", request);
      assert.deepEqual(uidsOf(items), wanted);
      assert.deepEqual(new Set(totals), new Set([String(wanted.length)]));
      for (const folder of folders) {
        const children = await api.groups.list({ uidp: { childrenOf: folder } });
        const inside = wanted.filter((uid) => uid.startsWith(`${folder}/`));
        assert.equal(children.totalCount, String(inside.length));
      }
    }
  });

  test("lose no concurrent update of a resource", async () => {
    for (let round = 0; round < runs(2, 10); round++) {
      const { uid } = await a.groups.create(org, { name: "old", description: "old" });
      await Promise.all([
        a.groups.update(uid, { name: "new" }),
        b.groups.update(uid, { description: "new" }),
      ]);
      const { name, description } = await a.groups.get(uid);
      assert.deepEqual([name, description], ["new", "new"]);
    }
  });

  test("continue when the other is killed during writes", async () => {
    const sameStoreAs = one as TestServer;
    const third = await TestServer.start({ sameStoreAs, flags: FLAGS, ownProcess: true });
    const c = new ApiClient({ url: third.url, token: a.token });
    const parent = (await a.groups.create("", { name: "shared" })).uid;
    const dying = inParallel(Array.from({ length: runs(30, 200) }), () =>
      c.groups.create(parent, { name: "theirs" }).catch(() => undefined),
    );
    await a.groups.create(parent, { name: "ours" });
    await third.kill();
    await inParallel(Array.from({ length: 40 }), (_, at) =>
      (at % 2 === 0 ? a : b).groups.create(parent, { name: "ours" }),
    );
    await dying;
    const request = { uidp: { childrenOf: parent }, pageSize: 200 };
    const { items, totals } = await listAll(b.groups, "groups", request);
    assert.equal(items.filter((group) => group.name === "ours").length, 41);
    assert.deepEqual(new Set(totals), new Set([String(items.length)]));
    await third.stop();
  });

  test("use a new signing key immediately", async () => {
    const kid = (await one?.admin("keys", "rotate"))?.trim();
    const token = (await two?.token()) as string;
    const { kid: used } = JSON.parse(
      Buffer.from(token.split(".")[0] as string, "base64url").toString(),
    );
    assert.equal(used, kid);
    for (const api of [a, b]) {
      assert.ok(await api.as(token).groups.get(org), "a token of the new key");
      assert.ok(await api.groups.get(org), "a token of the old one");
      const { body } = await new Http(api.url, "").get("/.well-known/jwks.json");
      assert.equal(body.keys.length, 2);
    }
  });
});
