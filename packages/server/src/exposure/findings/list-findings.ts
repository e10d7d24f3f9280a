import { create } from "@bufbuild/protobuf";
import {
  type Finding,
  type ListFindingsRequest,
  ListFindingsResponseSchema,
} from "@wharf/contract";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  countFindings,
  type FindingOrder,
  type FindingPosition,
  type FindingRow,
  positionOf,
  readFindings,
} from "../../store/tables/exposure/findings/finding-list.ts";
import { keyOf, repoPaths, tagsOfImages } from "../../store/tables/exposure/images/image-names.ts";
import { toFinding } from "./messages.ts";
import { type OrderColumns, readOrder } from "./order.ts";
import { readFilter } from "./read-filter.ts";
import { readRecords } from "./records-of-findings.ts";
import { reposOf } from "./scope.ts";

const ORDERS: OrderColumns<FindingOrder["column"]> = {
  severity: { column: "severity", descending: true },
  first_seen: { column: "firstSeen", descending: true },
  vulnerability: { column: "vulnerability", descending: false },
  repo: { column: "repo", descending: false },
};

/** The handler of ListFindings. */
export function listFindings({ store, catalog, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListFindingsRequest;
    const limit = pageSizeOf(request.pageSize);
    const order = readOrder(request.orderBy, ORDERS);
    const query = queryText("ListFindings", request);
    const cursor = readCursor(lists, query, request.pageToken, call.time)?.position;
    const after = cursor && (JSON.parse(String(cursor.key)) as FindingPosition);
    const reader = store.readerFor(call);
    const costly = reader.costly ?? reader;
    const intervals = reposOf(catalog, call, request.uidp);
    const filter = await readFilter(reader, request, intervals, call.time);
    const found = await readFindings(costly, filter, { order, after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last && JSON.stringify(positionOf(last, order));
    const response = create(ListFindingsResponseSchema, {
      findings: await findingsOf(reader, page),
      nextPageToken: next
        ? lists.pageTokens.seal(query, { position: { key: next, id: 0 }, skipped: 0 }, call.time)
        : "",
      totalCount: BigInt(await countFindings(costly, filter)),
    });
    return messageReply(ListFindingsResponseSchema, response);
  });
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

/** Findings as messages, with the names of their images. */
export async function findingsOf(reader: Reader, rows: readonly FindingRow[]): Promise<Finding[]> {
  const paths = await repoPaths(
    reader,
    rows.map(({ repo }) => repo),
  );
  const tags = await tagsOfImages(reader, rows);
  const records = await readRecords(
    reader,
    rows.map(({ detail }) => detail),
  );
  return rows.map((row) => {
    const names = { path: paths.get(row.repo) ?? row.repo, tags: tags.get(keyOf(row)) ?? [] };
    return toFinding(row, names, records);
  });
}
