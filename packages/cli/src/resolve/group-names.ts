/** Names of groups and other resources by UID. Apart from those of roles, whose list takes time to load. */
import { ancestorsOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { problemOf } from "../problem.ts";
import { GROUP, type Kind, type Named } from "./kinds.ts";

/** UIDs per request: longer URLs exceed the limits of some proxies. */
const BATCH_SIZE = 40;

/** Names of the resources that the caller can see, by UID. None for a caller who may not list them. */
export async function namesOf<T extends Named>(
  { client, signal }: Context,
  { service }: Kind<T>,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const listed = service(await client());
  const names = new Map<string, string>();
  try {
    for (const ids of batchesOf(uids)) {
      for await (const { uid, name } of listed.listAll({ uidp: { ids } }, { signal })) {
        names.set(uid, name);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (problemOf(error).code !== "PERMISSION_DENIED") throw error;
  }
  return names;
}

/** Names of the groups that the caller can see, by UID. */
export function groupNames(
  context: Context,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  return namesOf(context, GROUP, uids);
}

/** The path of the group that contains each UID, such as `acme/platform/`. */
export async function groupPaths(
  context: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = await groupNames(context, uids.flatMap(ancestorsOf));
  return new Map(uids.map((uid) => [uid, ancestorPath(names, uid)]));
}

/** The names of the ancestors of a UID, from the root; `…` for those that the caller cannot see. */
export function ancestorPath(names: ReadonlyMap<string, string>, uid: string): string {
  return ancestorsOf(uid)
    .reverse()
    .map((ancestor) => `${names.get(ancestor) ?? "…"}/`)
    .join("");
}

/** UIDs without duplicates, in batches for one request each. */
export function* batchesOf(uids: Iterable<string>): Generator<string[]> {
  const unique = [...new Set(uids)].filter(Boolean);
  for (let start = 0; start < unique.length; start += BATCH_SIZE) {
    yield unique.slice(start, start + BATCH_SIZE);
  }
}
