/** Names of groups. Apart from those of roles, whose list takes time to load: most lists show groups. */
import { ancestorsOf } from "@wharf/contract";
import type { Context } from "../context.ts";

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

/** UIDs without duplicates, in batches for one request each. */
export function* batchesOf(uids: Iterable<string>): Generator<string[]> {
  const unique = [...new Set(uids)].filter(Boolean);
  for (let start = 0; start < unique.length; start += BATCH_SIZE) {
    yield unique.slice(start, start + BATCH_SIZE);
  }
}
