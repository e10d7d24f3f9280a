import assert from "node:assert/strict";
import { before, test } from "node:test";
import { refused } from "./support/client/api-error.ts";
import { grpcCallV1 } from "./support/client/grpc-v1.ts";
import { Rest } from "./support/client/http.ts";
import { type Way, waysOf } from "./support/versions/resources.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const SERVICE = "chainguard.platform.iam.RoleBindings";

onEachStore("v1 role bindings", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });
  const ways = (token = world.operator().token) => {
    return waysOf(world.server.url, token).filter(({ version }) => version === "v1");
  };
  const batch = (way: Way, parent: string, roleBindings: unknown) => {
    const path = `/iam/v1/rolebindings/batch/${parent}`;
    const http = { method: "POST", path, body: roleBindings };
    return way.callV1(SERVICE, "CreateBatch", { parent, roleBindings }, http);
  };
  const list = async (way: Way, id: string) => {
    const http = { method: "GET", path: `/iam/v1/rolebindings?id=${id}` };
    return (await way.callV1(SERVICE, "List", { id }, http)).items;
  };
  const bound = async (group: string) => {
    return (await world.operator().roleBindings.list({ group })).roleBindings;
  };

  test("a batch is atomic and ordered; over REST it is a list", async () => {
    for (const way of ways()) {
      const group = await world.group(org);
      const wanted: { identity: string; role: string }[] = [];
      for (const role of ["viewer", "editor", "owner"])
        wanted.push({ identity: (await world.member()).uid, role: roleNamed(role) });
      const { roleBindings } = await batch(way, group, wanted);
      for (const [at, { id, ...rest }] of roleBindings.entries()) {
        assert.deepEqual(rest, { ...wanted[at], group }, way.name);
        assert.equal((await list(way, id)).length, 1);
      }
      assert.equal(roleBindings.length, 3);
    }
  });

  test("a batch with an invalid request creates none", async () => {
    for (const way of ways()) {
      const group = await world.group(org);
      const good = { identity: (await world.member()).uid, role: roleNamed("viewer") };
      const nobody = { ...good, identity: "0".repeat(40) };
      assert.equal((await refused(batch(way, group, [good, nobody]))).code, 5, way.name);
      const { fields } = await refused(batch(way, group, [good, { ...good, role: "x" }, {}]));
      assert.deepEqual(
        fields,
        {
          "roleBindings[1].role": "role must be a UID: 40 hexadecimal characters, or a path of IDs",
        },
        way.name,
      );
      const empty = await refused(batch(way, group, [good, good, {}]));
      assert.deepEqual(
        empty.fields,
        {
          "roleBindings[2].identity": "identity is required",
          "roleBindings[2].role": "role is required",
        },
        way.name,
      );
      const none = await refused(batch(way, group, []));
      assert.deepEqual(Object.keys(none.fields), ["roleBindings"], way.name);
      const many = await refused(batch(way, group, Array(26).fill(good)));
      assert.deepEqual(Object.keys(many.fields), ["roleBindings"], way.name);
      assert.deepEqual(await bound(group), []);
    }
    const rest = new Rest(world.server.url, world.operator().token);
    const { body } = await rest.post(`/iam/v1/rolebindings/batch/${org}`, { roleBindings: [] });
    assert.equal(body.message, "Invalid argument: the body must be a list");
    for (const [item, field, problem] of [
      [{ role: 5 }, "roleBindings[1].role", "must be a string"],
      [null, "roleBindings[1]", "must not be null"],
    ] as const) {
      const answer = await rest.post(`/iam/v1/rolebindings/batch/${org}`, [{}, item]);
      const [violation] = answer.body.details[1].fieldViolations;
      assert.deepEqual(violation, { field, description: `${field} ${problem}` });
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
      new Rest(world.server.url, world.operator().token).get(`/iam/v1/groups?id=${group}`),
      new Rest(world.server.url, world.operator().token).get(`/iam/v1/roles?id=${role}`),
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
    for (const way of ways()) assert.deepEqual(await list(way, made.uid), [expected], way.name);

    const { token } = await world.member({ [group]: ["role_bindings.list"] });
    for (const way of ways(token)) {
      const [seen] = await list(way, made.uid);
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
      await world.operator().batchCreateRoleBindings({ parent: group, requests });
    for (const { protocol, url, token } of ways()) {
      const request = { uidp: { childrenOf: group } };
      const path = `/iam/v1/rolebindings?uidp.childrenOf=${group}`;
      const { items } =
        protocol === "REST"
          ? (await new Rest(url, token).get(path)).body
          : await grpcCallV1(url, token, SERVICE, "List", request);
      assert.equal(items.length, 225);
      for (const { role } of items) assert.equal(role.name, "viewer");
      assert.equal(new Set(items.map((item: { id: string }) => item.id)).size, 225);
    }
  });
});

onEachStore("v1 ping", (world) => {
  test("needs no authentication", async () => {
    const { body } = await new Rest(world.server.url, "").get("/ping/v1/ping");
    assert.deepEqual(body, { response: "pong" });
    const service = "chainguard.platform.ping.PingService";
    const answer = await grpcCallV1(world.server.url, "", service, "Ping", {});
    assert.deepEqual(answer, { response: "pong" });
  });
});
