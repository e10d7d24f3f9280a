import { didYouMean } from "../command/suggest.ts";
import type { Context } from "../context.ts";
import { harmless } from "../terminal/width.ts";
import type { Filter, HasUid, Kind, Named } from "./kinds.ts";

/** One page: a suggestion is not worth more. */
const PAGE_SIZE = 200;

/** The scope of a search by name. */
export interface Searched {
  readonly uidp?: Filter["uidp"];
  /** The path of the group, such as `acme/`. */
  readonly path?: string;
}

/** The closest names among the first that the caller may list; undefined if there are none. */
export async function suggestedNames<T extends HasUid>(
  { client, signal }: Context,
  { isNamed, filter = {}, includes = () => true, service }: Kind<T>,
  name: string,
  { uidp, path = "" }: Searched = {},
): Promise<string | undefined> {
  if (!isNamed) return undefined;
  const request = { ...filter, ...(uidp === undefined ? {} : { uidp }), pageSize: PAGE_SIZE };
  try {
    const page = await service(await client()).list(request, { signal });
    const items = Object.values(page).find((value) => Array.isArray(value)) as T[] | undefined;
    const names = (items ?? []).filter(includes).map((item) => (item as HasUid as Named).name);
    return didYouMean(name, names, (found) => harmless(`${path}${found}`));
  } catch {
    // The name was not found: that is the error to report.
    signal.throwIfAborted();
    return undefined;
  }
}
