import { AccessService } from "@wharf/contract";
import { roleNamed } from "../support/world/world.ts";
import { type ErrorText, failed, invalid, plain } from "./table.ts";

const NOWHERE = "0".repeat(40);
const OIDC = { issuer: "https://login.example.com", clientId: "client", pkceEnabled: true };
const VIEWER = roleNamed("viewer");

const roles =
  (role: object): ErrorText[1] =>
  ({ api, org }) =>
    api.roles.create(org, role);
const bindings =
  (binding: object): ErrorText[1] =>
  ({ api, org }) =>
    api.roleBindings.create(org, binding);
const invites =
  (more: object): ErrorText[1] =>
  ({ api, org }) =>
    api.groupInvites.create(org, { roleUid: VIEWER, ttl: "3600s", ...more });

/** Errors of roles, role bindings, invites and questions about access. */
export const ACCESS: readonly ErrorText[] = [
  [
    "access is checked for an unknown capability",
    ({ api, org }) => api.call(AccessService, "CheckAccess", { resource: org, capability: 9_999 }),
    invalid({ capability: "capability must be one of the known capabilities" }),
  ],
  [
    "access is checked with an unknown view",
    ({ api, org }) =>
      api.call(AccessService, "CheckAccess", {
        ...{ resource: org, capability: "CAP_REPO_LIST", view: 7 },
      }),
    invalid({ view: "view must be DECISION, or absent" }),
  ],
  [
    "access is listed for nothing",
    ({ api }) => api.call(AccessService, "ListAccess", {}),
    invalid({ resource: "resource is required unless there is an identity" }),
  ],
  [
    "a role has no capabilities",
    roles({ name: "x" }),
    invalid({ capabilities: "capabilities must have at least 1 entries" }),
  ],
  [
    "a capability is unknown",
    roles({ name: "x", capabilities: [9_999] }),
    invalid({ capabilities: "capabilities must be known: 9999" }),
  ],
  [
    "internal capabilities are not declared",
    roles({ name: "x", capabilities: ["CAP_REPO_INTERNAL_ADMIN"] }),
    invalid({ capabilities: "capabilities must include internal, because of repo.internal.admin" }),
  ],
  [
    "a built-in role is updated",
    ({ api }) => api.roles.update(VIEWER, { name: "x" }),
    failed("BUILT_IN_ROLE", "built-in roles cannot be changed or deleted"),
  ],
  [
    "a built-in role is deleted",
    ({ api }) => api.roles.delete(VIEWER),
    failed("BUILT_IN_ROLE", "built-in roles cannot be changed or deleted"),
  ],
  [
    "a role is bound",
    async ({ api, world, org }) => {
      const { uid } = await world.member();
      const roleUid = await world.role(org, ["groups.list"]);
      await api.roleBindings.create(org, { identityUid: uid, roleUid });
      await api.roles.delete(roleUid);
    },
    failed("RESOURCE_IN_USE", "cannot delete role that role bindings use"),
  ],
  [
    "a role is the default of an identity provider",
    async ({ api, world, org }) => {
      const defaultRole = await world.role(org, ["groups.list"]);
      await api.identityProviders.create(org, { name: "x", defaultRole, oidc: OIDC });
      await api.roles.delete(defaultRole);
    },
    failed("RESOURCE_IN_USE", "cannot delete role that identity providers use"),
  ],
  [
    "a binding has neither identity nor role",
    bindings({}),
    invalid({ identityUid: "identityUid is required", roleUid: "roleUid is required" }),
  ],
  [
    "identity and role of a binding are not uids",
    bindings({ identityUid: "x", roleUid: "y" }),
    invalid({
      identityUid: "identityUid must be a UID: 40 hexadecimal characters, or a path of IDs",
      roleUid: "roleUid must be a UID: 40 hexadecimal characters, or a path of IDs",
    }),
  ],
  [
    "the role of a binding does not exist",
    async (ground) => {
      const { uid } = await ground.world.member();
      await bindings({ identityUid: uid, roleUid: NOWHERE })(ground);
    },
    plain("NOT_FOUND", 'Role "{uid}" does not exist'),
  ],
  [
    "the last owner of an organization leaves",
    async ({ api, world }) => {
      const org = await world.organization("acme");
      const { uid, token } = await world.member();
      await api.as(token).roleBindings.delete(await world.bind(org, uid, "owner"));
    },
    failed(
      "LAST_OWNER",
      '"acme" would have no owner left: grant the role owner there to another identity first',
    ),
  ],
  [
    "a batch is empty",
    ({ api, org }) => api.roleBindings.batchCreateRoleBindings({ parent: org, requests: [] }),
    invalid({ requests: "requests is required" }),
  ],
  [
    "a batch is too large",
    ({ api, org }) => {
      const requests = Array(26).fill({ roleBinding: { identityUid: NOWHERE, roleUid: VIEWER } });
      return api.roleBindings.batchCreateRoleBindings({ parent: org, requests });
    },
    invalid({ requests: "requests must have at most 25 entries" }),
  ],
  ["an invite has no role", invites({ roleUid: "" }), invalid({ roleUid: "roleUid is required" })],
  [
    "an invite has no lifetime",
    ({ api, org }) => api.groupInvites.create(org, { roleUid: VIEWER }),
    invalid({ ttl: "ttl is required" }),
  ],
  [
    "the lifetime of an invite is too short",
    invites({ ttl: "0.5s" }),
    invalid({ ttl: "ttl must be at least a second and at most 365 days" }),
  ],
  [
    "the address of an invite is invalid",
    invites({ email: "nobody" }),
    invalid({ email: "email must be an e-mail address" }),
  ],
];
