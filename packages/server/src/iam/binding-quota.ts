import { rootOf } from "@wharf/contract";
import type { Mutation } from "../engine/write/mutation.ts";
import { failedPrecondition } from "../lib/errors.ts";
import { countBindings } from "../store/tables/access/identity-bindings.ts";

/** Role bindings of one identity in one organization. */
export const MAX_PER_ORGANIZATION = 10_000;

/** Role bindings of one identity in all organizations, beyond which each has its fair share only. */
export const MAX_PER_IDENTITY = 20_000;

/** Role bindings of one identity that every organization may create, regardless of the others. */
export const FAIR_SHARE = 100;

/**
 * Enforces the quota of role bindings of an identity. Each binding makes the identity's requests cost
 * more, and any organization can bind any identity. So bindings are bounded per organization and in
 * total, but no organization can use up the share of another. The operator is exempt.
 */
export async function checkBindingQuota(
  mutation: Mutation,
  identity: string,
  group: string,
): Promise<void> {
  if (mutation.caller.isOperator) return;
  const here = await checkOrganizationQuota(mutation, identity, group);
  if (here < FAIR_SHARE) return;
  const everywhere = await countBindings(mutation.tx, identity, { limit: MAX_PER_IDENTITY });
  if (everywhere < MAX_PER_IDENTITY) return;
  throw exceeded(
    identity,
    `identity ${JSON.stringify(identity)} has ${MAX_PER_IDENTITY} role bindings in all organizations and ${here} in this one: beyond that, an organization can have ${FAIR_SHARE} role bindings of it`,
  );
}

/**
 * The same for a role binding that the identity itself accepts, with an invite or by signing in: the
 * bindings in other organizations do not count. Returns the number of bindings in this one.
 */
export async function checkOrganizationQuota(
  { tx }: Mutation,
  identity: string,
  group: string,
): Promise<number> {
  const root = rootOf(group);
  const here = await countBindings(tx, identity, { root, limit: MAX_PER_ORGANIZATION });
  if (here < MAX_PER_ORGANIZATION) return here;
  throw exceeded(
    identity,
    `identity ${JSON.stringify(identity)} has ${here} role bindings in organization ${JSON.stringify(root)}, the maximum there: delete some, or bind the role at a group above`,
  );
}

function exceeded(subject: string, description: string): Error {
  return failedPrecondition({ type: "RESOURCE_LIMIT_EXCEEDED", subject, description });
}
