import { create } from "@bufbuild/protobuf";
import {
  type Finding,
  type ListFindingsRequest,
  ListFindingsResponseSchema,
} from "@wharf/contract";
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
import { namesOfImages } from "../../store/tables/exposure/images/image-names.ts";
import { toFinding } from "./messages.ts";
import { type OrderColumns, readOrder } from "./order.ts";
import { requestedPage } from "./page.ts";
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
    const order = readOrder(request.orderBy, ORDERS);
    const { after, limit, cut } = requestedPage<FindingPosition>(lists, call, request);
    const reader = store.readerFor(call);
    const costly = reader.costly ?? reader;
    const intervals = reposOf(catalog, call, request.uidp);
    const filter = await readFilter(reader, request, intervals, call.time);
    const found = await readFindings(costly, filter, { order, after, limit });
    const { rows, nextPageToken } = cut(found, (last) => positionOf(last, order));
    const response = create(ListFindingsResponseSchema, {
      findings: await findingsOf(reader, rows),
      nextPageToken,
      totalCount: BigInt(await countFindings(costly, filter)),
    });
    return messageReply(ListFindingsResponseSchema, response);
  });
}

/** Findings as messages, with the names of their images. */
export async function findingsOf(reader: Reader, rows: readonly FindingRow[]): Promise<Finding[]> {
  const namesOf = await namesOfImages(reader, rows);
  const records = await readRecords(
    reader,
    rows.map(({ detail }) => detail),
  );
  return rows.map((row) => toFinding(row, namesOf(row), records));
}
