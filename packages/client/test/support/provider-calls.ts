/** Calls every method of identity providers and account associations with success. */
import assert from "node:assert/strict";
import { AccountProviderType, CheckStatus, type Wharf } from "@wharf/client";
import { builtinRole } from "@wharf/contract";

const VIEWER = builtinRole("viewer")?.uid as string;

export async function callIdentityProviders(wharf: Wharf, org: string): Promise<void> {
  const { identityProviders, externalGroupRoleMappings: mappings } = wharf;
  const oidc = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
  const configuration = { case: "oidc", value: oidc } as const;
  const identityProvider = { name: "corp", defaultRole: VIEWER, configuration };
  const { uid } = await identityProviders.create({ parent: org, identityProvider });
  assert.equal((await identityProviders.get({ uid })).name, "corp");
  const checked = await identityProviders.checkIssuer({
    parent: org,
    issuer: "https://10.0.0.1",
  });
  assert.notEqual(checked.problem, "");
  await identityProviders.update({ identityProvider: { uid, name: "corp sso" } });
  const { identityProviders: found } = await identityProviders.list({
    uidp: { childrenOf: org },
  });
  assert.deepEqual(
    found.map((one) => one.name),
    ["corp sso"],
  );
  const identityProviderUid = uid;
  const first = await identityProviders.generateScimToken({ identityProviderUid });
  const again = { identityProviderUid, etag: first.etag, overlap: { seconds: 0n } };
  const second = await identityProviders.regenerateScimToken(again);
  assert.notEqual(second.token, first.token);
  const off = { identityProviderUid, enabled: false, etag: second.etag };
  assert.equal((await identityProviders.setScimEnabled(off)).enabled, false);
  await identityProviders.revokeScimToken({ identityProviderUid });

  const make = async (externalGroupId: string) => {
    const externalGroupRoleMapping = { externalGroupId, roleUid: VIEWER };
    return (await mappings.create({ parent: uid, externalGroupRoleMapping })).uid;
  };
  const [one, two] = [await make("one"), await make("two")];
  assert.equal((await mappings.get({ uid: one })).externalGroupId, "one");
  assert.equal((await mappings.list({ identityProviderUid })).totalCount, 2n);
  await mappings.delete({ uid: one });
  await mappings.batchDelete({ parent: uid, names: [two] });
  await identityProviders.delete({ uid });
}

export async function callAccountAssociations(wharf: Wharf, org: string): Promise<void> {
  const { accountAssociations } = wharf;
  const installations = [{ installationId: 567n, name: "acme" }];
  const github = { appInstallations: { "1234": { installations } } };
  const accountAssociation = { name: "accounts", github };
  const { uid } = await accountAssociations.create({ parent: org, accountAssociation });
  assert.equal(uid, org);
  const stored = await accountAssociations.get({ uid });
  assert.equal(stored.github?.appInstallations["1234"]?.installations[0]?.installationId, 567n);
  await accountAssociations.update({ accountAssociation: { uid, github: {}, name: "none" } });
  const list = await accountAssociations.list({ name: "none", uidp: { ids: [org] } });
  assert.equal(list.accountAssociations[0]?.name, "none");
  const providerType = AccountProviderType.AMAZON;
  const { status, reason } = await accountAssociations.check({ uid, providerType });
  assert.deepEqual([status, reason], [CheckStatus.NOT_READY, "NOT_CONFIGURED"]);
  await accountAssociations.delete({ uid });
}
