/** Calls every method of version 1 with success. */
import assert from "node:assert/strict";
import type { DescService } from "@bufbuild/protobuf";
import { advisoriesV1 } from "@wharf/contract";
import * as v1 from "@wharf/contract/v1";
import { digest } from "../registry/oci-image.ts";
import { roleNamed } from "../world/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
type Answer = any;

/** Makes a call and answers with what it did; rejects where it was refused. */
export type Calls = (
  service: DescService,
  method: string,
  request: Record<string, unknown>,
) => Promise<Answer>;

/** The resources that the calls need. */
export interface Ground {
  readonly org: string;
  /** A person who has logged in. */
  readonly person: { readonly issuer: string; readonly subject: string };
  /** An image that a registry has. */
  readonly image: { readonly repoId: string; readonly digest: string };
  /** The name of a package. */
  readonly package: string;
}

/** Calls every method of version 1, each so that it succeeds. */
export async function callEveryMethod(call: Calls, ground: Ground): Promise<void> {
  const { org, person, image } = ground;
  await call(v1.pingV1.PingService, "Ping", {});
  const group = await groups(call, org);
  const identity = await identities(call, group, person);
  const role = await roles(call, group);
  await roleBindings(call, group, identity, role);
  await groupInvites(call, group, role);
  await identityProviders(call, group, role);
  await accounts(call, group);
  await subscriptions(call, group);
  await repos(call, group, image);
  const named = { package: ground.package };
  const { versions } = await call(v1.registryV1.Registry, "GetPackageVersionMetadata", named);
  assert.equal(versions.length, 1);
  await absentProducts(call, group, image.repoId);
  // Tombstones of advisories keep their group.
  await advisories(call, org);
  await call(v1.rolesV1.Roles, "Delete", { id: role });
  await call(v1.identitiesV1.Identities, "Delete", { id: identity });
  await call(v1.groupsV1.Groups, "Delete", { id: group });
}

/** Changes one thing in what a list by id finds, and that alone. */
async function changed(
  call: Calls,
  service: DescService,
  list: string,
  update: string,
  id: string,
) {
  const { items } = await call(service, list, { id });
  assert.equal(items.length, 1, `${service}/${list} finds what was made`);
  const done = await call(service, update, { ...items[0], description: "changed" });
  assert.equal(done.description, "changed", `${service}/${update}`);
}

async function groups(call: Calls, parent: string): Promise<string> {
  const { Groups } = v1.groupsV1;
  const { id } = await call(Groups, "Create", { parent, group: { name: "every method" } });
  await changed(call, Groups, "List", "Update", id);
  return id;
}

async function identities(call: Calls, parentId: string, person: Ground["person"]) {
  const { Identities } = v1.identitiesV1;
  const identity = { name: "ci", claimMatch: { issuer: "https://issuer.example", subject: "ci" } };
  const { id } = await call(Identities, "Create", { parentId, identity });
  await changed(call, Identities, "List", "Update", id);
  assert.match((await call(Identities, "Lookup", person)).id, /^[0-9a-f]{40}$/);
  return id as string;
}

async function roles(call: Calls, parentId: string): Promise<string> {
  const { Roles } = v1.rolesV1;
  const role = { name: "looks", capabilities: ["groups.list", "repo.list"] };
  const { id } = await call(Roles, "Create", { parentId, role });
  await changed(call, Roles, "List", "Update", id);
  return id;
}

async function roleBindings(call: Calls, parent: string, identity: string, role: string) {
  const { RoleBindings } = v1.roleBindingsV1;
  const roleBinding = { identity, role };
  const { id } = await call(RoleBindings, "Create", { parent, roleBinding });
  const viewer = roleNamed("viewer");
  const bound = await call(RoleBindings, "Update", { id, identity, role: viewer });
  assert.equal(bound.role, viewer);
  const batch = { parent, roleBindings: [roleBinding, { identity, role: viewer }] };
  const both = await call(RoleBindings, "CreateBatch", batch);
  const ids = [id, ...both.roleBindings.map((one: { id: string }) => one.id)];
  const { items } = await call(RoleBindings, "List", { uidp: { childrenOf: parent } });
  assert.deepEqual(items.map((one: { id: string }) => one.id).sort(), ids.toSorted());
  for (const one of ids) await call(RoleBindings, "Delete", { id: one });
}

