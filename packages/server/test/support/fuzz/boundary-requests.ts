/** A valid request for every method, to put boundary values into. */
import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { isScope } from "@wharf/contract";
import { Http } from "../client/http.ts";
import { digest } from "../registry/oci-image.ts";
import { roleNamed, type World } from "../world/world.ts";
import { DECISION, exposureRequests } from "./exposure-requests.ts";
import { contentRequests } from "./registry-requests.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
const CLAIMS = { issuer: "https://issuer.example.com", subject: "extreme" };
const ABOUT = { artifactType: "apk", artifactName: "openssl" };
const NOBODY = "0".repeat(40);

/** One of every kind, by uid. */
type Uids = Readonly<Record<Kind, string>>;
type Kind =
  | "group"
  | "identity"
  | "role"
  | "binding"
  | "idp"
  | "mapping"
  | "invite"
  | "repo"
  | "tag"
  | "package"
  | "advisory"
  | "event"
  | "decision";

/** The kind of resource of methods without a request of their own here, by service and name. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/Settings/, "group"],
  [/ExternalGroupRoleMappings/, "mapping"],
  [/IdentityProviders/, "idp"],
  [/Identities/, "identity"],
  [/RoleBindings/, "binding"],
  [/Roles/, "role"],
  [/GroupInvites/, "invite"],
  [/Decisions/, "decision"],
  [/AdvisoryEvent$/, "event"],
  [/Advisories/, "advisory"],
  [/TagHistory|Tags|Tag$/, "tag"],
  [/Packages/, "package"],
  [/Registry|Repos|Images|Deployments/, "repo"],
];

/** A resource of every kind, and valid requests about it. */
export class ValidRequests {
  readonly #uids: Uids;
  #names = 0;

  private constructor(uids: Uids) {
    this.#uids = uids;
  }

  /** @example const ground = await ValidRequests.prepare(world); */
  static async prepare(world: World): Promise<ValidRequests> {
    const api = world.operator();
    const group = await world.organization();
    const viewer = roleNamed("viewer");
    const uid = async (made: Promise<{ uid: string }>) => (await made).uid;
    const identity = await uid(api.identities.create(group, { name: "x", claimMatch: CLAIMS }));
    const provider = { name: "x", defaultRole: viewer, oidc: OIDC };
    const idp = await uid(api.identityProviders.create(group, provider));
    const mapping = { externalGroupId: "x", roleUid: viewer };
    const repo = await uid(api.repos.create(group, { name: "extreme" }));
    await api.accountAssociations.create(group, { name: "x" });
    const v1 = new Http(`${world.server.url}/vulnerabilities/v1/advisories`, api.token);
    const advisory = (await v1.post("", { parentId: group, advisory: ABOUT })).body.id;
    const advisoryEvent = { detection: { manual: {} } };
    const event = (await v1.post(`/${advisory}/events`, { advisoryEvent })).body.id;
    // Nobody may approve their own: the one that calls all methods is another one.
    const author = api.as((await world.member({ [group]: "owner" })).token);
    return new ValidRequests({
      ...{ group, identity, idp, repo, advisory, event },
      decision: await uid(author.decisions.create(group, DECISION)),
      role: await world.role(group, ["groups.list"]),
      binding: await world.bind(group, identity, "viewer"),
      invite: await uid(api.groupInvites.create(group, { roleUid: viewer, ttl: "3600s" })),
      mapping: await uid(api.externalGroupRoleMappings.create(idp, mapping)),
      package: await uid(api.packages.createPackage({ package: { name: "x" } })),
      tag: await uid(api.tags.create(repo, { name: "1.0", digest: digest(1) })),
    });
  }

