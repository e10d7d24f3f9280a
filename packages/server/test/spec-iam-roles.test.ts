import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BUILTIN_ROLES, Capability } from "@wharf/contract";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

onEachStore("roles", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  world.rule("the built-in roles are those of the contract, field by field", async (api) => {
    const { roles } = await api.roles.list({ uidp: { inRoot: true }, pageSize: 200 });
    const expected = BUILTIN_ROLES.map(({ uid, name, description, capabilities }) => ({
      uid: uid as string,
      name,
      description,
      capabilities: capabilities.map((one) => Capability[one]),
    })).sort((a, b) => (a.uid < b.uid ? -1 : 1));
    const shown = roles.map(
      ({ createTime, updateTime, ...rest }: { createTime: string; updateTime: string }) => {
        assert.match(createTime, /\.\d{3}Z$/);
        assert.equal(updateTime, createTime);
        return rest;
      },
    );
    assert.deepEqual(shown, expected);
  });

  world.rule("a built-in role cannot be changed or deleted, by anyone", async (api) => {
    const viewer = roleNamed("viewer");
    const before = await api.roles.get(viewer);
    const refusals = await allRejected([
      api.roles.update(viewer, { description: "mine" }),
      api.roles.update(viewer, { capabilities: ["CAP_IAM_GROUPS_DELETE"] }, ["capabilities"]),
      api.roles.delete(viewer),
    ]);
    for (const refusal of refusals) {
      assert.deepEqual([refusal.code, refusal.violations], [9, ["BUILT_IN_ROLE"]]);
    }
    const owner = await world.member({ [org]: "owner" });
    assert.equal((await rejected(api.as(owner.token).roles.delete(viewer))).code, 7);
    assert.deepEqual(await api.roles.get(viewer), before);
  });

  world.rule("a group can have custom roles", async (api) => {
    const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_TAG_LIST"];
    const created = await api.roles.create(org, { name: "mine", description: "d", capabilities });
    const { uid, createTime } = created;
    assert.deepEqual(created, {
      uid,
      name: "mine",
      description: "d",
      capabilities,
      createTime,
      updateTime: createTime,
    });
    assert.ok(uid.startsWith(`${org}/`));
    assert.deepEqual(await api.roles.get(uid), created);
    assert.deepEqual((await api.roles.list({ uidp: { ids: [uid] } })).roles, [created]);
  });

  world.rule("capabilities are sorted and deduplicated", async (api) => {
    const { capabilities } = await api.roles.create(org, {
      name: "x",
      capabilities: ["CAP_TAG_LIST", "CAP_IAM_GROUPS_LIST", "CAP_TAG_LIST"],
    });
    assert.deepEqual(capabilities, ["CAP_IAM_GROUPS_LIST", "CAP_TAG_LIST"]);
  });

  test("capabilities may be given by enum name, number or dotted name", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    const given = ["CAP_IAM_GROUPS_LIST", 104, "101", "groups.update"];
    const body = { name: "x", capabilities: given };
    const answer = await rest.post(`/iam/v2beta1/roles/${org}`, body);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.capabilities, [
      "CAP_IAM_GROUPS_CREATE",
      "CAP_IAM_GROUPS_UPDATE",
      "CAP_IAM_GROUPS_LIST",
      "CAP_IAM_GROUPS_DELETE",
    ]);
    const patched = await rest.patch(`/iam/v2beta1/roles/${answer.body.uid}`, {
      capabilities: ["tag.list"],
    });
    assert.deepEqual(patched.body.capabilities, ["CAP_TAG_LIST"]);
    for (const unknown of ["groups.fly", "CAP_NO_SUCH", "Groups.List", true, {}]) {
      const refusal = await rest.post(`/iam/v2beta1/roles/${org}`, {
        name: "x",
        capabilities: ["groups.list", unknown],
      });
      assert.equal(refusal.status, 400);
      assert.equal(refusal.body.details[1].fieldViolations[0].field, "capabilities[1]");
    }
  });

  world.rule("unknown capabilities are rejected", async (api) => {
    const { uid } = await api.roles.create(org, { name: "x", capabilities: ["CAP_TAG_LIST"] });
    for (const unknown of ["UNKNOWN", 0, 1, 99_999, -1]) {
      const capabilities = ["CAP_TAG_LIST", unknown];
      const refusal = await rejected(api.roles.create(org, { name: "x", capabilities }));
      assert.equal(refusal.code, 3, String(unknown));
      assert.deepEqual(Object.keys(refusal.fields), ["capabilities"]);
      assert.equal((await rejected(api.roles.update(uid, { capabilities }))).code, 3);
    }
    assert.deepEqual((await api.roles.get(uid)).capabilities, ["CAP_TAG_LIST"]);
  });

  world.rule("a role requires a name and at least one capability", async (api) => {
    const refusal = await rejected(api.roles.create(org, { name: "x" }));
    assert.deepEqual(Object.keys(refusal.fields), ["capabilities"]);
    const both = await rejected(api.roles.create(org, {}));
    assert.deepEqual(Object.keys(both.fields), ["name", "capabilities"]);
    const { uid } = await api.roles.create(org, { name: "x", capabilities: ["CAP_TAG_LIST"] });
    assert.equal((await rejected(api.roles.update(uid, {}, ["capabilities"]))).code, 3);
    const nowhere = { name: "x", capabilities: ["CAP_TAG_LIST"] };
    const lost = await rejected(api.roles.create(`${org}/0123456789abcdef`, nowhere));
    assert.deepEqual([lost.code, lost.missing], [5, `Group ${org}/0123456789abcdef`]);
    assert.deepEqual(Object.keys((await rejected(api.roles.create("", nowhere))).fields), [
      "parent",
    ]);
  });

  world.rule('internal capabilities require the capability "internal"', async (api) => {
    const capabilities = ["CAP_REPO_INTERNAL_ADMIN"];
    const refusal = await rejected(api.roles.create(org, { name: "x", capabilities }));
    assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["capabilities"]]);
    const marked = [...capabilities, "CAP_INTERNAL"];
    const created = await api.roles.create(org, { name: "x", capabilities: marked });
    assert.deepEqual(new Set(created.capabilities), new Set(marked));
  });

  world.rule("a role is updated by mask; its capabilities are replaced as a whole", async (api) => {
    const { uid } = await api.roles.create(org, {
      name: "x",
      description: "d",
      capabilities: ["CAP_TAG_LIST", "CAP_REPO_LIST"],
    });
    const change = { name: "y", capabilities: ["CAP_TAG_CREATE"] };
    const named = await api.roles.update(uid, change, ["name"]);
    assert.deepEqual([named.name, named.capabilities.length], ["y", 2]);
    const granted = await api.roles.update(uid, change, ["capabilities"]);
    assert.deepEqual([granted.description, granted.capabilities], ["d", ["CAP_TAG_CREATE"]]);
    const all = await api.roles.update(uid, { name: "z", capabilities: ["CAP_TAG_LIST"] }, ["*"]);
    assert.deepEqual([all.name, all.description, all.capabilities], ["z", "", ["CAP_TAG_LIST"]]);
  });

  world.rule("updating a role takes effect immediately for its holders", async (api) => {
    const role = await world.role(org, ["groups.list"]);
    const member = await world.member();
    await api.roleBindings.create(org, { identityUid: member.uid, roleUid: role });
    const theirs = api.as(member.token);
    const rename = () => theirs.groups.update(org, { description: "by a member" });
    assert.equal((await rejected(rename())).code, 7);
    await api.roles.update(role, {
      capabilities: ["CAP_IAM_GROUPS_LIST", "CAP_IAM_GROUPS_UPDATE"],
    });
    assert.equal((await rename()).description, "by a member");
    await api.roles.update(role, { capabilities: ["CAP_TAG_LIST"] });
    assert.equal((await rejected(rename())).code, 7);
    assert.equal((await rejected(theirs.groups.get(org))).code, 7);
  });

  world.rule("a role cannot be deleted while it is bound", async (api) => {
    const role = await world.role(org, ["groups.list"]);
    const { uid: identityUid } = await world.member();
    const folder = await world.group(org);
    const binding = await api.roleBindings.create(folder, { identityUid, roleUid: role });
    const refusal = await rejected(api.roles.delete(role));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_IN_USE"]]);
    await api.roleBindings.delete(binding.uid);
    assert.deepEqual(await api.roles.delete(role), {});
    assert.equal((await rejected(api.roles.get(role))).code, 5);
    assert.equal((await rejected(api.roles.delete(role))).code, 5);
  });

  world.rule(
    "every authenticated caller can read built-in roles; custom roles require roles.list",
    async (api) => {
      const role = await world.role(org, ["groups.list"]);
      const nobody = api.as((await world.member()).token);
      assert.equal((await nobody.roles.get(roleNamed("editor"))).name, "editor");
      assert.equal((await rejected(nobody.roles.get(role))).code, 7);
      assert.equal((await rejected(nobody.roles.get("0".repeat(40)))).code, 5);
      const viewer = api.as((await world.member({ [org]: "viewer" })).token);
      assert.equal((await viewer.roles.get(role)).uid, role);
    },
  );
});
