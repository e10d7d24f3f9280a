import { roleNamed } from "../../support/world/world.ts";
import type { Recorder } from "../recorder.ts";

const OIDC = {
  issuer: "https://login.example.com",
  clientId: "wharf",
  pkceEnabled: true,
  groupsClaim: "groups",
};

/** Identity providers, their provisioning and group mappings, and account associations. */
export async function providers(record: Recorder): Promise<void> {
  const { world } = record;
  const acme = await world.organization("acme");
  for (let owners = 0; owners < 2; owners++) await world.member({ [acme]: "owner" });
  const service = (method: string) => `IdentityProvidersService_${method}`;
  const { uid } = await record.body(service("CreateIdentityProvider"), {
    path: acme,
    body: { name: "acme sso", defaultRole: roleNamed("viewer"), oidc: OIDC },
  });
  await record.call(service("GetIdentityProvider"), { path: uid });
  await record.call(service("ListIdentityProviders"), { query: { "uidp.children_of": acme } });
  await record.call(service("UpdateIdentityProvider"), {
    path: uid,
    body: { description: "Everybody at Acme" },
  });
  await record.call(service("CheckIssuer"), {
    path: acme,
    query: { issuer: "https://10.0.0.1" },
  });
  await mappings(record, uid);
  const token = await record.body(service("GenerateScimToken"), {
    path: uid,
    body: { neverExpires: true },
  });
  const next = await record.body(service("RegenerateScimToken"), {
    path: uid,
    body: { etag: token.etag, overlap: "3600s" },
  });
  await record.call(service("SetScimEnabled"), {
    path: uid,
    body: { enabled: true, etag: next.etag },
  });
  await record.call(service("RevokeScimToken"), { path: uid, body: {} });
  await record.call(service("DeleteIdentityProvider"), { path: uid });
  await accounts(record, acme);
}

async function mappings(record: Recorder, provider: string): Promise<void> {
  const service = (method: string) => `ExternalGroupRoleMappingsService_${method}`;
  const create = (externalGroupId: string) =>
    record.body(service("CreateExternalGroupRoleMapping"), {
      path: provider,
      body: { externalGroupId, roleUid: roleNamed("editor") },
    });
  const batch = await create("designers");
  const { uid } = await create("builders");
  await record.call(service("GetExternalGroupRoleMapping"), { path: uid });
  await record.call(service("BatchDeleteExternalGroupRoleMappings"), {
    body: { parent: provider, names: [batch.uid] },
  });
  await record.call(service("ListExternalGroupRoleMappings"), {
    query: { identity_provider_uid: provider },
  });
  await record.call(service("DeleteExternalGroupRoleMapping"), { path: uid });
}

async function accounts(record: Recorder, group: string): Promise<void> {
  const service = (method: string) => `AccountAssociationsService_${method}`;
  await record.call(service("CreateAccountAssociation"), {
    path: group,
    body: { name: "production", amazon: { account: "123456789012" } },
  });
  await record.call(service("GetAccountAssociation"), { path: group });
  await record.call(service("ListAccountAssociations"), { query: { "uidp.ids": group } });
  await record.call(service("UpdateAccountAssociation"), {
    path: group,
    body: { google: { projectId: "acme-prod", projectNumber: "123456789" } },
  });
  await record.call(service("CheckAccountAssociation"), {
    path: group,
    body: { providerType: "ACCOUNT_PROVIDER_TYPE_AZURE" },
  });
  await record.call(service("DeleteAccountAssociation"), { path: group });
}