  /** A valid request as JSON. A resource to delete does not exist, unless `deleted` is "existing". */
  requestOf(method: DescMethod, deleted: "nobody" | "existing" = "nobody"): JsonObject {
    const { parent, name, input } = method;
    const known = this.#requests()[`${parent.name}/${name}`];
    if (known !== undefined) return known;
    const [, kind = "group"] = KINDS.find(([one]) => one.test(`${parent.name} ${name}`)) ?? [];
    const field = input.fields.find(isScope);
    const isSpared = /Delete/.test(name) && deleted === "nobody";
    const uid = isSpared ? NOBODY : this.#uids[kind];
    if (field === undefined) return {};
    return { [field.jsonName]: field.message === undefined ? uid : { uid } };
  }

  #requests(): Readonly<Record<string, JsonObject>> {
    const { group, identity, role, binding, idp, invite, repo, tag, advisory, event, decision } =
      this.#uids;
    const name = `extreme-${this.#names++}`;
    const roleUid = roleNamed("viewer");
    const provider = { name, defaultRole: roleUid, oidc: OIDC };
    const given = { name, claimMatch: CLAIMS };
    const newRole = { name, capabilities: ["CAP_IAM_GROUPS_LIST"] };
    const tagged = { name: "1.0", digest: digest(1) };
    const bound = { identityUid: identity, roleUid };
    const boundV1 = { identity, role: roleUid };
    const charts = [{ repo: "oci://registry.example.com/charts/app" }];
    // Nothing is sent, and no name is looked up.
    const sink = "https://203.0.113.1/";
    const subscription = { sink, state: "SUBSCRIPTION_STATE_PAUSED" };
    // Nothing is read.
    const kind = "VULNERABILITY_SOURCE_KIND_OSV";
    const vulnerabilitySource = { name, kind, ecosystems: ["npm"], paused: true };
    return {
      "Auth/Delete": { id: NOBODY },
      "SessionsService/EndSession": { id: "nobody" },
      "AccessService/CheckAccess": { resource: group, capability: "CAP_REPO_LIST", identity },
      "AccessService/BatchCheckAccess": {
        checks: [{ resource: group, capability: "CAP_REPO_LIST", identity }],
      },
      "AccessService/ListAccess": { resource: group },
      "SubscriptionsService/CreateSubscription": { parent: group, subscription },
      "SubscriptionsService/UpdateSubscription": { subscription: { uid: NOBODY, ...subscription } },
      "Subscriptions/Create": { parentId: group, subscription: { sink } },
      "VulnerabilitySourcesService/CreateVulnerabilitySource": {
        parent: group,
        vulnerabilitySource,
      },
      "VulnerabilitySourcesService/UpdateVulnerabilitySource": {
        vulnerabilitySource: { uid: NOBODY, ...vulnerabilitySource },
      },
      "GroupsService/CreateGroup": { parent: group, group: { name } },
      "GroupsService/UpdateGroup": { group: { uid: group, name } },
      "Groups/Create": { parent: group, group: { name } },
      "Groups/Update": { id: group, name },
      "IdentitiesService/CreateIdentity": { parent: group, identity: given },
      "IdentitiesService/UpdateIdentity": { identity: { uid: identity, ...given } },
      "IdentitiesService/TestIdentity": { uid: identity, token: "a.b.c" },
      "Identities/Create": { parentId: group, identity: given },
      "Identities/Update": { id: identity, ...given },
      "RolesService/CreateRole": { parent: group, role: newRole },
      "RolesService/UpdateRole": { role: { uid: role, ...newRole } },
      "Roles/Create": { parentId: group, role: { name, capabilities: ["groups.list"] } },
      "Roles/Update": { id: role, name, capabilities: ["groups.list"] },
      "RoleBindingsService/CreateRoleBinding": { parent: group, roleBinding: bound },
      "RoleBindingsService/BatchCreateRoleBindings": {
        parent: group,
        requests: [{ roleBinding: bound }],
      },
      "RoleBindingsService/UpdateRoleBinding": { roleBinding: { uid: binding, ...bound } },
      "RoleBindings/Create": { parent: group, roleBinding: boundV1 },
      "RoleBindings/CreateBatch": { parent: group, roleBindings: [boundV1] },
      "RoleBindings/Update": { id: binding, ...boundV1 },
      "IdentityProvidersService/CreateIdentityProvider": {
        parent: group,
        identityProvider: provider,
      },
      "IdentityProvidersService/UpdateIdentityProvider": {
        identityProvider: { uid: idp, ...provider },
      },
      "IdentityProviders/Create": { parentId: group, identityProvider: provider },
      "IdentityProviders/Update": { id: idp, ...provider },
      "GroupInvitesService/CreateGroupInvite": {
        parent: group,
        groupInvite: { roleUid, ttl: "3600s" },
      },
      "GroupInvitesService/UpdateGroupInvite": { groupInvite: { uid: invite, roleUid } },
      "GroupInvites/Create": { group, role: roleUid, ttl: "3600s" },
      "GroupInvites/CreateWithGroup": { group: name, role: roleUid, ttl: "3600s" },
      "AccountAssociationsService/CreateAccountAssociation": {
        parent: group,
        accountAssociation: { name },
      },
      "AccountAssociationsService/UpdateAccountAssociation": {
        accountAssociation: { uid: group, name },
      },
      "GroupAccountAssociations/Create": { group, name },
      "GroupAccountAssociations/Update": { group, name },
      "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping": {
        parent: idp,
        externalGroupRoleMapping: { externalGroupId: name, roleUid },
      },
      "ExternalGroupRoleMappings/Create": {
        parentId: idp,
        mapping: { externalGroupId: name, roleUidp: roleUid },
      },
      "ReposService/CreateRepo": { parent: group, repo: { name } },
      "ReposService/UpdateRepo": { repo: { uid: repo, name: "extreme" } },
      "ReposService/UpdateRepoReadme": { repoReadme: { uid: repo, content: "# Hi" } },
      "Registry/CreateRepo": { parentId: group, repo: { name } },
      "Registry/UpdateRepo": { id: repo, name: "extreme" },
      "ImagesService/DeleteImage": { repoUid: repo, digest: digest(1) },
      "TagsService/CreateTag": { parent: repo, tag: tagged },
      "Registry/CreateTag": { repoId: repo, tag: tagged },
      "Registry/UpdateTag": { id: tag, ...tagged },
      "DeploymentsService/CreateDeployment": { parent: repo, deployment: { charts } },
      "DeploymentsService/UpdateDeployment": { deployment: { uid: repo, charts } },
      "Registry/CreateDeployment": { parentId: repo, charts },
      "Registry/UpdateDeployment": { repoId: repo, charts },
      "PackagesService/CreatePackage": { package: { name } },
      "PackagesService/UpdatePackage": { package: { uid: this.#uids.package, name } },
      "Registry/GetRepoTagsSummary": { repoId: repo },
      "Registry/GetRegistrySettings": { registryId: group },
      "Registry/UpdateRegistrySettings": { registryId: group },
      "RegistrySettingsService/UpdateRegistrySettings": { registrySettings: { groupUid: group } },
      "OrganizationSettingsService/UpdateOrganizationSettings": {
        organizationSettings: { groupUid: group },
      },
      "Advisories/Create": { parentId: group, advisory: { ...ABOUT, artifactName: name } },
      "Advisories/Update": { id: advisory, ...ABOUT },
      "Advisories/CreateAdvisoryEvent": {
        parentId: advisory,
        advisoryEvent: { detection: { manual: {} } },
      },
      "Advisories/UpdateAdvisoryEvent": { id: event, fixed: { fixedVersion: "1" } },
      "AdvisoryImportsService/ImportAdvisories": {
        parent: group,
        documents: [{ advisories: [] }],
        validateOnly: true,
      },
      ...exposureRequests(group, repo, decision),
      ...contentRequests(group, repo, name),
    };
  }
}
