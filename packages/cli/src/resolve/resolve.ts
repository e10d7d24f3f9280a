import { isRoot, isSelfOrBelow, isUid, parentOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { CommandError, EXIT, notFound, usageError } from "../errors.ts";
import { resolveGroup } from "./groups.ts";
import { type Filter, type HasUid, IDENTITY, type Kind, type Named, ROLE } from "./kinds.ts";
import { MAX_CANDIDATES, onlyMatch } from "./names.ts";
import type { Searched } from "./suggestions.ts";

/** Excludes resources that have the name but cannot be used. */
type Usable<T> = (item: T) => boolean;

/** Resolves a UID, a name or a path such as `acme/ci` to a resource. */
export async function resolve<T extends HasUid>(
  context: Context,
  kind: Kind<T>,
  text: string,
  usable: Usable<T> = () => true,
): Promise<T> {
  const { signal } = context;
  if (isUid(text)) return kind.service(await context.client()).get({ uid: text }, { signal });
  const found = await findByPath(context, kind, text, usable);
  const searched = found.length === 0 ? await searchedGroup(context, kind, text) : undefined;
  return onlyMatch(context, kind, text, found, { searched });
}

/** As `resolve`, but without looking up a UID: the identity may not have signed in yet. */
export async function resolveUid<T extends HasUid>(
  context: Context,
  kind: Kind<T>,
  text: string,
  usable?: Usable<T>,
): Promise<string> {
  return isUid(text) ? text : (await resolve(context, kind, text, usable)).uid;
}

/** Rejects anything but a UID, for kinds without names. */
export function requireUid(source: string, text: string): void {
  if (isUid(text)) return;
  throw usageError(
    `${source}: expected a UID, got "${text}"`,
    "lists show UIDs with -o wide; -o id prints only UIDs",
  );
}

/** Resolves a role that can be bound in a group: built in, or defined there or above. */
export function resolveRole(context: Context, text: string, group: string): Promise<string> {
  return resolveUid(
    context,
    ROLE,
    text,
    ({ uid }) => isRoot(uid) || isSelfOrBelow(group, parentOf(uid)),
  );
}

/**
 * Resolves an identity by UID, name or email address. People belong to no group, so an address is
 * looked up in the role bindings that the caller can see.
 */
export async function resolveIdentity(
  context: Context,
  text: string,
): Promise<Pick<Named, "uid" | "name">> {
  if (isUid(text)) return { uid: text, name: text };
  if (!text.includes("@")) return resolve(context, IDENTITY, text);
  const names = new Map<string, string>();
  const { roleBindings } = await context.client();
  for await (const { identity } of roleBindings.listAll({}, { signal: context.signal })) {
    if (identity?.email.toLowerCase() === text.toLowerCase())
      names.set(identity.uid, identity.name);
  }
  const [first, second] = names;
  if (first === undefined) {
    throw notFound(
      `no visible role binding has an identity with the email address ${text}`,
      "`wharf iam role-bindings list` lists role bindings",
    );
  }
  if (second === undefined) return { uid: first[0], name: first[1] };
  throw usageError(
    `${names.size} identities have the email address ${text}`,
    ["give the UID of one:", ...names.keys()].join("\n    "),
  );
}

async function findByPath<T extends HasUid>(
  context: Context,
  kind: Kind<T>,
  text: string,
  usable: Usable<T>,
): Promise<T[]> {
  const isWholeName = kind.hasSlashes || !text.includes("/");
  const found = isWholeName ? await findByName(context, kind, { name: text }, usable) : [];
  if (found.length > 0) return found;
  for (const slash of splitsOf(text, kind.hasSlashes === true)) {
    const group = await groupOrUndefined(context, text.slice(0, slash));
    if (group === undefined) continue;
    const filter = { name: text.slice(slash + 1), uidp: { childrenOf: group.uid } };
    const inGroup = await findByName(context, kind, filter, usable);
    if (inGroup.length > 0) return inGroup;
  }
  return [];
}

/** The group that a path begins with, in which a name was not found; the error of one that does not exist. */
async function searchedGroup<T extends HasUid>(
  context: Context,
  { hasSlashes = false }: Kind<T>,
  text: string,
): Promise<Searched | undefined> {
  const [slash] = splitsOf(text, hasSlashes);
  if (slash === undefined) return undefined;
  const prefix = text.slice(0, slash);
  // The first part of a name with slashes need not be a group.
  const find = hasSlashes ? groupOrUndefined : resolveGroup;
  const group = await find(context, prefix);
  return group && { uidp: { childrenOf: group.uid }, path: `${prefix}/` };
}

/** The possible ends of the group's path: at the last slash, or at any slash if names have slashes. */
function splitsOf(text: string, hasSlashes: boolean): number[] {
  const slashes = [...text.matchAll(/\//g)].map(({ index }) => index).reverse();
  return hasSlashes ? slashes : slashes.slice(0, 1);
}

async function groupOrUndefined(context: Context, text: string) {
  try {
    return await resolveGroup(context, text);
  } catch (error) {
    if (error instanceof CommandError && error.problem.exitCode === EXIT.notFound) return undefined;
    throw error;
  }
}

async function findByName<T extends HasUid>(
  { client, signal }: Context,
  kind: Kind<T>,
  filter: Filter,
  usable: Usable<T>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const item of kind.service(await client()).listAll(filter, { signal })) {
    if (usable(item) && found.push(item) >= MAX_CANDIDATES) break;
  }
  return found;
}
