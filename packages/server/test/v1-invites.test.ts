import assert from "node:assert/strict";
import { before, test } from "node:test";
import { builtinRole, capabilityName } from "@wharf/contract";
import { groupInvitesV1 } from "@wharf/contract/v1";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/sql.ts";
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
    assert.deepEqual(wrong.fields, {
      group: "group must be a UID: 40 hexadecimal characters, or a path of IDs",
    });
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
      [{ ...timeless, ttl, role: "" }, { role: "role is required" }],
      [
        { ...timeless, ttl, role: "nonsense" },
        { role: "role must be a UID: 40 hexadecimal characters, or a path of IDs" },
      ],
      [timeless, { ttl: "ttl is required" }],
      [{ ...timeless, ttl: "0.5s" }, { ttl: "ttl must be at least a second and at most 365 days" }],
      [{ ...timeless, ttl, email: "nobody" }, { email: "email must be an e-mail address" }],
      [
        { ...timeless, ttl, group: "nonsense" },
        { group: "group must be a UID: 40 hexadecimal characters, or a path of IDs" },
      ],
    ] as const) {
      const refusal = await rejected(invites(api, "Create", request));
      assert.deepEqual([refusal.code, refusal.fields], [3, fields]);
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
    assert.match(refusal.message, /^Permission denied: needs \S+/);
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

  test("the internal method is not implemented", async () => {
    for (const name of ["chainguard.platform.iam", "wharf.iam.v1"]) {
      const path = `/${name}.GroupInvites/CreateWithGroup`;
      const call = sendBytes(world.server.url, world.operator().token, path, Buffer.alloc(0));
      await assert.rejects(call, { code: 12 });
    }
  });
});
