import { ancestorsOf } from "@wharf/contract";
import type { Context } from "../context.ts";

/** Uids in one request; more make addresses too long for some proxies. */
const AT_ONCE = 40;

/** The names of groups, as far as the caller may see them. */
export async function groupNames(
  { client, signal }: Context,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const { groups } = await client();
  const wanted = [...new Set(uids)].filter(Boolean);
  const names = new Map<string, string>();
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const ids = wanted.slice(at, at + AT_ONCE);
    for await (const { uid, name } of groups.listAll({ uidp: { ids } }, { signal })) {
      names.set(uid, name);
    }
  }
  return names;
}

/** The names on the way to each uid, with a slash after each: `acme/platform/`. */
export async function placesOf(
  context: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = await groupNames(context, uids.flatMap(ancestorsOf));
  const placeOf = (uid: string) =>
    ancestorsOf(uid)
      .reverse()
      .map((above) => `${names.get(above) ?? "…"}/`)
      .join("");
  return new Map(uids.map((uid) => [uid, placeOf(uid)]));
}
