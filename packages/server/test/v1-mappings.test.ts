import assert from "node:assert/strict";
import { before } from "node:test";
import { externalGroupRoleMappingsV1 } from "@wharf/contract/v1";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };

onEachStore("v1 external group role mappings", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });
  const viewer = roleNamed("viewer");
  const mappings = (api: ApiClient, method: string, request: Record<string, unknown>) =>
    api.call(externalGroupRoleMappingsV1.ExternalGroupRoleMappings, method, request);
  const provider = async (): Promise<string> => {
    const body = { name: world.name("idp"), defaultRole: viewer, oidc: OIDC };
    return (await world.operator().identityProviders.create(org, body)).uid;
  };
  const make = (api: ApiClient, parentId: string, externalGroupId: string, more: object = {}) =>
    mappings(api, "Create", {
      parentId,
      mapping: { externalGroupId, roleUidp: viewer, ...more },
    });

  world.rule("a mapping is created, read and listed by its provider", async (api) => {
    const [parentId, other] = [await provider(), await provider()];
    const made = await make(api, parentId, "engineers", { identityProviderUidp: other });
    const { id, createdAt, ...rest } = made;
    assert.match(id, new RegExp(`^${parentId}/[0-9a-f]{16}$`));
    assert.deepEqual(rest, {
      identityProviderUidp: parentId,
      externalGroupId: "engineers",
      roleUidp: viewer,
      scope: org,
    });
    const { uid, createTime } = await api.externalGroupRoleMappings.get(id);
    assert.deepEqual([uid, createTime], [id, createdAt]);
    assert.deepEqual(await mappings(api, "Get", { uid: id }), made);
    for (const filter of [
      { identityProviderUidp: parentId },
      { uidp: { childrenOf: parentId } },
      { uidp: { descendantsOf: org, ids: [id] } },
    ]) {
      assert.deepEqual(await mappings(api, "List", filter), { items: [made] });
    }
    assert.deepEqual(await mappings(api, "List", { identityProviderUidp: other }), { items: [] });
    assert.deepEqual(await mappings(api, "Delete", { id }), {});
    const gone = await rejected(mappings(api, "Get", { uid: id }));
    assert.deepEqual([gone.code, gone.missing], [5, `ExternalGroupRoleMapping ${id}`]);
  });

  world.rule("a batch deletes existing mappings, with one event", async (api) => {
    const parentId = await provider();
    const [a, b, c] = [
      await make(api, parentId, "a"),
      await make(api, parentId, "b"),
      await make(api, parentId, "c"),
    ];
    const ids = [a.id, `${parentId}/${"0".repeat(16)}`, b.id, a.id];
    const done = await mappings(api, "BatchDelete", { parentId, ids });
    assert.deepEqual(done, { parentId, items: [a, b] });
    const left = await mappings(api, "List", { identityProviderUidp: parentId });
    assert.deepEqual(left, { items: [c] });
    const events = await rawRows<{ type: string }>(
      world.server,
      `SELECT type FROM events WHERE subject = '${parentId}' ORDER BY id DESC LIMIT 1`,
    );
    assert.equal(events[0]?.type, "iam.external_group_role_mappings.deleted.batch.v1");
  });

  world.rule("errors name the v1 fields, and nothing changes", async (api) => {
    const [parentId, other] = [await provider(), await provider()];
    const [own, foreign] = [await make(api, parentId, "a"), await make(api, other, "a")];
    const elsewhere = await world.organization();
    const cases: [method: string, request: Record<string, unknown>, fields: string[]][] = [
      ["Get", { uid: "nonsense" }, ["uid"]],
      ["Delete", { id: "nonsense" }, ["id"]],
      ["BatchDelete", { parentId, ids: [] }, ["ids"]],
      ["BatchDelete", { parentId, ids: ["nonsense"] }, ["ids"]],
      ["BatchDelete", { parentId, ids: [own.id, foreign.id] }, ["ids[1]"]],
      ["BatchDelete", { ids: [own.id] }, ["parentId"]],
    ];
    const mapping = { externalGroupId: "x", roleUidp: viewer };
    const bad: [mapping: object, fields: string[]][] = [
      [{ ...mapping, roleUidp: "nonsense" }, ["roleUidp"]],
      [{ ...mapping, externalGroupId: "" }, ["externalGroupId"]],
      [{ ...mapping, scope: elsewhere }, ["scope"]],
    ];
    for (const [one, fields] of bad) cases.push(["Create", { parentId, mapping: one }, fields]);
    if (api.protocol === "gRPC") {
      cases.push(["Create", { parentId }, ["mapping"]]);
    }
    for (const [method, request, fields] of cases) {
      const refusal = await rejected(mappings(api, method, request));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, fields], method);
    }
    const twice = await rejected(make(api, parentId, "a"));
    assert.deepEqual([twice.code, twice.missing], [6, `ExternalGroupRoleMapping ${own.id}`]);
    const left = await mappings(api, "List", { uidp: { descendantsOf: org } });
    const ids = left.items.map((one: { id: string }) => one.id);
    assert.ok(ids.includes(own.id) && ids.includes(foreign.id));
    const those = await mappings(api, "List", { identityProviderUidp: parentId });
    assert.deepEqual(those, { items: [own] });
    const none = await mappings(api, "List", { uidp: { ids: ["nonsense"] } });
    assert.deepEqual(none, { items: [] });
  });
});
