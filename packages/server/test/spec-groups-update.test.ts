import assert from "node:assert/strict";
import { test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("updating groups", (world) => {
  const rest = () => new Http(world.server.url, world.operator().token);
  const fresh = async () => {
    const { uid } = await world
      .operator()
      .groups.create("", { name: "old", description: "before" });
    return uid as string;
  };

  world.rule("without a mask, only the given fields change", async (api) => {
    const uid = await fresh();
    const before = await api.groups.get(uid);
    const after = await api.groups.update(uid, { description: "after" });
    assert.deepEqual(after, { ...before, description: "after", updateTime: after.updateTime });
    assert.ok(after.updateTime >= before.updateTime);
    assert.deepEqual(await api.groups.get(uid), after);
    const renamed = await api.groups.update(uid, { name: "new" });
    assert.deepEqual([renamed.name, renamed.description], ["new", "after"]);
  });

  world.rule("with a mask, only the listed fields change", async (api) => {
    const uid = await fresh();
    const change = { name: "ignored", description: "after" };
    const one = await api.groups.update(uid, change, ["description"]);
    assert.deepEqual([one.name, one.description], ["old", "after"]);
    const two = await api.groups.update(uid, { name: "new", description: "more" }, [
      "name",
      "description",
    ]);
    assert.deepEqual([two.name, two.description], ["new", "more"]);
  });

  world.rule("a listed field that is omitted is cleared", async (api) => {
    const uid = await fresh();
    const after = await api.groups.update(uid, { name: "ignored" }, ["description"]);
    assert.deepEqual([after.name, after.description], ["old", ""]);
  });

  world.rule("a star replaces every writable field", async (api) => {
    const uid = await fresh();
    const after = await api.groups.update(uid, { name: "new" }, ["*"]);
    assert.deepEqual([after.name, after.description], ["new", ""]);
    assert.equal(after.status, "ORG_STATUS_READY");
    const { fields } = await rejected(api.groups.update(uid, { description: "x" }, ["*"]));
    assert.deepEqual(Object.keys(fields), ["name"], "what is required must be in it");
    const mixed = await rejected(api.groups.update(uid, { name: "new" }, ["*", "name"]));
    assert.deepEqual(Object.keys(mixed.fields), ["updateMask"]);
  });

  world.rule("paths of output-only fields have no effect", async (api) => {
    const uid = await fresh();
    const before = await api.groups.get(uid);
    const sly = {
      name: "new",
      createTime: "2001-01-01T00:00:00.000Z",
      status: "ORG_STATUS_SUSPENDED",
    };
    const paths = ["name", "create_time", "createTime"];
    const after = await api.groups.update(uid, sly, [...paths, "status", "uid", "update_time"]);
    assert.deepEqual(after, { ...before, name: "new", updateTime: after.updateTime });
    const inferred = await api.groups.update(uid, { ...sly, name: "newer" });
    assert.deepEqual(inferred, { ...before, name: "newer", updateTime: inferred.updateTime });
  });

  world.rule("a resource can be sent back as it was read", async (api) => {
    const org = await fresh();
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s", claims: { a: "b" } };
    const identity = await api.identities.create(org, { name: "x", claimMatch });
    const role = await api.roles.create(org, { name: "x", capabilities: ["CAP_TAG_LIST"] });
    const binding = { identityUid: identity.uid, roleUid: role.uid };
    for (const [collection, { uid }] of [
      [api.groups, { uid: org }],
      [api.identities, identity],
      [api.roles, role],
      [api.roleBindings, await api.roleBindings.create(org, binding)],
    ] as const) {
      const before = await collection.get(uid);
      for (const mask of [undefined, ["*"]]) {
        const after = await collection.update(uid, before, mask);
        assert.deepEqual(after, { ...before, updateTime: after.updateTime });
      }
    }
  });

  world.rule("an unknown path is rejected", async (api) => {
    const uid = await fresh();
    for (const path of ["color", "name.first", "createTime.seconds", "Name"]) {
      const refusal = await rejected(api.groups.update(uid, { name: "new" }, ["name", path]));
      assert.equal(refusal.code, 3);
      assert.deepEqual(Object.keys(refusal.fields), ["updateMask"]);
    }
    assert.equal((await api.groups.get(uid)).name, "old", "nothing of it was done");
  });

  world.rule("an invalid update changes nothing", async (api) => {
    const uid = await fresh();
    const before = await api.groups.get(uid);
    const bad = { name: "No", description: "fine" };
    assert.deepEqual(Object.keys((await rejected(api.groups.update(uid, bad))).fields), ["name"]);
    assert.deepEqual(
      Object.keys((await rejected(api.groups.update(uid, {}, ["name"]))).fields),
      ["name"],
      "a required field cannot be cleared",
    );
    assert.deepEqual(await api.groups.get(uid), before);
  });

  world.rule("an unknown group cannot be updated", async (api) => {
    const missing = `${await world.organization()}/0123456789abcdef`;
    const refusal = await rejected(api.groups.update(missing, { name: "new" }));
    assert.deepEqual([refusal.code, refusal.missing], [5, `Group ${missing}`]);
    assert.equal((await rejected(api.groups.update("nonsense", { name: "new" }))).code, 3);
  });

  world.rule("an update changes updateTime and keeps createTime", async (api) => {
    const uid = await fresh();
    const before = await api.groups.get(uid);
    while (Date.now() <= Date.parse(before.updateTime)) await new Promise(setImmediate);
    const after = await api.groups.update(uid, { description: "later" });
    assert.equal(after.createTime, before.createTime);
    assert.ok(after.updateTime > before.updateTime);
    assert.match(after.updateTime, /\.\d{3}Z$/);
  });

  test("an empty string and null in a REST body clear a field", async () => {
    for (const empty of ["", null]) {
      const { status, body } = await rest().patch(`/iam/v2beta1/groups/${await fresh()}`, {
        description: empty,
      });
      assert.equal(status, 200);
      assert.deepEqual([body.name, body.description], ["old", ""]);
    }
  });

  test("over gRPC without a mask, an empty field counts as omitted", async () => {
    const uid = await fresh();
    const after = await world.operator("gRPC").groups.update(uid, { name: "new", description: "" });
    assert.deepEqual([after.name, after.description], ["new", "before"]);
  });

  test("the mask is a query parameter by either name, with or without spaces", async () => {
    for (const query of [
      "updateMask=description,verified",
      "update_mask=description",
      "update_mask=description%2C%20verified",
      "updateMask=description,",
    ]) {
      const path = `/iam/v2beta1/groups/${await fresh()}?${query}`;
      const { body } = await rest().patch(path, { name: "ignored", description: "after" });
      assert.deepEqual([body.name, body.description], ["old", "after"], query);
    }
  });

  test("an empty mask is no mask", async () => {
    const path = `/iam/v2beta1/groups/${await fresh()}?updateMask=`;
    const { body } = await rest().patch(path, { description: "after" });
    assert.deepEqual([body.name, body.description], ["old", "after"]);
  });

  test("an unknown key is rejected without a mask, and ignored with one", async () => {
    const uid = await fresh();
    const path = `/iam/v2beta1/groups/${uid}`;
    const refusal = await rest().patch(path, { description: "after", color: "blue" });
    assert.equal(refusal.status, 400);
    assert.equal(refusal.body.details[1].fieldViolations[0].field, "color");
    assert.equal((await rest().get(path)).body.description, "before");
    const masked = await rest().patch(`${path}?updateMask=description`, {
      description: "after",
      color: "blue",
    });
    assert.equal(masked.body.description, "after");
  });

  test("the uid of the path takes precedence over that of the body", async () => {
    const [uid, other] = [await fresh(), await fresh()];
    const { body } = await rest().patch(`/iam/v2beta1/groups/${uid}`, { uid: other, name: "new" });
    assert.deepEqual([body.uid, body.name], [uid, "new"]);
    assert.equal((await world.operator().groups.get(other)).name, "old");
  });

  test("an empty body changes no field", async () => {
    const uid = await fresh();
    for (const body of ["", "{}"]) {
      const answer = await rest().send("PATCH", `/iam/v2beta1/groups/${uid}`, body);
      assert.equal(answer.status, 200);
      assert.deepEqual([answer.body.name, answer.body.description], ["old", "before"]);
    }
  });

  test("a body may have snake_case keys", async () => {
    const uid = await fresh();
    const { status, body } = await rest().patch(`/iam/v2beta1/groups/${uid}`, {
      description: "after",
      create_time: "2001-01-01T00:00:00Z",
    });
    assert.equal(status, 200);
    assert.equal(body.description, "after");
    assert.ok(body.createTime > "2020");
  });
});
