import assert from "node:assert/strict";
import { grpcCall } from "../client/grpc.ts";
import { Rest } from "../client/http.ts";
import type { Item, Kind, ListFilter, SortKey } from "./access-model.ts";

/** Who asks, and over which protocol. */
export interface Asker {
  readonly url: string;
  readonly token: string;
  readonly via: "rest" | "grpc";
}

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

const UIDP = ["descendants_of", "children_of", "ancestors_of", "in_root", "ids"] as const;

const SERVICES: Readonly<Record<Kind, readonly [service: string, method: string]>> = {
  groups: ["GroupsService", "ListGroups"],
  identities: ["IdentitiesService", "ListIdentities"],
  roles: ["RolesService", "ListRoles"],
  roleBindings: ["RoleBindingsService", "ListRoleBindings"],
  accountAssociations: ["AccountAssociationsService", "ListAccountAssociations"],
};

/**
 * Reads one page; over gRPC only the uids of its items are of use.
 *
 * @example const page = await fetchPage(asker, query, { pageSize: 10 });
 */
export async function fetchPage(asker: Asker, query: ListQuery, page: PageRequest): Promise<Page> {
  const body =
    asker.via === "rest" ? await overRest(asker, query, page) : await overGrpc(asker, query, page);
  return {
    items: body[query.kind],
    nextPageToken: body.nextPageToken,
    totalCount: Number(body.totalCount),
    skipped: body.skipped,
  };
}

async function overRest({ url, token }: Asker, query: ListQuery, page: PageRequest) {
  const path = `/iam/v2beta1/${query.kind}?${queryString(query, page)}`;
  const { status, body } = await new Rest(url, token).get(path);
  assert.equal(status, 200, `GET ${path}: ${JSON.stringify(body)}`);
  return body;
}

function queryString({ filter, key, descending }: ListQuery, page: PageRequest): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    const full = (UIDP as readonly string[]).includes(name) ? `uidp.${name}` : name;
    for (const one of Array.isArray(value) ? value : [value]) params.append(full, String(one));
  }
  params.set("order_by", `${key}${descending ? " desc" : ""}`);
  params.set("page_size", String(page.pageSize));
  if (page.pageToken) params.set("page_token", page.pageToken);
  if (page.skip) params.set("skip", String(page.skip));
  return params.toString();
}

function overGrpc(
  { url, token }: Asker,
  { kind, filter, key, descending }: ListQuery,
  page: PageRequest,
) {
  const { descendants_of, children_of, ancestors_of, in_root, ids, ...own } = filter;
  const [service, method] = SERVICES[kind];
  return grpcCall(url, token, service, method, {
    ...own,
    uidp: {
      descendantsOf: descendants_of,
      childrenOf: children_of,
      ancestorsOf: ancestors_of,
      inRoot: in_root,
      ids,
    },
    orderBy: `${key}${descending ? " desc" : ""}`,
    ...page,
  });
}

/**
 * Follows the cursor to the end with pages of one size.
 *
 * @example const items = await fetchAll(asker, query, 200);
 */
export async function fetchAll(asker: Asker, query: ListQuery, pageSize: number): Promise<Item[]> {
  const items: Item[] = [];
  let pageToken = "";
  do {
    const page = await fetchPage(asker, query, { pageSize, pageToken });
    items.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return items;
}

/** How a walk goes on from page to page. */
export type Walk = "cursor" | "skip" | "both";

/**
 * Walks a list and checks every page against the list it must be a part of: items, total, skipped,
 * and whether there is more.
 *
 * @example await checkWalk(asker, query, uids, "both", [3, 1, 5], [0, 2]);
 */
export async function checkWalk(
  asker: Asker,
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
    const page = await fetchPage(asker, query, { pageSize, pageToken, skip });
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
