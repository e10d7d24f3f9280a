import assert from "node:assert/strict";
import { before, test } from "node:test";
import { builtinRole, capabilityName } from "@wharf/contract";
import { groupInvitesV1 } from "@wharf/contract/v1";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const HOUR = 3_600_000;

onEachStore("v1 group invites", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });
  const viewer = roleNamed("viewer");
  const invites = (api: ApiClient, method: string, request: Record<string, unknown>) =>
    api.call(groupInvitesV1.GroupInvites, method, request);
  const given = (more: object = {}) => ({ group: org, role: viewer, ttl: "3600s", ...more });

  world.rule("an invite is created with its code, its key and its role", async (api) => {
    const from = Date.now();
    const made = await invites(api, "Create", given({ email: "ada@acme.example" }));
    const { id, code, keyId, expiration, role, ...rest } = made;
    assert.deepEqual(rest, {});
    assert.match(id, new RegExp(`^${org}/[0-9a-f]{16}$`));
    assert.equal(JSON.parse(Buffer.from(code, "base64").toString("utf8")).grp, org);
    const ends = Date.parse(expiration) - HOUR;
    assert.ok(ends >= from && ends <= Date.now(), expiration);
    assert.deepEqual([role.id, role.name], [viewer, "viewer"]);
    const held = builtinRole("viewer")?.capabilities ?? [];
    assert.deepEqual(role.capabilities.toSorted(), held.map(capabilityName).sort());

    const other = await api.groupInvites.get(id);
    assert.deepEqual(
      [other.keyId, other.email, other.expirationTime],
      [keyId, "ada@acme.example", expiration],
    );
    const stored = {
      ...{ id, expiration, keyId, role, email: "ada@acme.example" },
      ...{ createdAt: other.createTime, singleUse: false },
    };
    for (const filter of [{ id }, { keyId }, { group: org, keyId }, { group: org, id, keyId }]) {
      assert.deepEqual(await invites(api, "List", filter), { items: [stored] });
    }
  });

  world.rule("lists filter by group, id and key; no match is an empty list", async (api) => {
    const [group, below] = [await world.group(org), await world.group(org)];
    const one = await invites(api, "Create", given({ group, singleUse: true }));
    const two = await invites(api, "Create", given({ group: below }));
    const found = async (filter: Record<string, unknown>) => {
      return (await invites(api, "List", filter)).items.map((item: { id: string }) => item.id);
    };
    assert.deepEqual(await found({ group }), [one.id]);
    assert.deepEqual(await found({ group: below }), [two.id]);
    assert.deepEqual(await found({ group, id: two.id }), []);
    assert.deepEqual(await found({ id: one.id, keyId: two.keyId }), []);
    assert.deepEqual(await found({ id: "nonsense" }), []);
    assert.deepEqual(await found({ keyId: "nonsense" }), []);
    const wrong = await rejected(found({ group: "nonsense" }));
    assert.deepEqual(Object.keys(wrong.fields), ["group"]);
    const [shown] = (await invites(api, "List", { id: one.id })).items;
    assert.equal(shown.singleUse, true);
    await invites(api, "Delete", { id: one.id });
    assert.deepEqual(await found({ group }), []);
    assert.equal((await rejected(invites(api, "Delete", { id: one.id }))).code, 5);
  });

  world.rule("errors name the v1 fields, and nothing is created", async (api) => {
    const group = await world.group(org);
    const { ttl, ...timeless } = given({ group });
    for (const [request, fields] of [
      [{ ...timeless, ttl, role: "" }, ["role"]],
      [{ ...timeless, ttl, role: "nonsense" }, ["role"]],
      [timeless, ["ttl"]],
      [{ ...timeless, ttl: "0.5s" }, ["ttl"]],
      [{ ...timeless, ttl, email: "nobody" }, ["email"]],
      [{ ...timeless, ttl, group: "nonsense" }, ["group"]],
    ] as const) {
      const refusal = await rejected(invites(api, "Create", request));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, fields]);
    }
    const unknown = await rejected(invites(api, "Create", given({ group, role: "0".repeat(40) })));
    assert.deepEqual([unknown.code, unknown.missing], [5, `Role ${"0".repeat(40)}`]);
    assert.deepEqual(await invites(api, "List", { group }), { items: [] });
  });

  world.rule("inviting requires holding the role", async (api) => {
    const group = await world.group(org);
    const able = ["group_invites.create", "role_bindings.create", "group_invites.list"];
    const caller = api.as((await world.member({ [group]: able })).token);
    const refusal = await rejected(invites(caller, "Create", given({ group })));
    assert.equal(refusal.code, 7);
    assert.deepEqual(await invites(caller, "List", { group }), { items: [] });
  });

  test("the code admits a user, and is neither stored nor logged", async () => {
    for (const api of [world.operator("REST"), world.operator("gRPC")]) {
      const group = await world.group(org);
      const { code, id } = await invites(api, "Create", given({ group, singleUse: true }));
      const { uid, token } = await world.member();
      const rest = new Http(world.server.url, token);
      const joined = await rest.post("/auth/v1/register", { code });
      assert.equal(joined.status, 200, JSON.stringify(joined.body));
      const bound = await api.roleBindings.list({ uidp: { childrenOf: group } });
      assert.deepEqual(
        bound.roleBindings.map((one: { identityUid: string }) => one.identityUid),
        [uid],
      );
      assert.deepEqual(await invites(api, "List", { id }), { items: [] }, "it was for one");
      const rows = await Promise.all(
        ["events", "audit", "group_invites"].map((table) => {
          return rawRows<object>(world.server, `SELECT * FROM ${table}`);
        }),
      );
      assert.ok(rows[0] !== undefined && rows[0].length > 0);
      assert.ok(!JSON.stringify(rows).includes(code));
      assert.ok(!world.server.log.includes(code));
    }
  });

  world.rule(
    "one is made together with its organization, which is not the caller's",
    async (api) => {
      const { uid, token } = await world.member({ [org]: "owner" });
      const caller = api.as(token);
      const name = world.name("founded");
      const request = { group: name, role: roleNamed("owner"), ttl: "3600s", singleUse: true };
      const made = await invites(caller, "CreateWithGroup", request);
      const group = made.id.slice(0, 40);
      assert.deepEqual([made.role.name, made.id.length], ["owner", 57]);
      assert.equal((await api.groups.get(group)).name, name);
      const bound = () => api.roleBindings.list({ uidp: { childrenOf: group } });
      assert.deepEqual((await bound()).roleBindings, []);
      assert.equal((await rejected(caller.groups.get(group))).code, 7);

      const person = await world.member();
      const rest = new Http(world.server.url, person.token);
      assert.equal((await rest.post("/auth/v1/register", { code: made.code })).status, 200);
      const { roleBindings } = await bound();
      assert.deepEqual(
        roleBindings.map((one: { identityUid: string }) => one.identityUid),
        [person.uid],
      );
      assert.equal((await api.as(person.token).groups.get(group)).name, name);
      const events = await rawRows<{ type: string; actor: string }>(
        world.server,
        `SELECT type, actor FROM events WHERE group_uid = '${group}' ORDER BY id LIMIT 2`,
      );
      assert.deepEqual(
        events.map(({ type, actor }) => [type, actor]),
        [
          ["iam.group.created.v1", uid],
          ["iam.group_invite.created.v1", uid],
        ],
      );
    },
  );

  world.rule("without an invite there is no organization", async (api) => {
    const name = world.name("unfounded");
    const request = { group: name, role: roleNamed("owner"), ttl: "3600s" };
    for (const [more, code, field] of [
      [{ role: "" }, 3, "role"],
      [{ role: "0".repeat(40) }, 5, undefined],
      [{ ttl: "0.5s" }, 3, "ttl"],
      [{ email: "nobody" }, 3, "email"],
      [{ group: "" }, 3, "group"],
      [{ group: "Not A Name" }, 3, "group"],
      [{ group: org }, 3, "group"],
    ] as const) {
      const refusal = await rejected(invites(api, "CreateWithGroup", { ...request, ...more }));
      assert.deepEqual(
        [refusal.code, Object.keys(refusal.fields)[0]],
        [code, field],
        JSON.stringify(more),
      );
    }
    assert.deepEqual((await api.groups.list({ name })).groups, []);
  });

  world.rule("an organization with an invite takes the right to invite somewhere", async (api) => {
    const name = world.name("denied");
    const request = { group: name, role: roleNamed("owner"), ttl: "3600s" };
    const able = ["group_invites.create", "groups.list"];
    for (const { token } of [await world.member(), await world.member({ [org]: able })]) {
      const refusal = await rejected(invites(api.as(token), "CreateWithGroup", request));
      assert.equal(refusal.code, 7);
    }
    const { uid } = await world.member({ [org]: "owner" });
    const boundary = { [org]: ["group_invites.create", "role_bindings.create"] };
    const bounded = api.as(await world.signer.token(uid, { boundary }));
    assert.equal((await rejected(invites(bounded, "CreateWithGroup", request))).code, 7);
    assert.deepEqual((await api.groups.list({ name })).groups, []);
  });
});

onEachStore(
  "where the operator alone creates organizations",
  (world) => {
    world.rule("nobody else creates one with an invite", async (api) => {
      const org = await world.organization();
      const caller = api.as((await world.member({ [org]: "owner" })).token);
      const request = { group: "founded", role: roleNamed("viewer"), ttl: "60s" };
      const create = (as: ApiClient) => as.v1.groupInvites.createWithGroup(request);
      assert.equal((await rejected(create(caller))).code, 7);
      assert.ok((await create(api)).code);
    });
  },
  { flags: ["--root-groups", "operator"] },
);
