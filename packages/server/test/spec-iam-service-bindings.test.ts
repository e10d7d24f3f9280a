import assert from "node:assert/strict";
import { before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("services bound by an account association", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  const principal = async (api: ApiClient, group: string, name: string): Promise<string> => {
    const servicePrincipal = `SERVICE_PRINCIPAL_${name}`;
    return (await api.identities.create(group, { name: "service", servicePrincipal })).uid;
  };
  const bound = (serviceBindings: Record<string, string>) => ({
    name: "x",
    chainguard: { serviceBindings },
  });

  world.rule("a service is bound to its service identity", async (api) => {
    const group = await world.group(org);
    const [syncer, cosigned] = [
      await principal(api, group, "CATALOG_SYNCER"),
      await principal(api, group, "COSIGNED"),
    ];
    const bindings = { CATALOG_SYNCER: syncer, SERVICE_PRINCIPAL_COSIGNED: cosigned };
    const created = await api.accountAssociations.create(group, bound(bindings));
    assert.deepEqual(created.chainguard, { serviceBindings: bindings });
    const fewer = await api.accountAssociations.update(group, {
      chainguard: { serviceBindings: { COSIGNED: cosigned } },
    });
    assert.deepEqual(fewer.chainguard.serviceBindings, { COSIGNED: cosigned });
  });

  world.rule("other identities are rejected by key, and nothing changes", async (api) => {
    const group = await world.group(org);
    const below = await world.group(group);
    const ingester = await principal(api, group, "INGESTER");
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    const person = (await api.identities.create(group, { name: "ci", claimMatch })).uid;
    const cases: [bindings: Record<string, string>, keys: string[]][] = [
      [{ COSIGNED: await principal(api, org, "COSIGNED") }, ["COSIGNED"]],
      [{ COSIGNED: await principal(api, below, "COSIGNED") }, ["COSIGNED"]],
      [{ COSIGNED: `${group}/0123456789abcdef` }, ["COSIGNED"]],
      [{ COSIGNED: below }, ["COSIGNED"]],
      [{ COSIGNED: "" }, ["COSIGNED"]],
      [{ COSIGNED: "nonsense" }, ["COSIGNED"]],
      [{ COSIGNED: person }, ["COSIGNED"]],
      [{ COSIGNED: ingester }, ["COSIGNED"]],
      [
        { INGESTER: ingester, SERVICE_PRINCIPAL_INGESTER: ingester },
        ["SERVICE_PRINCIPAL_INGESTER"],
      ],
      [{ COSIGNED: ingester, MICROVM: person }, ["COSIGNED", "MICROVM"]],
    ];
    await api.accountAssociations.create(below, { name: "below" });
    const before = await api.accountAssociations.create(group, bound({ INGESTER: ingester }));
    for (const [bindings, keys] of cases) {
      const wanted = keys.map((key) => `chainguard.serviceBindings[${key}]`);
      const changed = await rejected(api.accountAssociations.update(group, bound(bindings)));
      assert.deepEqual(
        [changed.code, Object.keys(changed.fields)],
        [3, wanted],
        JSON.stringify(bindings),
      );
    }
    for (const key of [
      "ingester",
      "UNSPECIFIED",
      "SERVICE_PRINCIPAL_UNSPECIFIED",
      "2",
      "toString",
    ]) {
      const { fields } = await rejected(
        api.accountAssociations.update(group, bound({ [key]: ingester })),
      );
      assert.deepEqual(Object.keys(fields), [`chainguard.serviceBindings[${key}]`]);
    }
    assert.deepEqual(await api.accountAssociations.get(group), before);
    const other = await world.group(org);
    const foreign = await rejected(
      api.accountAssociations.create(other, bound({ INGESTER: ingester })),
    );
    assert.deepEqual(Object.keys(foreign.fields), ["chainguard.serviceBindings[INGESTER]"]);
    assert.equal((await rejected(api.accountAssociations.get(other))).code, 5);
  });

  world.rule("a deleted identity does not block other updates", async (api) => {
    const group = await world.group(org);
    const [gone, stays] = [
      await principal(api, group, "INGESTER"),
      await principal(api, group, "COSIGNED"),
    ];
    await api.accountAssociations.create(group, bound({ INGESTER: gone }));
    assert.deepEqual(await api.identities.delete(gone), {});
    const renamed = await api.accountAssociations.update(group, { name: "renamed" });
    assert.equal(renamed.name, "renamed");
    const both = { INGESTER: gone, COSIGNED: stays };
    const added = await api.accountAssociations.update(group, bound(both), ["chainguard"]);
    assert.deepEqual(added.chainguard.serviceBindings, both);
    await api.accountAssociations.update(group, {}, ["chainguard"]);
    const again = await rejected(api.accountAssociations.update(group, bound({ INGESTER: gone })));
    assert.deepEqual(Object.keys(again.fields), ["chainguard.serviceBindings[INGESTER]"]);
  });
});
