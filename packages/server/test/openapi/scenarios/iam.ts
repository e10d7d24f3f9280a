import { roleNamed } from "../../support/world/world.ts";
import type { Recorder } from "../recorder.ts";

const CLAIMS = {
  issuer: "https://token.actions.githubusercontent.com",
  subject: "repo:acme/app:ref:refs/heads/main",
};

/** Groups, identities, roles, bindings, invites, and who has access. */
export async function iam(record: Recorder): Promise<void> {
  const acme = await record.body("GroupsService_CreateGroup_Organization", {
    body: { name: "acme", description: "Acme Inc." },
  });
  const platform = await record.body("GroupsService_CreateGroup", {
    path: acme.uid,
    body: { name: "platform", description: "Platform team" },
  });
  await record.call("GroupsService_GetGroup", { path: platform.uid });
  await record.call("GroupsService_ListGroups", { query: { "uidp.children_of": acme.uid } });
  await record.call("GroupsService_UpdateGroup", {
    path: platform.uid,
    body: { description: "Builds and ships" },
  });
  await record.call("GroupsService_CheckEligibility");
  await record.call("OrganizationSettingsService_UpdateOrganizationSettings", {
    path: acme.uid,
    body: { uniqueSiblings: true },
  });
  await record.call("OrganizationSettingsService_GetOrganizationSettings", { path: acme.uid });
  const identity = await identities(record, platform.uid);
  await rolesAndBindings(record, acme.uid, platform.uid, identity);
  await invites(record, platform.uid);
  await record.call("TermsService_ListTermsAcceptances", { path: acme.uid });
  await record.call("IdentitiesService_DeleteIdentity", { path: identity });
  await record.call("GroupsService_DeleteGroup", { path: platform.uid });
}

async function identities(record: Recorder, group: string): Promise<string> {
  const { uid } = await record.body("IdentitiesService_CreateIdentity", {
    path: group,
    body: { name: "deploy", description: "Deploys from main", claimMatch: CLAIMS },
  });
  await record.call("IdentitiesService_GetIdentity", { path: uid });
  await record.call("IdentitiesService_ListIdentities", { query: { "uidp.children_of": group } });
  await record.call("IdentitiesService_UpdateIdentity", {
    path: uid,
    body: { description: "Deploys releases" },
  });
  await record.call("IdentitiesService_UpdateIdentityMetadata", {
    body: { identityMetadata: {} },
  });
  return uid;
}

async function rolesAndBindings(
  record: Recorder,
  organization: string,
  group: string,
  identityUid: string,
): Promise<void> {
  const role = await record.body("RolesService_CreateRole", {
    path: organization,
    body: {
      name: "puller",
      description: "Pulls images",
      capabilities: ["CAP_REPO_LIST", "CAP_MANIFEST_LIST"],
    },
  });
  await record.call("RolesService_GetRole", { path: role.uid });
  await record.call("RolesService_ListRoles", { query: { name: "puller" } });
  const binding = await record.body("RoleBindingsService_CreateRoleBinding", {
    path: group,
    body: { identityUid, roleUid: role.uid },
  });
  await record.call("RoleBindingsService_GetRoleBinding", { path: binding.uid });
  await record.call("RoleBindingsService_ListRoleBindings", {
    query: { "uidp.children_of": group },
  });
  const question = { resource: group, capability: "CAP_REPO_LIST", identity: identityUid };
  await record.call("AccessService_CheckAccess", { query: question });
  await record.call("AccessService_BatchCheckAccess", {
    body: { checks: [question, { ...question, capability: "CAP_IAM_GROUPS_DELETE" }] },
  });
  await record.call("AccessService_ListAccess", {
    query: { resource: group, capability: "CAP_REPO_LIST", identity: identityUid },
  });
  await record.call("RoleBindingsService_UpdateRoleBinding", {
    path: binding.uid,
    body: { roleUid: roleNamed("viewer") },
  });
  await record.call("RoleBindingsService_BatchCreateRoleBindings", {
    body: {
      parent: organization,
      requests: [{ parent: organization, roleBinding: { identityUid, roleUid: role.uid } }],
    },
  });
  await record.call("RolesService_UpdateRole", {
    path: role.uid,
    body: { description: "Pulls images of this organization" },
  });
  await record.call("RoleBindingsService_DeleteRoleBinding", { path: binding.uid });
  const spare = await record.world
    .operator()
    .roles.create(organization, { name: "spare", capabilities: ["groups.list"] });
  await record.call("RolesService_DeleteRole", { path: spare.uid });
}

async function invites(record: Recorder, group: string): Promise<void> {
  const invite = await record.body("GroupInvitesService_CreateGroupInvite", {
    path: group,
    body: { roleUid: roleNamed("viewer"), ttl: "604800s", email: "dev@acme.example" },
  });
  await record.call("GroupInvitesService_GetGroupInvite", { path: invite.uid });
  await record.call("GroupInvitesService_ListGroupInvites", {
    query: { "uidp.children_of": group },
  });
  await record.call("GroupInvitesService_UpdateGroupInvite", {
    path: invite.uid,
    body: { email: "ops@acme.example" },
  });
  await record.call("GroupInvitesService_DeleteGroupInvite", { path: invite.uid });
}
