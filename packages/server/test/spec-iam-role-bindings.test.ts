import assert from "node:assert/strict";
import { before } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { IdentitySchema, newRootUid } from "@wharf/contract";
import { rejected } from "./support/client/api-error.ts";
import { uidsOf } from "./support/client/pagination.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { type Member, onEachStore, roleNamed } from "./support/world/world.ts";

const ISSUER = "https://issuer.example.com";

onEachStore("role bindings", (world) => {
  let org: string;
  let member: Member;
  const viewer = roleNamed("viewer");
  before(async () => {
    org = await world.organization();
    member = await world.member();
  });

  world.rule("a binding shows its identity, group and role in full", async (api) => {
    const group = await api.groups.create(org, { name: "bound", description: "the group" });
    const identity = await api.identities.create(org, {
      name: "ci",
      description: "the identity",
      claimMatch: { issuer: ISSUER, subject: "repo:main" },
    });
    const request = { identityUid: identity.uid, roleUid: viewer };
    const created = await api.roleBindings.create(group.uid, request);
    const { uid, createTime } = created;
    const full = {
      uid,
      ...request,
      identity: {
        uid: identity.uid,
        name: "ci",
        description: "the identity",
        subject: "repo:main",
        issuer: ISSUER,
        email: "",
        lastSeenTime: identity.lastSeenTime,
      },
      group: { uid: group.uid, name: "bound", description: "the group" },
      role: { uid: viewer, name: "viewer", description: "Viewer Role (built-in)" },
      createTime,
      updateTime: createTime,
    };
    assert.deepEqual(created, full);
    assert.ok(uid.startsWith(`${group.uid}/`));
    assert.match(createTime, /\.\d{3}Z$/);
    assert.deepEqual(await api.roleBindings.get(uid), full);
    assert.deepEqual((await api.roleBindings.list({ group: group.uid })).roleBindings, [full]);
    // The response has the current state, not that of the time when the binding was created.
    await api.groups.update(group.uid, { name: "renamed" });
    await api.identities.update(identity.uid, { claimMatch: { subject: "repo:other" } });
    const later = await api.roleBindings.get(uid);
    assert.deepEqual([later.group.name, later.identity.subject], ["renamed", "repo:other"]);
  });

  world.rule("issuer and subject are shown as the identity matches them", async (api) => {
    const issuerKeys = '{"keys":[{"kty":"EC"}]}';
    const aws = { awsAccount: "123456789012", arn: "arn", userId: "id" };
    for (const [relationship, issuer, subject] of [
      [{ claimMatch: { issuerPattern: "https://.*", subjectPattern: "a|b" } }, "https://.*", "a|b"],
      [{ staticKeys: { issuer: ISSUER, subject: "s", issuerKeys } }, ISSUER, "s"],
      [{ awsIdentity: aws }, "", ""],
    ] as const) {
      const { uid } = await api.identities.create(org, { name: "x", ...relationship });
      const { identity } = await api.roleBindings.create(org, {
        identityUid: uid,
        roleUid: viewer,
      });
      assert.deepEqual([identity.issuer, identity.subject], [issuer, subject]);
    }
  });

  world.rule("bindings of people and of workloads are listed apart", async (api) => {
    const group = await api.groups.create(org, { name: "both kinds" });
    const person = newRootUid();
    const direct = await DirectStore.open(world.server);
    const time = timestampNow();
    const identity = create(IdentitySchema, {
      uid: person,
      name: "ada",
      createTime: time,
      updateTime: time,
    });
    await direct
      .change((change) => change.insertAll(direct.engine.catalog.identities, [identity]))
      .finally(() => direct.close());
    for (const identityUid of [person, member.uid]) {
      await api.roleBindings.create(group.uid, { identityUid, roleUid: viewer });
    }
    const identities = async (identityKind: number) => {
      const list = await api.roleBindings.list({ group: group.uid, identityKind });
      assert.equal(list.totalCount, String(list.roleBindings.length));
      return list.roleBindings.map(({ identityUid }: { identityUid: string }) => identityUid);
    };
    assert.deepEqual(await identities(1), [person]);
    assert.deepEqual(await identities(2), [member.uid]);
    assert.deepEqual((await identities(0)).sort(), [person, member.uid].sort());
  });

  world.rule("identity, role and group must exist", async (api) => {
    const missing = `${org}/0123456789abcdef`;
    const good = { identityUid: member.uid, roleUid: viewer };
    for (const [group, request, what] of [
      [org, { ...good, identityUid: missing }, `Identity ${missing}`],
      [org, { ...good, roleUid: missing }, `Role ${missing}`],
      [org, { ...good, roleUid: member.uid }, `Role ${member.uid}`],
      [missing, good, `Group ${missing}`],
    ] as const) {
      const refusal = await rejected(api.roleBindings.create(group, request));
      assert.deepEqual([refusal.code, refusal.missing], [5, what]);
    }
  });

  world.rule("identity and role are required, as uids", async (api) => {
    const { fields } = await rejected(api.roleBindings.create(org, {}));
    assert.deepEqual(Object.keys(fields), ["identityUid", "roleUid"]);
    const bad = { identityUid: "me", roleUid: "viewer" };
    assert.deepEqual(Object.keys((await rejected(api.roleBindings.create(org, bad))).fields), [
      "identityUid",
      "roleUid",
    ]);
  });

  world.rule("bindings are listed by identity, group and role", async (api) => {
    const [one, two] = [await world.organization(), await world.organization()];
    const [ann, bob] = [await world.member(), await world.member()];
    const owner = roleNamed("owner");
    const bind = async (group: string, identityUid: string, roleUid: string) =>
      (await api.roleBindings.create(group, { identityUid, roleUid })).uid as string;
    const a1 = await bind(one, ann.uid, viewer);
    const a2 = await bind(two, ann.uid, owner);
    const b1 = await bind(one, bob.uid, owner);
    const found = async (request: object) => {
      const list = await api.roleBindings.list(request);
      assert.equal(list.totalCount, String(list.roleBindings.length));
      return uidsOf(list.roleBindings);
    };
    assert.deepEqual(await found({ identity: ann.uid }), [a1, a2].sort());
    assert.deepEqual(await found({ group: one }), [a1, b1].sort());
    assert.deepEqual(await found({ role: owner, group: one }), [b1]);
    assert.deepEqual(await found({ identity: ann.uid, role: owner }), [a2]);
    assert.deepEqual(await found({ identity: bob.uid, group: two }), []);
    const folder = await world.group(one);
    const deep = await bind(folder, bob.uid, viewer);
    assert.deepEqual(await found({ group: one }), [a1, b1].sort(), "a folder is another group");
    assert.deepEqual(await found({ identity: bob.uid, uidp: { descendantsOf: one } }), [
      ...[b1, deep].sort(),
    ]);
  });

  world.rule("an updated binding grants its new role", async (api) => {
    const [ann, bob] = [await world.member(), await world.member()];
    const group = await world.organization();
    const uid = await world.bind(group, ann.uid, "viewer");
    const canSee = async (who: Member) =>
      api
        .as(who.token)
        .groups.get(group)
        .then(
          () => true,
          () => false,
        );
    const moved = await api.roleBindings.update(uid, { identityUid: bob.uid });
    assert.deepEqual([moved.identity.uid, moved.roleUid], [bob.uid, viewer]);
    assert.deepEqual([await canSee(ann), await canSee(bob)], [false, true]);
    const pull = roleNamed("advisories.viewer");
    const changed = await api.roleBindings.update(uid, { roleUid: pull }, ["role_uid"]);
    assert.deepEqual([changed.role.name, changed.identityUid], ["advisories.viewer", bob.uid]);
    assert.equal(await canSee(bob), false);
    const lost = await rejected(
      api.roleBindings.update(uid, { roleUid: `${group}/${"0".repeat(16)}` }),
    );
    assert.equal(lost.code, 5);
    assert.equal((await rejected(api.roleBindings.update(uid, {}, ["identityUid"]))).code, 3);
    const absent = `${group}/0123456789abcdef`;
    assert.equal((await rejected(api.roleBindings.update(absent, { roleUid: viewer }))).code, 5);
  });

  world.rule("deleting a binding is idempotent", async (api) => {
    const uid = await world.bind(org, member.uid, "viewer");
    assert.deepEqual(await api.roleBindings.delete(uid), {});
    assert.deepEqual(await api.roleBindings.delete(uid), {});
    assert.equal((await rejected(api.roleBindings.get(uid))).code, 5);
    assert.deepEqual(await api.roleBindings.delete(`${org}/0123456789abcdef`), {});
    assert.equal((await rejected(api.roleBindings.delete("nonsense"))).code, 3);
  });

  world.rule("a custom role can be bound in its group and below only", async (api) => {
    const folder = await world.group(org);
    const role = await world.role(folder, ["groups.list"]);
    const request = { identityUid: member.uid, roleUid: role };
    const below = await world.group(folder);
    assert.equal((await api.roleBindings.create(folder, request)).role.uid, role);
    assert.equal((await api.roleBindings.create(below, request)).role.uid, role);
    for (const group of [org, await world.group(org), await world.organization()]) {
      const refusal = await rejected(api.roleBindings.create(group, request));
      assert.deepEqual([refusal.code, refusal.missing], [5, `Role ${role}`]);
    }
  });

  world.rule("a batch creates all of its bindings, in order", async (api) => {
    const group = await world.organization();
    const people = [await world.member(), await world.member(), await world.member()];
    const requests = people.map(({ uid }, at) => ({
      ...(at === 1 ? { parent: group } : {}),
      roleBinding: { identityUid: uid, ...(at === 2 ? { roleUid: viewer } : {}) },
    }));
    const { roleBindings } = await api.roleBindings.batchCreateRoleBindings({
      parent: group,
      roleUid: viewer,
      requests,
    });
    assert.deepEqual(
      roleBindings.map((binding: { identity: { uid: string } }) => binding.identity.uid),
      uidsOf(people),
    );
    for (const binding of roleBindings) {
      assert.deepEqual([binding.role.name, binding.group.uid], ["viewer", group]);
    }
    assert.equal((await api.roleBindings.list({ group })).totalCount, "3");
    assert.equal((await api.as(people[2]?.token ?? "").groups.get(group)).uid, group);
  });

  world.rule("a batch is atomic", async (api) => {
    const group = await world.organization();
    const good = { roleBinding: { identityUid: member.uid, roleUid: viewer } };
    const other = roleNamed("owner");
    const cases: [bad: object, batch: object, code: number, field?: string][] = [
      [{ roleBinding: { identityUid: `${group}/${"0".repeat(16)}`, roleUid: viewer } }, {}, 5],
      [{ roleBinding: { identityUid: member.uid } }, {}, 3, "roleBinding.roleUid"],
      [{ roleBinding: { identityUid: "x", roleUid: viewer } }, {}, 3, "roleBinding.identityUid"],
      [
        { roleBinding: { identityUid: member.uid, roleUid: other } },
        { roleUid: viewer },
        3,
        "roleBinding.roleUid",
      ],
      [{ ...good, parent: org }, {}, 3, "parent"],
      [{}, {}, 3, "roleBinding"],
    ];
    for (const [bad, batch, code, field] of cases) {
      const refusal = await rejected(
        api.roleBindings.batchCreateRoleBindings({
          parent: group,
          ...batch,
          requests: [good, good, bad],
        }),
      );
      assert.equal(refusal.code, code, JSON.stringify(bad));
      const fields = field === undefined ? [] : [`requests[2].${field}`];
      assert.deepEqual(Object.keys(refusal.fields), fields);
      assert.equal((await api.roleBindings.list({ group })).totalCount, "0");
    }
  });

  world.rule("a batch has one to twenty-five requests", async (api) => {
    const group = await world.organization();
    const request = { roleBinding: { identityUid: member.uid } };
    const batch = (count: number) =>
      api.roleBindings.batchCreateRoleBindings({
        parent: group,
        roleUid: viewer,
        requests: Array.from({ length: count }, () => request),
      });
    for (const count of [0, 26]) {
      assert.deepEqual(Object.keys((await rejected(batch(count))).fields), ["requests"]);
    }
    assert.equal((await batch(25)).roleBindings.length, 25);
    assert.equal((await api.roleBindings.list({ group })).totalCount, "25");
  });
});
