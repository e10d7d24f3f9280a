import { rootOf } from "@wharf/contract";
import type { Mutation } from "../engine/mutation.ts";
import { failedPrecondition } from "../lib/errors.ts";
import { countBindings } from "../store/tables/identity-bindings.ts";

/** Role bindings that one identity has in one organization at most. */
export const MAX_PER_ORGANIZATION = 10_000;

/** Role bindings of one identity, over all organizations, beyond which each has a fair share only. */
export const MAX_PER_IDENTITY = 20_000;

/** The role bindings of one identity that every organization may make, whatever others have made. */
export const FAIR_SHARE = 100;

/**
 * Rejects one more role binding of an identity in an organization that has its quota of them. Each
 * binding makes the identity's requests cost more, and any organization can bind any identity. So
 * what one organization can add is bounded, and so is the sum; but no organization can use up the
 * share of another. The operator is exempt.
 *
 * @example await checkBindingQuota(change, binding.identityUid, group);
 */
export async function checkBindingQuota(
  change: Mutation,
  identity: string,
  group: string,
): Promise<void> {
  if (change.caller.isOperator) return;
  const here = await checkOrganizationQuota(change, identity, group);
  if (here < FAIR_SHARE) return;
  const everywhere = await countBindings(change.tx, identity, { limit: MAX_PER_IDENTITY });
  if (everywhere < MAX_PER_IDENTITY) return;
  throw exceeded(
    identity,
    `identity ${JSON.stringify(identity)} has ${MAX_PER_IDENTITY} role bindings in all organizations and ${here} in this one: beyond that, an organization can have ${FAIR_SHARE} role bindings of it`,
  );
}

/**
 * The same for a role binding that the identity itself accepts, with an invite or by signing in: what
 * other organizations have made does not count. Returns how many there are in this one.
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
    `identity ${JSON.stringify(identity)} has ${here} role bindings in organization ${JSON.stringify(root)}, the most it can have there: delete some, or bind the role at a group above`,
  );
}

function exceeded(subject: string, description: string): Error {
  return failedPrecondition({ type: "RESOURCE_LIMIT_EXCEEDED", subject, description });
}
