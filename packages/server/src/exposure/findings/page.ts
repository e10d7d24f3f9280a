import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { Lists } from "../../engine/list/lists.ts";
import type { Call } from "../../rpc/call.ts";

/** The page of a list that a request asks for. Its token has the position of the last row before it, as JSON. */
export interface RequestedPage<P> {
  readonly after: P | undefined;
  /** One row more than the page has: it tells whether another page follows. */
  readonly limit: number;
  /** The rows of the page, and the token of the next one; empty at the end. */
  cut<Row>(
    found: readonly Row[],
    positionOf: (last: Row) => P,
  ): { readonly rows: readonly Row[]; readonly nextPageToken: string };
}

export function requestedPage<P>(
  lists: Lists,
  call: Call,
  request: { readonly pageSize: number; readonly pageToken: string },
): RequestedPage<P> {
  const size = pageSizeOf(request.pageSize);
  const query = queryText(call.method.name, request);
  const cursor = readCursor(lists, query, request.pageToken, call.time)?.position;
  return {
    after: cursor && (JSON.parse(String(cursor.key)) as P),
    limit: size + 1,
    cut(found, positionOf) {
      const rows = found.slice(0, size);
      const last = found.length > size ? rows.at(-1) : undefined;
      if (last === undefined) return { rows, nextPageToken: "" };
      const position = { key: JSON.stringify(positionOf(last)), id: 0 };
      const nextPageToken = lists.pageTokens.seal(query, { position, skipped: 0 }, call.time);
      return { rows, nextPageToken };
    },
  };
}

/** The text to which page tokens of a request are bound: all of it but the page. */
export function queryText(method: string, request: object): string {
  const fields = Object.entries(request).filter(
    ([name]) => !["$typeName", "pageSize", "pageToken"].includes(name),
  );
  return JSON.stringify([method, fields], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
