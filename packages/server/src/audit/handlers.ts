import type { DescMethod } from "@bufbuild/protobuf";
import {
  AuditEntrySchema,
  AuditService,
  type ExportAuditEntriesRequest,
  ExportAuditEntriesResponseSchema,
  type GetAuditEntryCountsRequest,
  type GetAuditEntryRequest,
  type ListAuditEntriesRequest,
} from "@wharf/contract";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import { pageSizeOf, readCursor, readSkip } from "../engine/list/list.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import { fitting, pageReply } from "../engine/list/page-reply.ts";
import { invalidArgument, notFound } from "../lib/errors.ts";
import type { Call, Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { readAuditRange } from "../store/tables/audit/entries.ts";
import { readAuditPage } from "../store/tables/audit/search.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { countEntries } from "./counts.ts";
import { exportPart } from "./export/handler.ts";
import { isVisible, queryOf } from "./filter.ts";
import { filterKey } from "./filter-key.ts";
import { bodyOf, messageOf } from "./message.ts";
import { auditRead } from "./reads.ts";

const MAX_INT32 = 2 ** 31 - 1;

export interface AuditDeps extends ListDeps, AuditedDeps {
  readonly checkpoints: Checkpoints;
}

/** The handlers of AuditService. */
export function* auditHandlers(deps: AuditDeps): Iterable<readonly [DescMethod, Handler]> {
  const { listAuditEntries, getAuditEntry, getAuditEntryCounts, exportAuditEntries } =
    AuditService.method;
  yield [listAuditEntries, (call, request) => list(deps, call, request as ListAuditEntriesRequest)];
  yield [getAuditEntry, (call, request) => get(deps, call, request as GetAuditEntryRequest)];
  yield [
    getAuditEntryCounts,
    (call, request) => countEntries(deps, call, request as GetAuditEntryCountsRequest),
  ];
  yield [
    exportAuditEntries,
    async (call, request) => {
      const response = await exportPart(deps, call, request as ExportAuditEntriesRequest);
      return messageReply(ExportAuditEntriesResponseSchema, response);
    },
  ];
}

async function list(
  { audit, lists, store }: AuditDeps,
  call: Call,
  request: ListAuditEntriesRequest,
) {
  const { filter } = request;
  const pageSize = pageSizeOf(request.pageSize);
  const skip = readSkip(request.skip);
  const descending = isDescending(request.orderBy);
  const query = JSON.stringify(["audit", descending, filterKey(filter)]);
  const cursor = readCursor(lists, query, request.pageToken, call.time);
  const page = { descending, after: cursor?.position.id, skip, limit: pageSize + 1 };
  const found = queryOf(call.caller.grants, filter);
  const { entries, total } = await lists.run(call, 1, () =>
    readAuditPage(store.readerFor(call), found, page),
  );
  await auditRead(audit, call, filter);
  const bodies = fitting(
    entries.slice(0, pageSize).map((entry) => bodyOf(call, entry)),
    lists.limits.pageBytes,
  );
  const last = entries[bodies.length - 1];
  const skipped = Math.min((cursor?.skipped ?? 0) + skip, MAX_INT32);
  const more = entries.length > bodies.length && last !== undefined;
  const next = more ? { position: { key: last.time, id: last.id }, skipped } : undefined;
  const nextPageToken = next ? lists.pageTokens.seal(query, next, call.time) : "";
  return pageReply(call.method, { nextPageToken, totalCount: total, skipped }, bodies);
}

async function get({ audit, store }: AuditDeps, call: Call, { uid }: GetAuditEntryRequest) {
  const id = /^[1-9][0-9]{0,15}$/.test(uid) ? Number(uid) : 0;
  const [entry] = id === 0 ? [] : await readAuditRange(store.reader, id, id + 1, 1);
  if (entry === undefined || !isVisible(call.caller.grants, entry.resource)) {
    throw notFound(AuditEntrySchema.name, uid);
  }
  await auditRead(audit, call, { resource: entry.resource });
  return messageReply(AuditEntrySchema, messageOf(entry));
}

function isDescending(orderBy: string): boolean {
  const words = orderBy
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "")
    .join(" ");
  if (words === "" || words === "time desc") return true;
  if (words === "time" || words === "time asc") return false;
  const description = `orderBy must be "time" or "time desc", not ${JSON.stringify(orderBy)}`;
  throw invalidArgument({ field: "orderBy", description });
}
