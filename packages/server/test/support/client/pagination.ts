/** Lists read to their end, and work in parallel. */
import type { Collection } from "./collections.ts";

/** A list read to its end, page by page. */
export interface Listing {
  // biome-ignore lint/suspicious/noExplicitAny: lists of every kind are walked.
  readonly items: any[];
  readonly pages: number;
  /** The total count, equal in every page. */
  readonly totals: readonly string[];
}

/**
 * Follows the page tokens of a list until there are none.
 *
 * @example const { items } = await walk(api.groups, "groups", { pageSize: 7 });
 */
export async function listAll(
  collection: Collection,
  key: string,
  request: object = {},
): Promise<Listing> {
  const items: unknown[] = [];
  const totals: string[] = [];
  let pageToken = "";
  do {
    const page = await collection.list({ ...request, ...(pageToken === "" ? {} : { pageToken }) });
    items.push(...page[key]);
    totals.push(page.totalCount);
    pageToken = page.nextPageToken;
    if (totals.length > 1_000) throw new Error("the list does not end");
  } while (pageToken !== "");
  return { items, pages: totals.length, totals };
}

/**
 * Runs work for every item, a few at a time.
 *
 * @example const uids = await inParallel(names, (name) => world.group(org, name));
 */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, at: number) => Promise<R>,
  width = 25,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at] as T, at);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** @example uidsOf(list.groups) */
export function uidsOf(items: readonly { uid: string }[]): string[] {
  return items.map((item) => item.uid);
}
