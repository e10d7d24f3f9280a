import assert from "node:assert/strict";
import { before, test } from "node:test";
import { mappingsFor } from "../src/iam/external-group-role-mappings.ts";
import { rejected } from "./support/client/api-error.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };

onEachStore("mappings of external groups", (world) => {
  let org: string;
  let folder: string;
  const viewer = roleNamed("viewer");
  const provider = async (group: string): Promise<string> => {
    const body = { name: world.name("idp"), defaultRole: viewer, oidc: OIDC };
    return (await world.operator().identityProviders.create(group, body)).uid;
  };
  const mapping = (externalGroupId: string) => ({ externalGroupId, roleUid: viewer });
  before(async () => {
    org = await world.organization();
    folder = await world.group(org);
  });

  world.rule("one is created below its provider, for the organization", async (api) => {
    const idp = await provider(folder);
    const created = await api.externalGroupRoleMappings.create(idp, mapping("Engineering/α"));
    const { uid, createTime, updateTime, ...rest } = created;
    assert.match(uid, new RegExp(`^${idp}/[0-9a-f]{16}$`));
    assert.equal(createTime, updateTime);
    assert.deepEqual(rest, {
      identityProviderUid: idp,
      externalGroupId: "Engineering/α",
      roleUid: viewer,
      scope: org,
    });
    assert.deepEqual(await api.externalGroupRoleMappings.get(uid), created);
    const other = await provider(org);
    await api.externalGroupRoleMappings.create(other, { ...mapping("x"), scope: org });
    for (const request of [{ identityProviderUid: idp }, { uidp: { childrenOf: idp } }]) {
      const page = await api.externalGroupRoleMappings.list(request);
      assert.deepEqual(page.externalGroupRoleMappings, [created]);
      assert.equal(page.totalCount, "1");
    }
    assert.deepEqual(await api.externalGroupRoleMappings.delete(uid), {});
    assert.equal((await rejected(api.externalGroupRoleMappings.get(uid))).code, 5);
  });

  world.rule("invalid mappings are rejected", async (api) => {
    const idp = await provider(folder);
    const { create } = api.externalGroupRoleMappings;
    const empty = await rejected(create(idp, {}));
    assert.deepEqual(Object.keys(empty.fields), ["externalGroupId", "roleUid"]);
    const scoped = await rejected(create(idp, { ...mapping("x"), scope: folder }));
    assert.deepEqual(Object.keys(scoped.fields), ["scope"]);
    const lower = await world.role(folder, ["groups.list"]);
    const unusable = await rejected(create(idp, { ...mapping("x"), roleUid: lower }));
    assert.deepEqual([unusable.code, unusable.missing], [5, `Role ${lower}`]);
    for (const parent of [folder, `${folder}/0123456789abcdef`]) {
      const refusal = await rejected(create(parent, mapping("x")));
      assert.deepEqual([refusal.code, refusal.missing], [5, `IdentityProvider ${parent}`]);
    }
    const page = await api.externalGroupRoleMappings.list({ identityProviderUid: idp });
    assert.equal(page.totalCount, "0");
  });

  world.rule("concurrent creates of the same mapping succeed once", async (api) => {
    const idp = await provider(org);
    const { create } = api.externalGroupRoleMappings;
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => create(idp, mapping("same"))),
    );
    const [made, ...more] = tries.filter((one) => one.status === "fulfilled");
    assert.ok(made);
    assert.deepEqual(more, []);
    const refusal = await rejected(create(idp, { ...mapping("same"), scope: org }));
    const name = `ExternalGroupRoleMapping ${made.value.uid}`;
    assert.deepEqual([refusal.code, refusal.missing], [6, name]);
    await create(idp, mapping("Same"));
    await create(await provider(org), mapping("same"));
    await create(idp, { ...mapping("same"), roleUid: roleNamed("editor") });
    await api.externalGroupRoleMappings.delete(made.value.uid);
    await create(idp, mapping("same"));
  });

  world.rule("a role cannot be deleted while a mapping uses it", async (api) => {
    const idp = await provider(org);
    const roleUid = await world.role(org, ["groups.list"]);
    const made = await api.externalGroupRoleMappings.create(idp, { ...mapping("x"), roleUid });
    const refusal = await rejected(api.roles.delete(roleUid));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_IN_USE"]]);
    await api.externalGroupRoleMappings.delete(made.uid);
    assert.deepEqual(await api.roles.delete(roleUid), {});
  });

  world.rule("a batch deletes existing mappings, with one event", async (api) => {
    const [idp, other] = [await provider(org), await provider(org)];
    const { create, list } = api.externalGroupRoleMappings;
    const [a, b, c] = [
      await create(idp, mapping("a")),
      await create(idp, mapping("b")),
      await create(idp, mapping("c")),
    ];
    const foreign = await create(other, mapping("a"));
    const refusal = await rejected(
      api.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
        parent: idp,
        names: [a.uid, foreign.uid],
      }),
    );
    assert.deepEqual(Object.keys(refusal.fields), ["names[1]"]);
    for (const names of [[], ["nonsense"], Array(26).fill(a.uid)])
      assert.equal(
        (
          await rejected(
            api.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
              parent: idp,
              names,
            }),
          )
        ).code,
        3,
      );
    assert.equal((await list({ identityProviderUid: idp })).totalCount, "3");
    const unknown = `${idp}/0123456789abcdef`;
    const answer = await api.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
      parent: idp,
      names: [a.uid, unknown, c.uid, a.uid],
    });
    assert.deepEqual(answer, { parent: idp, externalGroupRoleMappings: [a, c] });
    const left = await list({ identityProviderUid: idp });
    assert.deepEqual(left.externalGroupRoleMappings, [b]);
    const none = await api.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
      parent: idp,
      names: [a.uid],
    });
    assert.deepEqual(none, { parent: idp, externalGroupRoleMappings: [] });
    const events = await rawRows<{ type: string; group_uid: string; body: string }>(
      world.server,
      `SELECT type, group_uid, body FROM events WHERE subject IN ('${idp}', '${a.uid}', '${c.uid}')
       AND type LIKE '%deleted%'`,
    );
    assert.equal(events.length, 1);
    assert.equal(events[0]?.type, "iam.external_group_role_mappings.deleted.batch.v1");
    assert.equal(events[0]?.group_uid, org);
    assert.deepEqual(JSON.parse(events[0]?.body ?? ""), answer);
    const gone = {
      parent: `${org}/0123456789abcdef`,
      names: [`${org}/0123456789abcdef/0123456789abcdef`],
    };
    assert.equal(
      (await rejected(api.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings(gone)))
        .code,
      5,
    );
  });

  test("a sign-in finds the mappings of its groups", async () => {
    const idp = await provider(org);
    const { create } = world.operator().externalGroupRoleMappings;
    for (const group of ["a", "b", "c"]) await create(idp, mapping(group));
    await create(await provider(org), mapping("a"));
    const direct = await DirectStore.open(world.server);
    try {
      const groups = { ids: ["c", "a", "A", "unknown"], provisioned: [] };
      const found = await mappingsFor(direct.store.reader, idp, groups);
      assert.deepEqual(
        found.map((one) => [one.externalGroupId, one.roleUid, one.scope]),
        [
          ["a", viewer, org],
          ["c", viewer, org],
        ],
      );
    } finally {
      await direct.close();
    }
  });
});
