import { isRoot, isSelfOrBelow, parentOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { ROLE } from "./kinds.ts";
import { resolveUid } from "./resolve.ts";

/** The role that someone means for a place: built in, or made there or above. */
export function resolveRole(context: Context, text: string, place: string): Promise<string> {
  return resolveUid(
    context,
    ROLE,
    text,
    ({ uid }) => isRoot(uid) || isSelfOrBelow(place, parentOf(uid)),
  );
}

/** The same for several, in their order. */
export function resolveRoles(
  context: Context,
  texts: readonly string[],
  place: string,
): Promise<string[]> {
  return Promise.all([...new Set(texts)].map((text) => resolveRole(context, text, place)));
}
