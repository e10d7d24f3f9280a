import { roleNamed } from "../support/world/world.ts";
import { type ErrorText, type Ground, invalid } from "./table.ts";

const VIEWER = roleNamed("viewer");
const OIDC = { issuer: "https://login.example.com", clientId: "client", pkceEnabled: true };

async function provider({ api, org }: Ground): Promise<string> {
  const given = { name: "x", defaultRole: VIEWER, oidc: OIDC };
  return (await api.identityProviders.create(org, given)).uid;
}
const send =
  (method: string, path: string, body?: unknown): ErrorText[1] =>
  ({ rest }) =>
    rest(method, path, body);
const below =
  (path: string, body: unknown, method = "POST"): ErrorText[1] =>
  ({ rest, org }) =>
    rest(method, `${path}/${org}`, body);

/** Errors of v1, which name its fields. */
export const V1: readonly ErrorText[] = [
  [
    "a v1 id is malformed",
    send("DELETE", "/iam/v1/groups/nonsense"),
    invalid({ id: "id must be a UID: 40 hexadecimal characters, or a path of IDs" }),
  ],
  [
    "a v1 kind is unknown",
    below("/iam/v1/groups", { name: "x", kind: 99 }, "PUT"),
    invalid({ kind: "kind must be one of the known kinds" }),
  ],
  [
    "a v1 lookup has no subject",
    send("GET", "/iam/v1/identities/lookup?issuer=https://a.b"),
    invalid({ subject: "subject is required" }),
  ],
  [
    "a v1 identity has no relationship",
    below("/iam/v1/identities", { name: "x" }),
    invalid({ claimMatch: "one of claimMatch, static, awsIdentity, servicePrincipal is required" }),
  ],
  [
    "v1 static keys are invalid",
    below("/iam/v1/identities", {
      name: "x",
      static: {
        issuer: "nowhere",
        subject: " ",
        issuerKeys: "{}",
        expiration: "2020-01-01T00:00:00Z",
      },
    }),
    invalid({
      "static.issuer":
        "issuer must be an issuer URL without query, fragment, user info or dot segments, such as https://issuer.example.com",
      "static.subject": "subject is required",
      "static.issuerKeys": "issuerKeys must hold at least one key",
      "static.expiration": "expiration must be in the future",
    }),
  ],
  [
    "a v1 provider has no default role",
    below("/iam/v1/identityProviders", { name: "x", oidc: OIDC }),
    invalid({ defaultRole: "defaultRole is required" }),
  ],
  [
    "a v1 invite has no role",
    below("/iam/v1/group_invites", { ttl: "3600s" }),
    invalid({ role: "role is required" }),
  ],
  [
    "a v1 invite has no lifetime",
    below("/iam/v1/group_invites", { role: VIEWER }),
    invalid({ ttl: "ttl is required" }),
  ],
  [
    "a v1 batch of bindings is not a list",
    below("/iam/v1/rolebindings/batch", { roleBindings: [] }),
    invalid({ "": "the body must be a list" }),
  ],
  [
    "a v1 batch of bindings is empty",
    below("/iam/v1/rolebindings/batch", []),
    invalid({ roleBindings: "roleBindings is required" }),
  ],
  [
    "a v1 batch has a number for a uid",
    below("/iam/v1/rolebindings/batch", [{}, { role: 5 }]),
    invalid({ "roleBindings[1].role": "roleBindings[1].role must be a string" }),
  ],
  [
    "a v1 batch has null",
    below("/iam/v1/rolebindings/batch", [null]),
    invalid({ "roleBindings[0]": "roleBindings[0] must not be null" }),
  ],
  [
    "a v1 binding is empty",
    below("/iam/v1/rolebindings/batch", [{}]),
    invalid({
      "roleBindings[0].identity": "identity is required",
      "roleBindings[0].role": "role is required",
    }),
  ],
  [
    "the role of a v1 mapping is malformed",
    async (ground) => {
      const mapping = { externalGroupId: "x", roleUidp: "nonsense" };
      await ground.rest(
        "POST",
        `/iam/v1/externalGroupRoleMappings/${await provider(ground)}`,
        mapping,
      );
    },
    invalid({ roleUidp: "roleUidp must be a UID: 40 hexadecimal characters, or a path of IDs" }),
  ],
  [
    "a v1 batch has a mapping of another provider",
    async (ground) => {
      const given = { externalGroupId: "x", roleUid: VIEWER };
      const other = await ground.api.externalGroupRoleMappings.create(
        await provider(ground),
        given,
      );
      const request = { parentId: await provider(ground), ids: [other.uid] };
      await ground.rest("POST", "/iam/v1/externalGroupRoleMappings:batchDelete", request);
    },
    invalid({ "ids[0]": "ids must be uids of mappings of the parent" }),
  ],
  [
    "a v1 check of an account names no provider",
    async ({ api, world, org, rest }) => {
      const group = await world.group(org);
      await api.accountAssociations.create(group, { name: "x" });
      await rest("POST", `/iam/v1/account_associations/${group}:check`, {});
    },
    invalid({ accountType: "accountType is required" }),
  ],
];