async function groupInvites(call: Calls, group: string, role: string): Promise<void> {
  const { GroupInvites } = v1.groupInvitesV1;
  const { id, code } = await call(GroupInvites, "Create", { group, role, ttl: "60s" });
  assert.ok(code);
  assert.equal((await call(GroupInvites, "List", { id })).items[0].id, id);
  await call(GroupInvites, "Delete", { id });
  const owner = { group: "with an invite", role: roleNamed("owner"), ttl: "60s" };
  const invite = await call(GroupInvites, "CreateWithGroup", owner);
  assert.ok(invite.code);
  await call(GroupInvites, "Delete", { id: invite.id });
  await call(v1.groupsV1.Groups, "Delete", { id: invite.id.slice(0, 40) });
}

async function identityProviders(call: Calls, parentId: string, role: string): Promise<void> {
  const { IdentityProviders } = v1.identityProvidersV1;
  const oidc = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
  const identityProvider = { name: "corp", defaultRole: role, oidc };
  const { id } = await call(IdentityProviders, "Create", { parentId, identityProvider });
  await changed(call, IdentityProviders, "List", "Update", id);
  const identityProviderId = id;
  const scim = (method: string, more: object = {}) => {
    return call(IdentityProviders, method, { identityProviderId, ...more });
  };
  let { etag } = await scim("GenerateScimToken");
  ({ etag } = await scim("RegenerateScimToken", { etag, overlap: "60s" }));
  await scim("SetScimEnabled", { enabled: false, etag });
  await scim("RevokeScimToken");
  // Such a role must exist in the whole organization.
  await mappings(call, id, roleNamed("viewer"));
  await call(IdentityProviders, "Delete", { id });
}

async function mappings(call: Calls, parentId: string, roleUidp: string): Promise<void> {
  const { ExternalGroupRoleMappings } = v1.externalGroupRoleMappingsV1;
  const make = async (externalGroupId: string) => {
    const mapping = { externalGroupId, roleUidp };
    return (await call(ExternalGroupRoleMappings, "Create", { parentId, mapping })).id;
  };
  const [one, two, three] = [await make("one"), await make("two"), await make("three")];
  const got = await call(ExternalGroupRoleMappings, "Get", { uid: one });
  assert.equal(got.externalGroupId, "one");
  const filter = { identityProviderUidp: parentId };
  assert.equal((await call(ExternalGroupRoleMappings, "List", filter)).items.length, 3);
  await call(ExternalGroupRoleMappings, "Delete", { id: one });
  await call(ExternalGroupRoleMappings, "BatchDelete", { parentId, ids: [two] });
  // The last one goes with its identity provider.
  assert.ok(three);
}

async function accounts(call: Calls, group: string): Promise<void> {
  const { GroupAccountAssociations } = v1.accountAssociationsV1;
  const amazon = { account: "123456789012" };
  await call(GroupAccountAssociations, "Create", { group, name: "clouds", amazon });
  await call(GroupAccountAssociations, "Update", { group, name: "more clouds", amazon });
  assert.equal((await call(GroupAccountAssociations, "List", { group })).items.length, 1);
  const checked = await call(GroupAccountAssociations, "Check", { group, accountType: "AMAZON" });
  assert.ok(checked.message);
  await call(GroupAccountAssociations, "Delete", { group });
}

async function subscriptions(call: Calls, parentId: string): Promise<void> {
  const { Subscriptions } = v1.subscriptionsV1;
  const subscription = { sink: "https://events.example.com" };
  const { id } = await call(Subscriptions, "Create", { parentId, subscription });
  assert.deepEqual((await call(Subscriptions, "List", { id })).items, [{ id, ...subscription }]);
  await call(Subscriptions, "Delete", { id });
}

