import type { Role } from "@wharf/client";
import { ancestorsOf, type BuiltinRole, builtinRoleByUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { harmless } from "../terminal/width.ts";
import type { HasUid, Kind } from "./kinds.ts";

/** UIDs per request: longer URLs exceed the limits of some proxies. */
const BATCH_SIZE = 40;

/** Names of the groups that the caller can see, by UID. */
export async function groupNames(
  { client, signal }: Context,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const { groups } = await client();
  const names = new Map<string, string>();
  for (const ids of batchesOf(uids)) {
    for await (const { uid, name } of groups.listAll({ uidp: { ids } }, { signal })) {
      names.set(uid, name);
    }
  }
  return names;
}

/** The path of the group that contains each UID, such as `acme/platform/`. */
export async function groupPaths(
  context: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = await groupNames(context, uids.flatMap(ancestorsOf));
  const pathOf = (uid: string) =>
    ancestorsOf(uid)
      .reverse()
      .map((ancestor) => `${names.get(ancestor) ?? "…"}/`)
      .join("");
  return new Map(uids.map((uid) => [uid, pathOf(uid)]));
}

export type RoleSummary = Pick<Role, "uid" | "name"> & Pick<BuiltinRole, "capabilities">;

/** Roles by UID: built-in ones, which every server has, and others that the caller can see. */
export async function rolesByUid(
  { client, signal }: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, RoleSummary>> {
  const { roles } = await client();
  const found = new Map<string, RoleSummary>();
  for (const uid of uids) {
    const role = builtinRoleByUid(uid);
    if (role !== undefined) found.set(uid, role);
  }
  for (const ids of batchesOf(uids.filter((uid) => !found.has(uid)))) {
    for await (const role of roles.listAll({ uidp: { ids } }, { signal })) {
      found.set(role.uid, role);
    }
  }
  return found;
}

function* batchesOf(uids: Iterable<string>): Generator<string[]> {
  const unique = [...new Set(uids)].filter(Boolean);
  for (let start = 0; start < unique.length; start += BATCH_SIZE) {
    yield unique.slice(start, start + BATCH_SIZE);
  }
}

/** Matches that are read and shown for an ambiguous name. */
export const MAX_CANDIDATES = 10;

/** The only match of a name. None and several are errors; the latter lists the candidates. */
export async function onlyMatch<T extends HasUid>(
  context: Context,
  { one, many, listCommand, label }: Kind<T>,
  text: string,
  found: readonly T[],
  [isNamed, areNamed] = ["is named", "are named"],
): Promise<T> {
  const [first, second] = found;
  if (first === undefined) {
    throw notFound(`no ${one} ${isNamed} "${text}"`, `\`${listCommand}\` lists all ${many}`);
  }
  if (second === undefined) return first;
  const paths = await groupPaths(
    context,
    found.map(({ uid }) => uid),
  );
  const candidates = found.map((item) => {
    const { description = "" } = item as { description?: string };
    return [item.uid, `${paths.get(item.uid)}${label(item)}`, harmless(description)].filter(
      Boolean,
    );
  });
  throw usageError(
    `${found.length}${found.length === MAX_CANDIDATES ? " or more" : ""} ${many} ${areNamed} "${text}"`,
    ["give the UID or the path of one:", ...candidates.map((parts) => parts.join("  "))].join(
      "\n    ",
    ),
  );
}
