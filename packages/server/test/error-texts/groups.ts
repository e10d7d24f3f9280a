import { roleNamed } from "../support/world/world.ts";
import { type ErrorText, failed, invalid, plain } from "./table.ts";

const NOWHERE = "0".repeat(40);

/** Errors of groups, and of every kind of resource by their example. */
export const GROUPS: readonly ErrorText[] = [
  [
    "a name does not match",
    ({ api, org }) => api.groups.create(org, { name: "Capital" }),
    invalid({ name: 'name must match "^[a-z0-9 ._-]{1,}$"' }),
  ],
  [
    "a name is too long",
    ({ api, org }) => api.groups.create(org, { name: "x".repeat(256) }),
    invalid({ name: "name must have at most 255 characters" }),
  ],
  [
    "several fields are invalid",
    ({ api, org }) => api.groups.create(org, { name: "", description: "a\x1bb" }),
    invalid({
      name: 'name must match "^[a-z0-9 ._-]{1,}$"',
      description:
        'description must match "^(?:[^\\x00-\\x1f\\x7f-\\x9f]|[\\t\\n]|\\r\\n){0,512}$"',
    }),
  ],
  [
    "a uid is malformed",
    ({ api }) => api.groups.get("nonsense"),
    invalid({ uid: "uid must be a UID: 40 hexadecimal characters, or a path of IDs" }),
  ],
  [
    "a group does not exist",
    ({ api }) => api.groups.get(NOWHERE),
    plain("NOT_FOUND", 'Group "{uid}" does not exist'),
  ],
  [
    "a parent does not exist",
    ({ api }) => api.groups.create(NOWHERE, { name: "x" }),
    plain("NOT_FOUND", 'Group "{uid}" does not exist'),
  ],
  [
    "a parent name is ambiguous",
    async ({ api, world }) => {
      const name = world.name("ambiguous");
      await world.organization(name);
      await world.organization(name);
      await api.groups.create(name, { name: "x" });
    },
    invalid({ parent: "several groups have this name: give a uid" }),
  ],
  [
    "a mask has an unknown path",
    ({ api, org }) => api.groups.update(org, { name: "x" }, ["color"]),
    invalid({ updateMask: '"color" is not a field of Group' }),
  ],
  [
    "a mask has a star and a path",
    ({ api, org }) => api.groups.update(org, { name: "x" }, ["*", "name"]),
    invalid({ updateMask: '"*" must be the only path' }),
  ],
  [
    "a body has an unknown key",
    ({ rest, org }) => rest("PATCH", `/iam/v2beta1/groups/${org}`, { color: "red" }),
    invalid({ color: "color is not a known field" }),
  ],
  [
    "a nested group is verified",
    async ({ api, world, org }) => {
      await api.groups.update(await world.group(org), { verified: true });
    },
    invalid({ verified: "only organizations can be verified" }),
  ],
  [
    "a kind is set for an unverified organization",
    ({ api, org }) => api.groups.update(org, { kind: "ORG_KIND_CUSTOMER" }),
    invalid({ kind: "kind can be set on verified organizations only" }),
  ],
  [
    "quotas are unknown or negative",
    ({ api, org }) => api.groups.update(org, { resourceLimits: { repos: 1, idps: -1 } }),
    invalid({
      "resourceLimits.repos":
        "repos has no quota: use clusters, idps, registry_mb, repositories, subscriptions, subscriptions_per_sink, tags",
      "resourceLimits.idps": "idps must not be negative",
    }),
  ],
  [
    "only the operator can set quotas",
    async ({ as, org }) => {
      await (await as("groups.update")).groups.update(org, { resourceLimits: { idps: 1 } });
    },
    plain("PERMISSION_DENIED", 'needs the operator\'s token at "{uid}"'),
  ],
  [
    "a quota of repos is reached",
    async ({ api, world, org }) => {
      const group = await world.group(org, "few-repos");
      await api.groups.update(group, { resourceLimits: { repositories: 0 } });
      await api.repos.create(group, { name: "x" });
    },
    failed("RESOURCE_LIMIT_EXCEEDED", 'group "texts/few-repos" has reached its quota of 0 repos'),
  ],
  [
    "a quota of subscriptions to one host is reached",
    async ({ api, world, org }) => {
      const group = await world.group(org, "few-sinks");
      await api.groups.update(group, { resourceLimits: { subscriptions_per_sink: 0 } });
      await api.subscriptions.create(group, { sink: "https://sink.example.com/hook" });
    },
    failed(
      "RESOURCE_LIMIT_EXCEEDED",
      'group "texts/few-sinks" has reached its quota of 0 subscriptions to sink.example.com',
    ),
  ],
  [
    "a quota of identity providers is reached",
    async ({ api, world, org }) => {
      const group = await world.group(org, "few-providers");
      await api.groups.update(group, { resourceLimits: { idps: 0 } });
      const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
      await api.identityProviders.create(group, {
        name: "x",
        defaultRole: roleNamed("viewer"),
        oidc,
      });
    },
    failed(
      "RESOURCE_LIMIT_EXCEEDED",
      'group "texts/few-providers" has reached its quota of 0 identity providers',
    ),
  ],
  [
    "a group has a child",
    ({ api, world, org }) => world.group(org).then(() => api.groups.delete(org)),
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child group invites"),
  ],
  [
    "a group has a repo",
    async ({ api, repo, world, org }) => {
      const group = await world.group(org);
      await repo(group);
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child repos"),
  ],
  [
    "a group has a role binding",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await world.member({ [group]: "viewer" });
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child role bindings"),
  ],
  [
    "a group has an identity",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await api.identities.create(group, {
        name: "x",
        servicePrincipal: "SERVICE_PRINCIPAL_COSIGNED",
      });
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child identities"),
  ],
  [
    "a group has a role",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await world.role(group, ["groups.list"]);
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child roles"),
  ],
  [
    "a group has an account association",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await api.accountAssociations.create(group, { name: "x" });
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child account associations"),
  ],
  [
    "a group has an identity provider",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
      await api.identityProviders.create(group, {
        name: "x",
        defaultRole: roleNamed("viewer"),
        oidc,
      });
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child identity providers"),
  ],
  [
    "a group has an advisory",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      const advisory = { advisoryId: "CGA-1", artifactType: "apk", artifactName: "x" };
      await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", advisories: [advisory] }],
      });
      await api.groups.delete(group);
    },
    failed("RESOURCE_NOT_EMPTY", "cannot delete group with child advisories"),
  ],
  [
    "a verified name is taken",
    async ({ api, world }) => {
      const name = world.name("taken.example");
      const [first, second] = [await world.organization(name), await world.organization(name)];
      await api.groups.update(first, { verified: true });
      await api.groups.update(second, { verified: true });
    },
    failed("NAME_TAKEN", "another verified organization has this name"),
  ],
  [
    "the name of a folder exists in a verified organization",
    async ({ api, world }) => {
      const org = await world.organization();
      await api.groups.update(org, { verified: true });
      await api.groups.create(org, { name: "folder" });
      await api.groups.create(org, { name: "folder" });
    },
    plain("ALREADY_EXISTS", 'Group "folder" exists'),
  ],
  [
    "an idempotency key is used again",
    async ({ api, world, org }) => {
      const keyed = api.keyed(world.name("key"));
      await keyed.groups.create(org, { name: world.name("first") });
      await keyed.groups.create(org, { name: world.name("second") });
    },
    failed(
      "IDEMPOTENCY_KEY_REUSED",
      "another request had this idempotency key: use a new key for each request",
    ),
  ],
  [
    "only the operator can verify an organization",
    async ({ as, org }) => {
      await (await as("groups.update")).groups.update(org, { verified: true });
    },
    plain("PERMISSION_DENIED", 'needs the operator\'s token at "{uid}"'),
  ],
];
