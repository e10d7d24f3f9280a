import {
  Capability,
  CapabilitySet,
  capabilityBit,
  capabilityName,
  isInternalOnly,
  isOwnCapability,
  isRoot,
  parentOf,
  type Role,
  RoleSchema,
  RolesService,
} from "@wharf/contract";
import { resourcesOf } from "../engine/catalog.ts";
import { Resource } from "../engine/resource.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { failedPrecondition, invalidArgument } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import { ALL_IDENTITIES } from "../store/resources/table-shape.ts";
import { requireSignInToGrant } from "./granting.ts";

/** Roles: built-in ones, which have no parent, and custom roles of groups. */
export const roles: Resource<Role> = new Resource({
  service: RolesService,
  schema: RoleSchema,
  table: "roles",
  tree: { rootsAreShared: true },
  changesAccess: true,
  grantsOf: ALL_IDENTITIES,
  index: { filters: [{ field: "name", column: "name", type: "common" }] },
  hooks: {
    applyDefaults: keepOwnCapabilities,
    beforeCreate(mutation, created) {
      checkCapabilities(created);
      mutation.mustHold(CapabilitySet.of(...created.capabilities), parentOf(created.uid));
    },
    beforeUpdate(mutation, before, after) {
      rejectBuiltIn(before.uid);
      checkCapabilities(after);
      const added = CapabilitySet.of(...after.capabilities).minus(
        CapabilitySet.of(...before.capabilities),
      );
      mutation.mustHold(added, parentOf(after.uid));
      // Everybody with the role gets them.
      requireSignInToGrant(mutation, added.toArray());
    },
    async beforeDelete(mutation: Mutation, deleted: Role) {
      rejectBuiltIn(deleted.uid);
      const user = await firstReferrer(mutation, deleted.uid);
      if (user !== undefined) {
        const description = `cannot delete role that ${user} use`;
        throw failedPrecondition({ type: "RESOURCE_IN_USE", description });
      }
    },
  },
});

/**
 * Clients that call services by their public names do not see capabilities of our own, so what they send lacks them.
 * They cannot take them away.
 */
function keepOwnCapabilities(after: Role, before: Role | undefined, call: Call): void {
  if (!call.isPublicName || before === undefined) return;
  after.capabilities.push(...before.capabilities.filter(isOwnCapability));
}

/** The plural of the first resource that references a role; undefined if none does. */
async function firstReferrer({ deps, tx }: Mutation, role: string): Promise<string | undefined> {
  for (const { definition, table, plural } of resourcesOf(deps.catalog)) {
    for (const { column, referencesRole: isRole } of definition.index?.filters ?? []) {
      if (isRole && (await table.hasAny(tx, { column, value: role }))) return plural;
    }
  }
  return undefined;
}

function rejectBuiltIn(uid: string): void {
  if (!isRoot(uid)) return;
  const description = "built-in roles cannot be changed or deleted";
  throw failedPrecondition({ type: "BUILT_IN_ROLE", description });
}

/** Unknown capabilities are rejected. Internal ones require the capability `internal` in the same role. */
function checkCapabilities(role: Role): void {
  const unknown = role.capabilities.filter((one) => capabilityBit(one) === 0);
  if (unknown.length > 0) {
    throw invalidArgument({
      field: "capabilities",
      description: `capabilities must be known: ${unknown.join()}`,
    });
  }
  role.capabilities = [...new Set(role.capabilities)].sort((a, b) => a - b);
  const internal = role.capabilities.filter(isInternalOnly);
  if (internal.length > 0 && !role.capabilities.includes(Capability.CAP_INTERNAL)) {
    throw invalidArgument({
      field: "capabilities",
      description: `capabilities must include internal, because of ${internal.map(capabilityName).join(", ")}`,
    });
  }
}
