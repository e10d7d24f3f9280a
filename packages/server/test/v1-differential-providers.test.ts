import { type Compared, differential } from "./support/versions/differential.ts";
import { roleNamed } from "./support/world/world.ts";

const OIDC = {
  issuer: "https://login.example.com",
  clientId: "wharf",
  clientSecret: "",
  additionalScopes: ["offline_access", "groups", "a:b/c"],
  groupsClaim: "groups",
  correlationRule: "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID",
  pkceEnabled: true,
};

const PROVIDERS: Compared = {
  title: "identity providers",
  collection: "identityProviders",
  toV1: (facts) => facts,
  toV2: (facts) => facts,
  // Lists of version 2 say nothing of provisioning.
  fromV1: ({ scim: _, ...facts }) => facts,
  fromV2: ({ uid, scim: _s, createTime: _c, updateTime: _u, ...facts }) => ({ id: uid, ...facts }),
  replaced: ["name", "description", "default_role", "oidc", "oidc.client_secret"],
  findsByName: true,
  async prepare(world) {
    return {
      parent: await world.organization(),
      sample: (number) => ({
        name: `login ${number}`,
        description: "of some use",
        defaultRole: roleNamed("viewer"),
        oidc: OIDC,
      }),
      change: {
        name: "another",
        defaultRole: roleNamed("editor"),
        oidc: { ...OIDC, clientId: "other", additionalScopes: ["z", "a"], groupsClaim: "roles" },
      },
      reset: { description: "" },
      invalid: { oidc: { ...OIDC, issuer: "nonsense" } },
    };
  },
};

const MAPPINGS: Compared = {
  title: "external group role mappings",
  collection: "externalGroupRoleMappings",
  byId: (id) => ({ uidp: { ids: [id] } }),
  toV1: ({ role, ...facts }) => ({ ...facts, roleUidp: role }),
  toV2: ({ role, ...facts }) => ({ ...facts, roleUid: role }),
  fromV1: ({ identityProviderUidp: provider, roleUidp: role, ...facts }) => ({
    ...facts,
    provider,
    role,
  }),
  fromV2: (shown) => {
    const { uid, identityProviderUid: provider, roleUid: role, createTime, ...facts } = shown;
    const { updateTime: _, ...others } = facts;
    return { id: uid, ...others, provider, role, createdAt: createTime };
  },
  neverChanges: true,
  async prepare(world) {
    const organization = await world.organization();
    const { uid } = await world.operator().identityProviders.create(organization, {
      name: "login",
      defaultRole: roleNamed("viewer"),
      oidc: OIDC,
    });
    return {
      parent: uid,
      sample: (number) => ({
        externalGroupId: `engineers ${number}`,
        role: roleNamed("editor"),
        scope: organization,
      }),
      change: {},
      reset: {},
      invalid: { role: "nonsense" },
    };
  },
};

const INVITES: Compared = {
  title: "group invites",
  collection: "groupInvites",
  childrenOf: (group) => ({ group }),
  toV1: (facts) => ({ ttl: "3600s", ...facts }),
  toV2: ({ role, ...facts }) => ({ ttl: "3600s", ...facts, roleUid: role }),
  // The fields of version 1's response to a create; lists have more.
  fromV1: ({ id, role, expiration, keyId }) => ({ id, role: role.id, expiration, keyId }),
  fromV2: ({ uid, role, expirationTime, keyId }) => {
    return { id: uid, role: role.uid, expiration: expirationTime, keyId };
  },
  neverChanges: true,
  async prepare(world) {
    return {
      parent: await world.organization(),
      sample: () => ({ role: roleNamed("viewer") }),
      change: {},
      reset: {},
      invalid: { email: "nonsense" },
    };
  },
};

const ACCOUNTS = {
  amazon: { account: "123456789012" },
  google: { projectId: "acme-prod", projectNumber: "123456789" },
  azure: {
    tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
    clientIds: { syncer: "9ada6f8a-6d83-41bc-b169-a306c21527a5" },
  },
  github: {
    appInstallations: {
      "1234": {
        installations: [
          { installationId: "567", name: "acme" },
          { installationId: "9007199254740993", name: "" },
        ],
      },
    },
  },
};
const NO_ACCOUNTS = { amazon: null, google: null, azure: null, github: null, chainguard: null };

const ASSOCIATIONS: Compared = {
  title: "account associations",
  collection: "accountAssociations",
  collectionV1: "groupAccountAssociations",
  byId: (group) => ({ group }),
  childrenOf: (group) => ({ group }),
  toV1: (facts) => facts,
  toV2: (facts) => facts,
  fromV1: ({ group, ...facts }) => ({ id: group, ...NO_ACCOUNTS, ...facts }),
  fromV2: ({ uid, createTime: _created, updateTime: _updated, ...facts }) => {
    return { id: uid, ...NO_ACCOUNTS, ...facts };
  },
  findsByName: true,
  deleteIsIdempotent: true,
  async prepare(world) {
    const organization = await world.organization();
    return {
      parent: organization,
      another: () => world.group(organization),
      sample: (number) => ({ name: `accounts ${number}`, description: "where else", ...ACCOUNTS }),
      change: { name: "another", amazon: { account: "210987654321" } },
      reset: { description: "", ...NO_ACCOUNTS },
      invalid: { amazon: { account: "nonsense" } },
    };
  },
};

differential("people's ways in", [PROVIDERS, MAPPINGS, INVITES]);
differential("account associations", [ASSOCIATIONS]);
