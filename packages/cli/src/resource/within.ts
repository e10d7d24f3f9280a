import type { Context } from "../context.ts";
import { resolveGroup } from "../resolve/groups.ts";

/** The part of the tree that a list is asked for; everything when no group is named. */
export async function within(
  context: Context,
  { parent, recursive }: { parent: string | undefined; recursive: boolean },
): Promise<{ descendantsOf?: string; childrenOf?: string }> {
  if (parent === undefined) return {};
  const { uid } = await resolveGroup(context, parent);
  return recursive ? { descendantsOf: uid } : { childrenOf: uid };
}
