/** Pages of lists, compared with what the model expects. */
import assert from "node:assert/strict";
import type { ApiClient } from "../client/api-client.ts";
import type { Item, Kind, ListFilter, SortKey } from "./access-model.ts";

export interface ListQuery {
  readonly kind: Kind;
  readonly filter: ListFilter;
  readonly key: SortKey;
  readonly descending: boolean;
}

export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly skip?: number;
}

export interface Page {
  readonly items: readonly Item[];
  readonly nextPageToken: string;
  readonly totalCount: number;
  readonly skipped: number;
}

/**
 * Reads one page.
 *
 * @example const page = await fetchPage(api, query, { pageSize: 10 });
 */
export async function fetchPage(
  api: ApiClient,
  { kind, filter, key, descending }: ListQuery,
  page: PageRequest,
): Promise<Page> {
  const { descendants_of, children_of, ancestors_of, in_root, ids, ...own } = filter;
  const uidp = {
    descendantsOf: descendants_of,
    childrenOf: children_of,
    ancestorsOf: ancestors_of,
    inRoot: in_root,
    ids,
  };
  const orderBy = `${key}${descending ? " desc" : ""}`;
  const body = await api[kind].list({ ...own, uidp, orderBy, ...page });
  return {
    items: body[kind],
    nextPageToken: body.nextPageToken,
    totalCount: Number(body.totalCount),
    skipped: body.skipped,
  };
}

/**
 * Follows the cursor to the end with pages of one size.
 *
 * @example const items = await fetchAll(api, query, 200);
 */
export async function fetchAll(
  api: ApiClient,
  query: ListQuery,
  pageSize: number,
): Promise<Item[]> {
  const items: Item[] = [];
  let pageToken = "";
  do {
    const page = await fetchPage(api, query, { pageSize, pageToken });
    items.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return items;
}

/** The paging method of a walk. */
export type Walk = "cursor" | "skip" | "both";

/**
 * Walks a list and checks every page against the list it must be a part of: items, total, skipped,
 * and whether there is more.
 *
 * @example await checkWalk(api, query, uids, "both", [3, 1, 5], [0, 2]);
 */
export async function checkWalk(
  api: ApiClient,
  query: ListQuery,
  uids: readonly string[],
  walk: Walk,
  sizes: readonly number[],
  skips: readonly number[],
): Promise<void> {
  let [at, skipped, pageToken] = [0, 0, ""];
  for (let step = 0; ; step++) {
    const pageSize = sizes[step % sizes.length] as number;
    const skip =
      walk === "skip" ? at : walk === "both" ? (skips[step % skips.length] as number) : 0;
    const page = await fetchPage(api, query, { pageSize, pageToken, skip });
    const start = walk === "skip" ? at : at + skip;
    skipped = walk === "skip" ? at : skipped + skip;
    const about = `${walk} page ${step} of ${JSON.stringify(query)}`;
    assert.deepEqual(
      page.items.map((item) => item.uid),
      uids.slice(start, start + pageSize),
      `items of ${about}`,
    );
    assert.equal(page.totalCount, uids.length, `total of ${about}`);
    assert.equal(page.skipped, skipped, `skipped of ${about}`);
    at = start + pageSize;
    assert.equal(page.nextPageToken !== "", at < uids.length, `token of ${about}`);
    if (at >= uids.length) return;
    pageToken = walk === "skip" ? "" : page.nextPageToken;
  }
}
