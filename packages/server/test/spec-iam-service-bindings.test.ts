import assert from "node:assert/strict";
import { before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { onEachStore } from "./support/world/world.ts";

const HERE = "must be the uid of an identity directly below the group";

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
    const cases: [bindings: Record<string, string>, violations: Record<string, string>][] = [
      [{ COSIGNED: await principal(api, org, "COSIGNED") }, { COSIGNED: HERE }],
      [{ COSIGNED: await principal(api, below, "COSIGNED") }, { COSIGNED: HERE }],
      [{ COSIGNED: `${group}/0123456789abcdef` }, { COSIGNED: HERE }],
      [{ COSIGNED: below }, { COSIGNED: HERE }],
      [{ COSIGNED: "" }, { COSIGNED: HERE }],
      [{ COSIGNED: "nonsense" }, { COSIGNED: HERE }],
      [{ COSIGNED: person }, { COSIGNED: "must be the uid of a service principal identity" }],
      [{ COSIGNED: ingester }, { COSIGNED: "the identity is for INGESTER" }],
      [
        { INGESTER: ingester, SERVICE_PRINCIPAL_INGESTER: ingester },
        { SERVICE_PRINCIPAL_INGESTER: "the service is bound twice" },
      ],
      [
        { COSIGNED: ingester, MICROVM: person },
        {
          COSIGNED: "the identity is for INGESTER",
          MICROVM: "must be the uid of a service principal identity",
        },
      ],
    ];
    await api.accountAssociations.create(below, { name: "below" });
    const before = await api.accountAssociations.create(group, bound({ INGESTER: ingester }));
    for (const [bindings, violations] of cases) {
      const wanted = Object.fromEntries(
        Object.entries(violations).map(([key, text]) => [
          `chainguard.serviceBindings[${key}]`,
          text,
        ]),
      );
      const changed = await rejected(api.accountAssociations.update(group, bound(bindings)));
      assert.deepEqual([changed.code, changed.fields], [3, wanted], JSON.stringify(bindings));
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
      const description = fields[`chainguard.serviceBindings[${key}]`] ?? "";
      assert.match(description, /^the key must be one of COSIGNED, INGESTER, CATALOG_SYNCER, /);
    }
    assert.deepEqual(await api.accountAssociations.get(group), before);
    const other = await world.group(org);
    const foreign = await rejected(
      api.accountAssociations.create(other, bound({ INGESTER: ingester })),
    );
    assert.deepEqual(foreign.fields, { "chainguard.serviceBindings[INGESTER]": HERE });
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
    assert.deepEqual(again.fields, { "chainguard.serviceBindings[INGESTER]": HERE });
  });
});
