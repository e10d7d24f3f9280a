import { roleNamed } from "../support/world/world.ts";
import { type ErrorText, failed, type Ground, invalid, plain } from "./table.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "client", pkceEnabled: true };
const VIEWER = roleNamed("viewer");

const providers =
  (oidc: object): ErrorText[1] =>
  ({ api, org }) =>
    api.identityProviders.create(org, { name: "x", defaultRole: VIEWER, oidc });
async function provider({ api, org }: Ground, oidc: object = OIDC): Promise<string> {
  return (await api.identityProviders.create(org, { name: "x", defaultRole: VIEWER, oidc })).uid;
}
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Errors of identity providers, their mappings and SCIM tokens. */
export const PROVIDERS: readonly ErrorText[] = [
  [
    "a provider has no configuration",
    ({ api, org }) => api.identityProviders.create(org, { name: "x", defaultRole: VIEWER }),
    invalid({ oidc: "oidc is required" }),
  ],
  [
    "a provider has neither name nor default role",
    ({ api, org }) => api.identityProviders.create(org, {}),
    invalid({
      name: 'name must match "^[a-z0-9 ._-]{1,}$"',
      defaultRole: "defaultRole is required",
    }),
  ],
  [
    "a provider has no issuer",
    providers({ ...OIDC, issuer: "" }),
    invalid({ "oidc.issuer": "issuer is required" }),
  ],
  [
    "the issuer of a provider is not a URL",
    providers({ ...OIDC, issuer: "login.example.com" }),
    invalid({
      "oidc.issuer":
        "issuer must be an issuer URL without query, fragment, user info or dot segments, such as https://issuer.example.com",
    }),
  ],
  [
    "the issuer of a provider is not https",
    providers({ ...OIDC, issuer: "http://login.example.com" }),
    invalid({ "oidc.issuer": "issuer must be reached over https" }),
  ],
  [
    "a provider has no client id",
    providers({ ...OIDC, clientId: "" }),
    invalid({ "oidc.clientId": "clientId is required" }),
  ],
  [
    "a provider has neither secret nor PKCE",
    providers({ ...OIDC, pkceEnabled: false }),
    invalid({ "oidc.clientSecret": "clientSecret is required unless pkceEnabled is set" }),
  ],
  [
    "a scope of a provider is malformed",
    providers({ ...OIDC, additionalScopes: ["two words"] }),
    invalid({ "oidc.additionalScopes": 'additionalScopes must match "^[!#-\\[\\]-~]+$"' }),
  ],
  [
    "a correlation rule is unknown",
    providers({ ...OIDC, correlationRule: 9 }),
    invalid({ "oidc.correlationRule": "correlationRule must be one of the known rules" }),
  ],
  [
    "a correlation rule is changed",
    async (ground) => {
      const uid = await provider(ground, {
        ...OIDC,
        correlationRule: "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID",
      });
      const oidc = { correlationRule: "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID" };
      await ground.api.identityProviders.update(uid, { oidc }, ["oidc.correlation_rule"]);
    },
    invalid({ "oidc.correlationRule": "correlationRule cannot be changed" }),
  ],
  [
    "an issuer changes without its secret",
    async (ground) => {
      const uid = await provider(ground, { ...OIDC, clientSecret: "secret" });
      const oidc = { issuer: "https://other.example.com" };
      await ground.api.identityProviders.update(uid, { oidc }, ["oidc.issuer"]);
    },
    invalid({ "oidc.clientSecret": "clientSecret must be given again when the issuer changes" }),
  ],
  [
    "a mapping is empty",
    async (ground) => {
      await ground.api.externalGroupRoleMappings.create(await provider(ground), {});
    },
    invalid({ externalGroupId: "externalGroupId is required", roleUid: "roleUid is required" }),
  ],
  [
    "the scope of a mapping is not the organization",
    async (ground) => {
      const mapping = {
        externalGroupId: "x",
        roleUid: VIEWER,
        scope: await ground.world.group(ground.org),
      };
      await ground.api.externalGroupRoleMappings.create(await provider(ground), mapping);
    },
    invalid({ scope: "scope must be the organization of the identity provider" }),
  ],
  [
    "a mapping exists",
    async (ground) => {
      const uid = await provider(ground);
      const mapping = { externalGroupId: "x", roleUid: VIEWER };
      await ground.api.externalGroupRoleMappings.create(uid, mapping);
      await ground.api.externalGroupRoleMappings.create(uid, mapping);
    },
    plain("ALREADY_EXISTS", 'ExternalGroupRoleMapping "{uid}" exists'),
  ],
  [
    "a batch has a mapping of another provider",
    async (ground) => {
      const mapping = { externalGroupId: "x", roleUid: VIEWER };
      const { uid } = await ground.api.externalGroupRoleMappings.create(
        await provider(ground),
        mapping,
      );
      await ground.api.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
        parent: await provider(ground),
        names: [uid],
      });
    },
    invalid({ "names[0]": "names must be uids of mappings of the parent" }),
  ],
  [
    "a role is mapped",
    async (ground) => {
      const roleUid = await ground.world.role(ground.org, ["groups.list"]);
      await ground.api.externalGroupRoleMappings.create(await provider(ground), {
        externalGroupId: "x",
        roleUid,
      });
      await ground.api.roles.delete(roleUid);
    },
    failed("RESOURCE_IN_USE", "cannot delete role that external group role mappings use"),
  ],
  [
    "a SCIM token expires too late",
    async (ground) => {
      await ground.api.identityProviders.generateScimToken({
        identityProviderUid: await provider(ground),
        expireTime: inDays(733),
      });
    },
    invalid({ expireTime: "expireTime must be within two years" }),
  ],
  [
    "a SCIM token expires in the past",
    async (ground) => {
      await ground.api.identityProviders.generateScimToken({
        identityProviderUid: await provider(ground),
        expireTime: inDays(-1),
      });
    },
    invalid({ expireTime: "expireTime must be in the future" }),
  ],
  [
    "a SCIM token both expires and never expires",
    async (ground) => {
      await ground.api.identityProviders.generateScimToken({
        identityProviderUid: await provider(ground),
        expireTime: inDays(1),
        neverExpires: true,
      });
    },
    invalid({ expireTime: "expireTime and neverExpires are mutually exclusive" }),
  ],
  [
    "a SCIM token is regenerated without an etag",
    async (ground) => {
      const uid = await provider(ground);
      await ground.api.identityProviders.generateScimToken({ identityProviderUid: uid });
      await ground.api.identityProviders.regenerateScimToken({ identityProviderUid: uid });
    },
    invalid({ etag: "etag is required" }),
  ],
  [
    "an identity provider has a SCIM token",
    async (ground) => {
      const identityProviderUid = await provider(ground);
      await ground.api.identityProviders.generateScimToken({ identityProviderUid });
      await ground.api.identityProviders.generateScimToken({ identityProviderUid });
    },
    failed("SCIM_TOKEN_EXISTS", "a token exists already: regenerate it instead"),
  ],
  [
    "the etag of a SCIM token is outdated",
    async (ground) => {
      const uid = await provider(ground);
      await ground.api.identityProviders.generateScimToken({ identityProviderUid: uid });
      await ground.api.identityProviders.regenerateScimToken({
        identityProviderUid: uid,
        etag: "v0",
      });
    },
    plain("ABORTED", "the etag is outdated: get the identity provider again"),
  ],
  [
    "the overlap of SCIM tokens is too long",
    async (ground) => {
      const uid = await provider(ground);
      const { etag } = await ground.api.identityProviders.generateScimToken({
        identityProviderUid: uid,
      });
      await ground.api.identityProviders.regenerateScimToken({
        identityProviderUid: uid,
        etag,
        overlap: "86401s",
      });
    },
    invalid({ overlap: "overlap must be within 24 hours" }),
  ],
  [
    "a SCIM token does not exist",
    async (ground) => {
      await ground.api.identityProviders.regenerateScimToken({
        identityProviderUid: await provider(ground),
        etag: "v0",
      });
    },
    plain("NOT_FOUND", 'ScimToken "{uid}" does not exist'),
  ],
  [
    "provisioning is enabled without two owners",
    async (ground) => {
      const org = await ground.world.organization();
      const given = { name: "x", defaultRole: VIEWER, oidc: OIDC };
      const { uid } = await ground.api.identityProviders.create(org, given);
      await ground.api.identityProviders.setScimEnabled({
        identityProviderUid: uid,
        enabled: true,
        etag: "v0",
      });
    },
    failed("TOO_FEW_OWNERS", "2 identities must be bound to owner at the organization first"),
  ],
];
