import assert from "node:assert/strict";
import { before } from "node:test";
import { BUILTIN_ROLES } from "@wharf/contract";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { uidsOf } from "./support/client/pagination.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };

onEachStore("access control", (world) => {
  /** org ─ a ─ deep, b; and another organization. */
  let org: string;
  let a: string;
  let b: string;
  let deep: string;
  let other: string;
  before(async () => {
    org = await world.organization();
    [a, b] = [await world.group(org), await world.group(org)];
    deep = await world.group(a);
    other = await world.organization();
  });

  world.rule(
    "a grant covers its group and its descendants, not siblings or ancestors",
    async (api) => {
      const viewer = api.as((await world.member({ [a]: "viewer" })).token);
      for (const uid of [a, deep]) assert.equal((await viewer.groups.get(uid)).uid, uid);
      for (const uid of [org, b, other]) {
        assert.equal((await rejected(viewer.groups.get(uid))).code, 7);
      }
      const later = await world.group(deep);
      assert.equal((await viewer.groups.get(later)).uid, later, "also what comes later");
    },
  );

  world.rule(
    "a resource that the caller cannot see looks the same whether it exists or not",
    async (api) => {
      const stranger = api.as((await world.member({ [other]: "owner" })).token);
      const missing = [`${org}/0123456789abcdef`, "0".repeat(40)];
      const calls: ((uid: string) => Promise<unknown>)[] = [
        (uid) => stranger.groups.get(uid),
        (uid) => stranger.groups.update(uid, { name: "x" }),
        (uid) => stranger.groups.delete(uid),
        (uid) => stranger.groups.create(uid, { name: "x" }),
        (uid) => stranger.identities.get(uid),
        (uid) => stranger.identities.create(uid, { name: "x", claimMatch: CLAIMS }),
        (uid) => stranger.roles.create(uid, { name: "x", capabilities: ["CAP_TAG_LIST"] }),
        (uid) => stranger.roleBindings.get(uid),
        (uid) => stranger.roleBindings.delete(uid),
      ];
      for (const [at, call] of calls.entries()) {
        const errors = new Set<string>();
        for (const uid of [org, ...missing]) {
          const { code, message, details } = await rejected(call(uid));
          assert.equal(code, 7);
          errors.add(JSON.stringify([message.replace(uid, "…"), details]));
        }
        assert.equal(errors.size, 1, `call ${at}: ${[...errors].join(" ")}`);
      }
    },
  );

  world.rule('a caller that can see the parent gets "not found"', async (api) => {
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    const missing = `${org}/0123456789abcdef`;
    for (const [type, collection] of [
      ["Group", viewer.groups],
      ["Identity", viewer.identities],
      ["Role", viewer.roles],
      ["RoleBinding", viewer.roleBindings],
    ] as const) {
      const refusal = await rejected(collection.get(missing));
      assert.deepEqual([refusal.code, refusal.missing], [5, `${type} ${missing}`]);
    }
  });

  world.rule("a denial names the capability and the scope", async (api) => {
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    const update = await rejected(viewer.groups.update(a, { name: "x" }));
    assert.equal(update.needs, `groups.update at ${a}`);
    const create = await rejected(viewer.groups.create(a, { name: "x" }));
    assert.equal(create.needs, `groups.create at ${a}`);
  });

  world.rule("a viewer cannot change anything", async (api) => {
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    const { uid: identityUid } = await world.member();
    const identity = await api.identities.create(org, { name: "x", claimMatch: CLAIMS });
    const role = await world.role(org, ["tag.list"]);
    const binding = await world.bind(org, identityUid, "viewer");
    const refusals = await allRejected([
      viewer.groups.create(org, { name: "x" }),
      viewer.groups.update(org, { name: "x" }),
      viewer.groups.delete(b),
      viewer.identities.create(org, { name: "x", claimMatch: CLAIMS }),
      viewer.identities.update(identity.uid, { name: "y" }),
      viewer.identities.delete(identity.uid),
      viewer.roles.create(org, { name: "x", capabilities: ["CAP_TAG_LIST"] }),
      viewer.roles.update(role, { name: "y" }),
      viewer.roles.delete(role),
      viewer.roleBindings.create(org, { identityUid, roleUid: roleNamed("viewer") }),
      viewer.roleBindings.update(binding, { roleUid: roleNamed("owner") }),
      viewer.roleBindings.delete(binding),
      viewer.roleBindings.batchCreateRoleBindings({
        parent: org,
        requests: [{ roleBinding: { identityUid, roleUid: roleNamed("viewer") } }],
      }),
    ]);
    for (const { code } of refusals) assert.equal(code, 7);
  });

  world.rule("each capability allows its own method only", async (api) => {
    const lister = api.as((await world.member({ [org]: ["groups.list"] })).token);
    assert.equal((await lister.groups.get(a)).uid, a);
    const identity = await api.identities.create(org, { name: "x", claimMatch: CLAIMS });
    assert.equal((await rejected(lister.identities.get(identity.uid))).code, 7);
    assert.equal((await lister.identities.list()).totalCount, "0");
    assert.equal((await lister.roleBindings.list()).totalCount, "0");
    const deleter = api.as((await world.member({ [org]: ["groups.delete"] })).token);
    assert.equal((await rejected(deleter.groups.get(a))).code, 7);
    assert.deepEqual(await deleter.groups.delete(await world.group(org)), {});
  });

  world.rule("lists return and count only what the caller can see", async (api) => {
    const member = await world.member({ [a]: "viewer", [other]: ["groups.list"] });
    const mine = api.as(member.token);
    const inA = await api.identities.create(a, { name: "x", claimMatch: CLAIMS });
    await api.identities.create(b, { name: "x", claimMatch: CLAIMS });
    await api.identities.create(other, { name: "x", claimMatch: CLAIMS });
    const roleInA = await world.role(a, ["tag.list"]);
    await world.role(b, ["tag.list"]);

    const groups = await mine.groups.list({ pageSize: 200 });
    const all = uidsOf((await api.groups.list({ pageSize: 200 })).groups);
    const visible = all.filter((uid) => [a, other].some((top) => uid.startsWith(top)));
    assert.deepEqual(uidsOf(groups.groups), visible);
    assert.equal(groups.totalCount, String(visible.length));
    const identities = await mine.identities.list({ pageSize: 200 });
    assert.ok(uidsOf(identities.identities).includes(inA.uid));
    assert.ok(uidsOf(identities.identities).every((uid) => uid.startsWith(`${a}/`)));
    assert.equal(identities.totalCount, String(identities.identities.length));
    const roles = await mine.roles.list({ pageSize: 200 });
    const custom = uidsOf(roles.roles).filter((uid) => uid.includes("/"));
    assert.ok(custom.includes(roleInA) && custom.every((uid) => uid.startsWith(`${a}/`)));
    assert.equal(roles.totalCount, String(custom.length + BUILTIN_ROLES.length));
    const bindings = await mine.roleBindings.list({ pageSize: 200 });
    assert.ok(uidsOf(bindings.roleBindings).every((uid) => uid.startsWith(`${a}/`)));
  });

  world.rule("filters never widen what the caller can see", async (api) => {
    const viewer = api.as((await world.member({ [a]: "viewer" })).token);
    const found = async (uidp: object) => {
      const list = await viewer.groups.list({ uidp });
      assert.equal(list.totalCount, String(list.groups.length), JSON.stringify(uidp));
      return uidsOf(list.groups);
    };
    assert.deepEqual(await found({ childrenOf: org }), [a], "of its parent's children, itself");
    assert.ok((await found({ descendantsOf: org })).every((uid) => uid.startsWith(a)));
    assert.deepEqual(await found({ inRoot: true }), []);
    assert.deepEqual(await found({ ids: [org, a, b, deep, other] }), [a, deep]);
    assert.deepEqual(await found({ ancestorsOf: deep }), [a]);
    assert.deepEqual(await found({ childrenOf: other }), []);
  });

  world.rule("overlapping grants list each resource once", async (api) => {
    const member = await world.member({ [org]: "viewer", [a]: "owner", [deep]: ["groups.list"] });
    const { groups, totalCount } = await api
      .as(member.token)
      .groups.list({ uidp: { ids: [org, a, b, deep] } });
    assert.deepEqual(uidsOf(groups), [org, a, b, deep].sort());
    assert.equal(totalCount, "4");
    const all = await api.as(member.token).groups.list({ pageSize: 200 });
    assert.equal(new Set(uidsOf(all.groups)).size, Number(all.totalCount));
  });

  world.rule("a caller can use what its previous request created", async (api) => {
    const maker = api.as((await world.member()).token);
    const { uid } = await maker.groups.create("", { name: "mine" });
    const swapped = crossed(maker, world.operator(api.protocol === "REST" ? "gRPC" : "REST"));
    assert.equal((await swapped.groups.get(uid)).uid, uid);
    const member = await world.member();
    const roleUid = roleNamed("viewer");
    const binding = await swapped.roleBindings.create(uid, { identityUid: member.uid, roleUid });
    const theirs = api.as(member.token);
    assert.equal((await theirs.groups.get(uid)).uid, uid);
    await maker.roleBindings.delete(binding.uid);
    assert.equal((await rejected(theirs.groups.get(uid))).code, 7);
  });
});

/** The same caller over the other protocol. */
function crossed(caller: ApiClient, over: ApiClient): ApiClient {
  return over.as(caller.token);
}
