import { roleNamed } from "../../support/world/world.ts";
import type { Recorder } from "../recorder.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };

/** Version 1 of the resources of access management. */
export async function iamV1(record: Recorder): Promise<void> {
  const { world } = record;
  const acme = await record.body("V1_Groups_Create_Organization", { body: { name: "acme" } });
  for (let owners = 0; owners < 2; owners++) await world.member({ [acme.id]: "owner" });
  const group = await record.body("V1_Groups_Create", {
    path: acme.id,
    body: { name: "platform", description: "Platform team" },
  });
  await record.call("V1_Groups_List", { query: { "uidp.children_of": acme.id } });
  await record.call("V1_Groups_Update", {
    path: group.id,
    body: { name: "platform", description: "Builds and ships" },
  });
  await record.call("V1_Groups_CheckEligibility");
  await record.call("V1_Terms_ListAccepted", { path: acme.id });
  const identity = await identities(record, group.id);
  await rolesAndBindings(record, group.id, identity);
  await invites(record, group.id);
  await providers(record, acme.id);
  await accounts(record, group.id);
  await record.call("V1_Identities_Delete", { path: identity });
  await record.call("V1_Groups_Delete", { path: group.id });
}

async function identities(record: Recorder, parent: string): Promise<string> {
  const claimMatch = {
    issuer: "https://token.actions.githubusercontent.com",
    subject: "repo:acme/app:ref:refs/heads/main",
  };
  const { id } = await record.body("V1_Identities_Create", {
    path: parent,
    body: { name: "deploy", claimMatch },
  });
  await record.call("V1_Identities_List", { query: { id } });
  await record.call("V1_Identities_Update", {
    path: id,
    body: { name: "deploy", description: "Deploys releases", claimMatch },
  });
  return id;
}

async function rolesAndBindings(record: Recorder, parent: string, identity: string) {
  const { id: role } = await record.body("V1_Roles_Create", {
    path: parent,
    body: { name: "puller", capabilities: ["repo.list", "manifest.list"] },
  });
  await record.call("V1_Roles_List", { query: { id: role } });
  await record.call("V1_Roles_Update", {
    path: role,
    body: { name: "puller", description: "Pulls images", capabilities: ["repo.list"] },
  });
  const { id } = await record.body("V1_RoleBindings_Create", {
    path: parent,
    body: { identity, role },
  });
  await record.call("V1_RoleBindings_List", { query: { id } });
  await record.call("V1_RoleBindings_Update", {
    path: id,
    body: { identity, role: roleNamed("viewer") },
  });
  const batch = await record.body("V1_RoleBindings_CreateBatch", {
    path: parent,
    body: [{ identity, role }],
  });
  await record.call("V1_RoleBindings_Delete", { path: id });
  await record.world.operator().roleBindings.delete(batch.roleBindings[0].id);
  await record.call("V1_Roles_Delete", { path: role });
}

async function invites(record: Recorder, group: string): Promise<void> {
  const { id } = await record.body("V1_GroupInvites_Create", {
    path: group,
    body: { role: roleNamed("viewer"), ttl: "604800s" },
  });
  await record.call("V1_GroupInvites_List", { query: { id } });
  await record.call("V1_GroupInvites_Delete", { path: id });
  await record.call("V1_GroupInvites_CreateWithGroup", {
    body: { group: "partner", role: roleNamed("owner"), ttl: "604800s" },
  });
}

async function providers(record: Recorder, parent: string): Promise<void> {
  const service = (method: string) => `V1_IdentityProviders_${method}`;
  const body = { name: "acme sso", defaultRole: roleNamed("viewer"), oidc: OIDC };
  const { id } = await record.body(service("Create"), { path: parent, body });
  await record.call(service("List"), { query: { id } });
  await record.call(service("Update"), {
    path: id,
    body: { ...body, description: "Everybody at Acme" },
  });
  const mapping = (method: string) => `V1_ExternalGroupRoleMappings_${method}`;
  const create = (externalGroupId: string) =>
    record.body(mapping("Create"), {
      path: id,
      body: { externalGroupId, roleUidp: roleNamed("editor") },
    });
  const [batch, one] = [await create("designers"), await create("builders")];
  await record.call(mapping("Get"), { path: one.id });
  await record.call(mapping("BatchDelete"), { body: { parentId: id, ids: [batch.id] } });
  await record.call(mapping("List"), { query: { identity_provider_uidp: id } });
  await record.call(mapping("Delete"), { path: one.id });
  const token = await record.body(service("GenerateScimToken"), {
    path: id,
    body: { neverExpires: true },
  });
  const next = await record.body(service("RegenerateScimToken"), {
    path: id,
    body: { etag: token.etag, overlap: "3600s" },
  });
  await record.call(service("SetScimEnabled"), {
    path: id,
    body: { enabled: true, etag: next.etag },
  });
  await record.call(service("RevokeScimToken"), { path: id, body: {} });
  await record.call(service("Delete"), { path: id });
}

async function accounts(record: Recorder, group: string): Promise<void> {
  const service = (method: string) => `V1_GroupAccountAssociations_${method}`;
  const body = { name: "production", amazon: { account: "123456789012" } };
  await record.call(service("Create"), { path: group, body });
  await record.call(service("List"), { query: { group } });
  await record.call(service("Update"), {
    path: group,
    body: { ...body, description: "Production accounts" },
  });
  await record.call(service("Check"), { path: group, body: { accountType: "AZURE" } });
  await record.call(service("Delete"), { path: group });
}
