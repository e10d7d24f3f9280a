import assert from "node:assert/strict";
import { before, describe } from "node:test";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { accessOf, capabilityName } from "@wharf/contract";
import {
  accountAssociationsV1,
  externalGroupRoleMappingsV1,
  groupInvitesV1,
  identityProvidersV1,
} from "@wharf/contract/v1";
import { rejected } from "./support/client/api-error.ts";
import { rawResults } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const { GroupInvites } = groupInvitesV1;
const { IdentityProviders } = identityProvidersV1;
const { GroupAccountAssociations } = accountAssociationsV1;
const { ExternalGroupRoleMappings } = externalGroupRoleMappingsV1;

const SERVICES = [
  GroupInvites,
  IdentityProviders,
  GroupAccountAssociations,
  ExternalGroupRoleMappings,
];

function capabilitiesOf(method: DescMethod): string[] {
  const rule = accessOf(method);
  assert.ok(rule?.kind === "scoped" || rule?.kind === "unscoped", `${method}`);
  return rule.capabilities.map(capabilityName);
}

/** All capabilities that these methods require. */
const ALL = [...new Set(SERVICES.flatMap(({ methods }) => methods.flatMap(capabilitiesOf)))];

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
const IDP = { name: "idp", defaultRole: roleNamed("viewer"), oidc: OIDC };

onEachStore("capabilities required by v1", (world) => {
  let org: string;
  const requests = new Map<DescService, Readonly<Record<string, Record<string, unknown>>>>();

  before(async () => {
    const api = world.operator();
    org = await world.organization();
    const role = roleNamed("viewer");
    const invite = await api.groupInvites.create(org, { roleUid: role, ttl: "60s" });
    const provider = (await api.identityProviders.create(org, IDP)).uid as string;
    const mapped = { externalGroupId: "g", roleUid: role };
    const mapping = (await api.externalGroupRoleMappings.create(provider, mapped)).uid as string;
    await api.accountAssociations.create(org, { name: "x" });
    const ofProvider = { identityProviderId: provider };
    requests.set(GroupInvites, {
      Create: { group: org, role, ttl: "60s" },
      CreateWithGroup: { group: "founded", role, ttl: "60s" },
      List: {},
      Delete: { id: invite.uid },
    });
    requests.set(IdentityProviders, {
      Create: { parentId: org, identityProvider: IDP },
      Update: { id: provider, ...IDP, name: "other" },
      List: {},
      Delete: { id: provider },
      GenerateScimToken: ofProvider,
      RegenerateScimToken: { ...ofProvider, etag: "v0" },
      RevokeScimToken: ofProvider,
      SetScimEnabled: { ...ofProvider, etag: "v0" },
    });
    requests.set(GroupAccountAssociations, {
      Create: { group: org, name: "y" },
      Update: { group: org, name: "y" },
      List: {},
      Delete: { group: org },
      Check: { group: org, accountType: "AMAZON" },
    });
    requests.set(ExternalGroupRoleMappings, {
      Create: { parentId: provider, mapping: { externalGroupId: "h", roleUidp: role } },
      Get: { uid: mapping },
      List: {},
      Delete: { id: mapping },
      BatchDelete: { parentId: provider, ids: [mapping] },
    });
  });

  /** The tables that the methods here could change. */
  const state = async () => {
    const tables = [
      ...["group_invites", "identity_providers", "account_associations", "scim_credentials"],
      ...["external_group_role_mappings", "groups", "events"],
    ];
    const statements = tables.map((table) => `SELECT * FROM ${table}`);
    return JSON.stringify(await rawResults(world.server, statements));
  };

  for (const service of SERVICES) {
    describe(service.name, () => {
      for (const method of service.methods) {
        const names = capabilitiesOf(method);

        for (const missing of names) {
          world.rule(`${method.name} requires ${missing}`, async (api) => {
            const request = requests.get(service)?.[method.name];
            assert.ok(request, `${method} has no request here`);
            const others = ALL.filter((name) => name !== missing);
            const { token } = await world.member({ [org]: others });
            const before = await state();
            const call = api.as(token).call(service, method.name, request);
            if (method.name === "List") assert.deepEqual(await call, { items: [] });
            else {
              const { code, needs } = await rejected(call);
              assert.equal(code, 7);
              const where = accessOf(method)?.kind === "scoped" ? ` at ${org}` : " anywhere";
              assert.ok(needs.startsWith(`${names.join(", ")}${where}`), needs);
            }
            const unknown = await rejected(api.as("").call(service, method.name, request));
            assert.equal(unknown.code, 16);
            assert.equal(await state(), before, "nothing changed");
          });
        }
      }
    });
  }
});
