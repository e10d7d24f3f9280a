import assert from "node:assert/strict";
import { before } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };

/** The capabilities that the methods require, and few that are worth granting. */
const KEEPER = [
  "identity_providers.list",
  "identity_providers.create",
  "identity_providers.update",
  "identity_providers.delete",
  "role_bindings.create",
  "groups.list",
];

onEachStore("an identity provider cannot grant more than its administrator holds", (world) => {
  let org: string;
  const [viewer, owner] = [roleNamed("viewer"), roleNamed("owner")];
  before(async () => {
    org = await world.organization();
  });

  world.rule("the creator must hold its default role", async (api) => {
    for (const held of [KEEPER, "limited_owner"] as const) {
      const theirs = api.as((await world.member({ [org]: held })).token);
      const body = { name: "idp", defaultRole: owner, oidc: OIDC };
      assert.equal((await rejected(theirs.identityProviders.create(org, body))).code, 7);
    }
    const little = await world.role(org, ["groups.list"]);
    const theirs = api.as((await world.member({ [org]: KEEPER })).token);
    const body = { name: "idp", defaultRole: little, oidc: OIDC };
    const { uid } = await theirs.identityProviders.create(org, body);
    const raise = await rejected(theirs.identityProviders.update(uid, { defaultRole: owner }));
    assert.equal(raise.code, 7);
    assert.equal((await api.identityProviders.get(uid)).defaultRole, little);
  });

  world.rule("changing who can sign in requires holding everything that it grants", async (api) => {
    const body = { name: "idp", defaultRole: viewer, oidc: { ...OIDC, groupsClaim: "g" } };
    const { uid } = await api.identityProviders.create(org, body);
    const theirs = api.as((await world.member({ [org]: KEEPER })).token);
    const { update } = theirs.identityProviders;
    const mine = "https://mine.example.com";
    const refusals = await allRejected([
      update(uid, { oidc: { issuer: mine } }),
      update(uid, { oidc: { clientId: "mine" } }),
      update(uid, { oidc: { groupsClaim: "mine" } }),
      update(uid, { ...body, oidc: { ...body.oidc, issuer: mine } }, ["*"]),
      update(uid, { oidc: { ...OIDC, issuer: mine } }, ["oidc"]),
    ]);
    for (const { code } of refusals) assert.equal(code, 7);
    assert.deepEqual((await api.identityProviders.get(uid)).oidc.issuer, OIDC.issuer);
    assert.equal((await update(uid, { name: "renamed" })).name, "renamed");
  });

  world.rule("the same holds for what its mappings grant", async (api) => {
    const little = await world.role(org, ["groups.list"]);
    const body = { name: "idp", defaultRole: little, oidc: OIDC };
    const { uid } = await api.identityProviders.create(org, body);
    const theirs = api.as((await world.member({ [org]: KEEPER })).token);
    const mine = { oidc: { issuer: "https://mine.example.com" } };
    assert.ok(await theirs.identityProviders.update(uid, mine));
    const admins = { externalGroupId: "admins", roleUid: owner };
    await api.externalGroupRoleMappings.create(uid, admins);
    const back = { oidc: { issuer: OIDC.issuer } };
    assert.equal((await rejected(theirs.identityProviders.update(uid, back))).code, 7);
    assert.ok(await api.identityProviders.update(uid, back));
  });

  world.rule(
    "changing the members of its groups requires holding what the groups grant",
    async (api) => {
      const little = await world.role(org, ["groups.list"]);
      const body = { name: "idp", defaultRole: little, oidc: OIDC };
      const { uid } = await api.identityProviders.create(org, body);
      const keeper = [...KEEPER, "identity_providers.scim.manage"];
      const theirs = api.as((await world.member({ [org]: keeper })).token);
      const { etag: first } = await theirs.identityProviders.generateScimToken({
        identityProviderUid: uid,
      });
      const admins = { externalGroupId: "admins", roleUid: owner };
      const mapping = await api.externalGroupRoleMappings.create(uid, admins);
      const { scim: before } = await api.identityProviders.get(uid);
      assert.equal(before.etag, first);
      const taken = await allRejected([
        theirs.identityProviders.regenerateScimToken({ identityProviderUid: uid, etag: first }),
        theirs.identityProviders.setScimEnabled({
          identityProviderUid: uid,
          etag: first,
          enabled: true,
        }),
        theirs.identityProviders.setScimEnabled({
          identityProviderUid: uid,
          etag: first,
          enabled: false,
        }),
      ]);
      for (const { code } of taken) assert.equal(code, 7);
      assert.deepEqual((await api.identityProviders.get(uid)).scim, before);
      const { etag } = await theirs.identityProviders.revokeScimToken({ identityProviderUid: uid });
      assert.equal(
        (await rejected(theirs.identityProviders.generateScimToken({ identityProviderUid: uid })))
          .code,
        7,
      );
      await api.externalGroupRoleMappings.delete(mapping.uid);
      await api.identityProviders.update(uid, { defaultRole: viewer });
      assert.equal(
        (await rejected(theirs.identityProviders.generateScimToken({ identityProviderUid: uid })))
          .code,
        7,
      );
      assert.equal((await api.identityProviders.get(uid)).scim.etag, etag);
      assert.ok(
        (await api.identityProviders.generateScimToken({ identityProviderUid: uid })).token,
      );
    },
  );

  world.rule("creating a mapping requires holding its role at the organization", async (api) => {
    const folder = await world.group(org);
    const body = { name: "idp", defaultRole: viewer, oidc: OIDC };
    const { uid } = await api.identityProviders.create(folder, body);
    const admins = { externalGroupId: "admins", roleUid: owner };
    for (const bound of [
      { [org]: KEEPER },
      { [org]: "limited_owner" },
      { [folder]: "owner" },
      { [org]: KEEPER, [folder]: "owner" },
    ]) {
      const theirs = api.as((await world.member(bound)).token);
      const create = theirs.externalGroupRoleMappings.create(uid, admins);
      assert.equal((await rejected(create)).code, 7);
    }
    const below = api.as((await world.member({ [folder]: "owner", [org]: "viewer" })).token);
    const lookers = { externalGroupId: "lookers", roleUid: viewer };
    const refusal = await rejected(below.externalGroupRoleMappings.create(uid, lookers));
    assert.equal(refusal.needs, `role_bindings.create at ${org}`);
    const theirs = api.as((await world.member({ [org]: "owner" })).token);
    assert.ok(await theirs.externalGroupRoleMappings.create(uid, admins));
  });
});
