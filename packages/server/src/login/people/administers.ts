import { Capability } from "@wharf/contract";
import type { Caller } from "../../auth/caller.ts";
import type { Reader } from "../../store/db/connection.ts";
import { boundRoles } from "../../store/tables/access/identity-bindings.ts";

const DELETE = [Capability.CAP_IAM_ROLE_BINDINGS_DELETE];

/**
 * Whether a caller could take away every role of a person, who has one at least. Such a caller may end the sessions that
 * the person began without an identity provider: nobody else has a say in them but the operator.
 */
export async function administers(
  reader: Reader,
  { uid, grants, boundary }: Caller,
  person: string,
): Promise<boolean> {
  // A down-scoped token sees no sessions of others; which of their own people see follows from how they signed in.
  if (boundary !== undefined || person === uid) return false;
  let hasAny = false;
  for await (const bound of boundRoles(reader, person)) {
    if (!bound.every(([group]) => grants.holds(DELETE, group))) return false;
    hasAny ||= bound.length > 0;
  }
  return hasAny;
}