async function repos(call: Calls, parentId: string, image: Ground["image"]): Promise<void> {
  const { Registry } = v1.registryV1;
  const repo = { name: "app", readme: "# App" };
  const { id } = await call(Registry, "CreateRepo", { parentId, repo });
  await changed(call, Registry, "ListRepos", "UpdateRepo", id);
  assert.equal((await call(Registry, "GetRepoCountBySource", { id })).count, "0");
  const tag = { name: "1.0", digest: digest(1) };
  const made = await call(Registry, "CreateTag", { repoId: id, tag });
  const moved = { id: made.id, name: "1.0", digest: digest(2), deprecated: true };
  await call(Registry, "UpdateTag", moved);
  assert.equal((await call(Registry, "ListTags", { id: made.id })).items[0].digest, digest(2));
  assert.equal((await call(Registry, "GetRepoTagsSummary", { repoId: id })).tagCount, "1");
  const eol = await call(Registry, "ListEolTags", { uidp: { childrenOf: id } });
  assert.equal(eol.items[0].tagStatus, "TAG_INACTIVE");
  assert.equal((await call(Registry, "ListTagHistory", { parentId: made.id })).items.length, 2);
  await call(Registry, "DeleteTag", { id: made.id });
  const charts = [{ repo: "oci://charts.example.com/app", source: "https://git.example.com/app" }];
  await call(Registry, "CreateDeployment", { parentId: id, charts });
  await call(Registry, "UpdateDeployment", { repoId: id, charts: [] });
  assert.equal((await call(Registry, "GetDeployment", { repoId: id })).id, id);
  await call(Registry, "DeleteRepo", { id });
  await call(Registry, "UpdateRegistrySettings", { registryId: parentId, eolGracePeriod: true });
  const settings = await call(Registry, "GetRegistrySettings", { registryId: parentId });
  assert.equal(settings.eolGracePeriod, true);
  assert.deepEqual((await call(Registry, "GetArchs", { ...image })).archs, ["amd64"]);
  assert.ok(Number((await call(Registry, "GetSize", { ...image })).size) > 0);
  assert.equal((await call(Registry, "GetImageConfig", { ...image })).user, "65532");
}

/** Methods that find nothing for any request. */
export const FINDING_NOTHING = [
  "wharf.iam.v1.Groups/LookupGroup",
  "wharf.iam.v1.Terms/AcceptTerms",
];

/** The products that clients of the public contract read, and that are absent here. */
async function absentProducts(call: Calls, group: string, repoId: string): Promise<void> {
  const { Groups } = v1.groupsV1;
  await assert.rejects(call(Groups, "LookupGroup", {}), { code: 5 });
  assert.equal((await call(Groups, "CheckEligibility", {})).eligible, false);
  const { Terms } = v1.termsV1;
  const accepting = call(Terms, "AcceptTerms", { group, documentIds: ["tos.v1"] });
  await assert.rejects(accepting, { code: 5 });
  assert.deepEqual((await call(Terms, "ListAccepted", { group })).items, []);
  const { Registry } = v1.registryV1;
  assert.equal((await call(Registry, "GetUpdateStatus", { repoId })).recentlyUpdated, false);
  assert.equal((await call(Registry, "GetSyncStatus", { repoId })).status, "UNKNOWN");
  assert.deepEqual((await call(Registry, "ListSyncStatuses", {})).items, []);
  const { Entitlements } = v1.entitlementsV1;
  const parent = group;
  const { items } = await call(Entitlements, "ListEntitlements", { parent });
  assert.deepEqual([items.length, items[0].tiers.length], [1, 6]);
  const effective = await call(Entitlements, "GetEffectiveEntitlements", { parent });
  assert.deepEqual([effective.plan, effective.maxTotalImages], ["CATALOG", -1]);
  assert.equal((await call(Entitlements, "GetFeatures", { parent })).uniqueTags, true);
  assert.deepEqual((await call(Entitlements, "Summary", { parent })).quota, {});
  for (const list of ["ListEntitlementImages", "ListEntitlementCatalogImages"])
    assert.deepEqual((await call(Entitlements, list, { parent })).images, []);
  for (const service of [
    v1.productsV1.LibraryEntitlements,
    v1.productsV1.PackageEntitlements,
    v1.productsV1.EcosystemEntitlements,
    v1.productsV1.SkillEntitlements,
  ])
    assert.deepEqual((await call(service, "List", { parentId: group })).items, []);
}

async function advisories(call: Calls, parentId: string): Promise<void> {
  const { Advisories } = advisoriesV1;
  const about = { artifactType: "apk", artifactName: "openssl" };
  const { id } = await call(Advisories, "Create", { parentId, advisory: about });
  await call(Advisories, "Update", { id, ...about, artifactArchitecture: "x86_64" });
  assert.equal((await call(Advisories, "List", { id })).items.length, 1);
  const advisoryEvent = { detection: { manual: {} } };
  const event = await call(Advisories, "CreateAdvisoryEvent", { parentId: id, advisoryEvent });
  const fixed = { id: event.id, fixed: { fixedVersion: "3.1.4-r1" } };
  await call(Advisories, "UpdateAdvisoryEvent", fixed);
  const { items } = await call(Advisories, "ListAdvisoryEvents", { parentId: id });
  assert.deepEqual([items.length, items[0].fixed.fixedVersion], [1, "3.1.4-r1"]);
  await call(Advisories, "Delete", { id });
}
