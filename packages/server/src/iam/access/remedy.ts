import { create } from "@bufbuild/protobuf";
import {
  type AccessRemedy,
  AccessRemedySchema,
  ancestorsOf,
  BUILTIN_ROLES,
  Capability,
  isInternalOnly,
} from "@wharf/contract";
import type { Caller } from "../../auth/caller.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { Reader } from "../../store/db/connection.ts";
import { identitiesBoundAt } from "../../store/tables/access/access-grants.ts";
import { shownIdentity } from "../role-bindings.ts";
import { roleMessage } from "./grant-messages.ts";
import { mayReadBindings, mayReadGroup, mayReadRolesOf } from "./visibility.ts";

const MAX_ROLES = 10;
const MAX_GRANTORS = 10;

/** A role that may be part of a remedy. */
interface Candidate {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly Capability[];
}

/** The remedy for a missing capability at a resource: the group and the roles to bind there, and who can bind them. */
export async function remedyOf(
  catalog: Catalog,
  reader: Reader,
  caller: Caller,
  { resource, capability }: { readonly resource: string; readonly capability: Capability },
): Promise<AccessRemedy> {
  // No role grants these.
  if (isInternalOnly(capability)) return create(AccessRemedySchema);
  const path = [resource, ...ancestorsOf(resource)];
  const found = await catalog.groups.findMany(
    reader,
    path.filter((uid) => mayReadGroup(caller, uid)),
  );
  const names = path.flatMap((uid) => found.get(uid) ?? []);
  const own = await catalog.roles.whereIn(
    reader,
    "parent",
    path.filter((uid) => mayReadRolesOf(caller, uid)),
  );
  const usable: Candidate[] = [...BUILTIN_ROLES, ...own].filter(({ capabilities }) =>
    capabilities.includes(capability),
  );
  const roles = usable.sort(
    (a, b) => a.capabilities.length - b.capabilities.length || (a.name < b.name ? -1 : 1),
  );
  // Nobody grants what they lack.
  const granting = roles.filter(({ capabilities }) =>
    capabilities.includes(Capability.CAP_IAM_ROLE_BINDINGS_CREATE),
  );
  const grantors: string[] = [];
  for (const group of path.filter((uid) => mayReadBindings(caller, uid))) {
    const missing = MAX_GRANTORS - grantors.length;
    if (missing <= 0) break;
    const which = { group, roles: granting.map(({ uid }) => uid) };
    grantors.push(...(await identitiesBoundAt(reader, which, missing)));
  }
  const identities = await catalog.identities.findMany(reader, grantors);
  return create(AccessRemedySchema, {
    group: names[0]?.uid ?? "",
    groupPath: names
      .map(({ name }) => name)
      .reverse()
      .join("/"),
    roles: roles.slice(0, MAX_ROLES).map((role) => roleMessage(role.uid, role)),
    grantors: [...new Set(grantors)].flatMap((uid) => {
      const identity = identities.get(uid);
      return identity === undefined ? [] : [shownIdentity(identity)];
    }),
  });
}
