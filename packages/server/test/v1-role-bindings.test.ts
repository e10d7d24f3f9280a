import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ApiClient, PROTOCOLS } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore, onStore, roleNamed } from "./support/world/world.ts";

onEachStore("v1 role bindings", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });
  const clients = (token = world.operator().token) => {
    return PROTOCOLS.map((protocol) => world.operator(protocol).as(token).v1);
  };
  const batch = (client: ApiClient, parent: string, roleBindings: unknown) => {
    return client.roleBindings.createBatch({ parent, roleBindings });
  };
  const list = async (client: ApiClient, id: string) => {
    return (await client.roleBindings.list({ id })).items;
  };
  const bound = async (group: string) => {
    return (await world.operator().roleBindings.list({ group })).roleBindings;
  };

  test("a batch is atomic and ordered; over REST it is a list", async () => {
    for (const client of clients()) {
      const group = await world.group(org);
      const wanted: { identity: string; role: string }[] = [];
      for (const role of ["viewer", "editor", "owner"])
        wanted.push({ identity: (await world.member()).uid, role: roleNamed(role) });
      const { roleBindings } = await batch(client, group, wanted);
      for (const [at, { id, ...rest }] of roleBindings.entries()) {
        assert.deepEqual(rest, { ...wanted[at], group }, client.protocol);
        assert.equal((await list(client, id)).length, 1);
      }
      assert.equal(roleBindings.length, 3);
    }
  });

  test("a batch with an invalid request creates none", async () => {
    for (const client of clients()) {
      const group = await world.group(org);
      const good = { identity: (await world.member()).uid, role: roleNamed("viewer") };
      const nobody = { ...good, identity: "0".repeat(40) };
      assert.equal((await rejected(batch(client, group, [good, nobody]))).code, 5, client.protocol);
      const { fields } = await rejected(batch(client, group, [good, { ...good, role: "x" }, {}]));
      assert.deepEqual(Object.keys(fields), ["roleBindings[1].role"], client.protocol);
      const empty = await rejected(batch(client, group, [good, good, {}]));
      assert.deepEqual(
        Object.keys(empty.fields),
        ["roleBindings[2].identity", "roleBindings[2].role"],
        client.protocol,
      );
      const none = await rejected(batch(client, group, []));
      assert.deepEqual(Object.keys(none.fields), ["roleBindings"], client.protocol);
      const many = await rejected(batch(client, group, Array(26).fill(good)));
      assert.deepEqual(Object.keys(many.fields), ["roleBindings"], client.protocol);
      assert.deepEqual(await bound(group), []);
    }
    const rest = new Http(world.server.url, world.operator().token);
    const { body } = await rest.post(`/iam/v1/rolebindings/batch/${org}`, { roleBindings: [] });
    assert.equal(body.code, 3, "the body must be a list");
    for (const [item, field] of [
      [{ role: 5 }, "roleBindings[1].role"],
      [null, "roleBindings[1]"],
    ] as const) {
      const answer = await rest.post(`/iam/v1/rolebindings/batch/${org}`, [{}, item]);
      const [violation] = answer.body.details[1].fieldViolations;
      assert.equal(violation.field, field);
    }
  });

  test("a list shows group, role and identity with each", async () => {
    const group = await world.group(org);
    const { uid } = await world.member();
    const role = await world.role(org, ["groups.list", "repo.list"]);
    const made = await world
      .operator()
      .roleBindings.create(group, { identityUid: uid, roleUid: role });
    const [shownGroup, shownRole] = await Promise.all([
      new Http(world.server.url, world.operator().token).get(`/iam/v1/groups?id=${group}`),
      new Http(world.server.url, world.operator().token).get(`/iam/v1/roles?id=${role}`),
    ]);
    const expected = {
      id: made.uid,
      group: shownGroup.body.items[0],
      identity: uid,
      role: shownRole.body.items[0],
      email: "",
      claimMatchIssuer: made.identity.issuer,
      claimMatchSubject: made.identity.subject,
      createdAt: made.createTime,
      emailUnverified: "",
    };
    assert.deepEqual(expected.role.capabilities, ["groups.list", "repo.list"]);
    for (const client of clients())
      assert.deepEqual(await list(client, made.uid), [expected], client.protocol);

    const { token } = await world.member({ [group]: ["role_bindings.list"] });
    for (const client of clients(token)) {
      const [seen] = await list(client, made.uid);
      assert.equal(seen.group.name, expected.group.name, "as version 2 shows it");
      assert.equal(seen.group.status, "ORG_STATUS_UNSPECIFIED", "but not all of it");
      assert.deepEqual([seen.role.name, seen.role.capabilities], [expected.role.name, []]);
    }
  });

  test("lists above the page size are hydrated, too", async () => {
    const group = await world.group(org);
    const { uid } = await world.member();
    const viewer = { identityUid: uid, roleUid: roleNamed("viewer") };
    const requests = Array.from({ length: 25 }, () => ({ roleBinding: viewer }));
    for (let turn = 0; turn < 9; turn++)
      await world.operator().roleBindings.batchCreateRoleBindings({ parent: group, requests });
    for (const client of clients()) {
      const { items } = await client.roleBindings.list({ uidp: { childrenOf: group } });
      assert.equal(items.length, 225);
      for (const { role } of items) assert.equal(role.name, "viewer");
      assert.equal(new Set(items.map((item: { id: string }) => item.id)).size, 225);
    }
  });
});

onStore("sqlite", "v1 ping", (world) => {
  test("needs no authentication", async () => {
    const { body } = await new Http(world.server.url, "").get("/ping/v1/ping");
    assert.deepEqual(body, { response: "pong" });
    const api = new ApiClient({ url: world.server.url, token: "", protocol: "gRPC" });
    const answer = await api.v1.ping.ping();
    assert.deepEqual(answer, { response: "pong" });
  });
});
