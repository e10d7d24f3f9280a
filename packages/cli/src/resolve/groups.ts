import type { Group } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { FOLDER, GROUP, type Kind, ORGANIZATION } from "./kinds.ts";
import { MAX_CANDIDATES, onlyMatch } from "./names.ts";

/** Resolves a UID, a name or a path of names to a group. */
export async function resolveGroup(
  context: Context,
  text: string,
  kind: Kind<Group> = GROUP,
): Promise<Group> {
  const { groups } = await context.client();
  const { signal } = context;
  if (isUid(text)) return requireKind(await groups.get({ uid: text }, { signal }), kind);
  const [first, ...below] = text.split("/") as [string, ...string[]];
  // A path starts at an organization.
  const start = below.length > 0 ? ORGANIZATION : kind;
  let group = await findGroup(
    context,
    first,
    start,
    start === ORGANIZATION ? { inRoot: true } : {},
  );
  for (const name of below) {
    group = await findGroup(context, name, FOLDER, { childrenOf: group.uid });
  }
  return requireKind(group, kind);
}

/**
 * Resolves a group to create or read resources in. A UID is not looked up, since that takes a
 * permission of its own (groups.list), which the caller may lack.
 */
export async function resolveParent(
  context: Context,
  text: string,
): Promise<Pick<Group, "uid" | "name">> {
  return isUid(text) ? { uid: text, name: text } : resolveGroup(context, text);
}

/** The scope of a list: everything visible to the caller without a group. */
export async function resolveScope(
  context: Context,
  { parent, recursive }: { parent: string | undefined; recursive: boolean },
): Promise<{ descendantsOf?: string; childrenOf?: string }> {
  if (parent === undefined) return {};
  const { uid } = await resolveGroup(context, parent);
  return recursive ? { descendantsOf: uid } : { childrenOf: uid };
}

async function findGroup(
  context: Context,
  name: string,
  kind: Kind<Group>,
  uidp: { inRoot?: true; childrenOf?: string },
): Promise<Group> {
  const { groups } = await context.client();
  const request = { name, uidp, pageSize: MAX_CANDIDATES };
  const found = (await groups.list(request, { signal: context.signal })).groups;
  const matching = found.filter(kind.includes ?? (() => true));
  return onlyMatch(context, kind, name, matching, { searched: { uidp } });
}

function requireKind(group: Group, kind: Kind<Group>): Group {
  if (kind.includes?.(group) ?? true) return group;
  throw kind === FOLDER
    ? usageError(`${group.name} is an organization`, "use `wharf iam organizations`")
    : usageError(`${group.name} is a folder`, "use `wharf iam folders`");
}
