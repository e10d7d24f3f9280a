import { ancestorsOf } from "@wharf/contract";
import type { Catalog } from "../engine/catalog.ts";
import type { Reader } from "../store/db/connection.ts";

/** The names of a group or repo and of the groups above it, from the top. */
export async function namesTo(catalog: Catalog, reader: Reader, uid: string): Promise<string[]> {
  const uids = [...ancestorsOf(uid), uid].sort((one, other) => one.length - other.length);
  const [groups, repo] = await Promise.all([
    catalog.groups.findMany(reader, uids),
    catalog.repos.find(reader, uid),
  ]);
  return uids.map((one) => groups.get(one)?.name ?? (one === uid ? repo?.name : undefined) ?? one);
}
