import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type AuditFilter,
  AuditOutcome,
  type GetAuditEntryCountsRequest,
  GetAuditEntryCountsResponseSchema,
} from "@wharf/contract";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import { beginOf, readIntervalCount } from "../engine/intervals.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import { invalidArgument } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { countAuditByTime } from "../store/tables/audit/search.ts";
import { outcomeOf, queryOf } from "./filter.ts";
import { auditRead } from "./reads.ts";

/** Counts entries over time, by outcome. */
export async function countEntries(
  deps: ListDeps & AuditedDeps,
  call: Call,
  request: GetAuditEntryCountsRequest,
) {
  const intervals = readIntervalCount(request.intervals);
  const { filter, since, until } = boundedFilter(request.filter);
  const query = { ...queryOf(call.caller.grants, filter), since, until };
  const found = await deps.lists.run(call, 1, () =>
    countAuditByTime(deps.store.readerFor(call), query, intervals),
  );
  await auditRead(deps.audit, call, filter);
  const totalOf = (at: number, outcome: AuditOutcome) => {
    const counted = found.filter((one) => one.interval === at && outcomeOf(one.code) === outcome);
    return BigInt(counted.reduce((sum, { total }) => sum + total, 0));
  };
  const response = create(GetAuditEntryCountsResponseSchema, {
    counts: Array.from({ length: intervals }, (_, at) => ({
      beginTime: beginOf({ since, until, count: intervals }, at),
      succeeded: totalOf(at, AuditOutcome.SUCCEEDED),
      denied: totalOf(at, AuditOutcome.DENIED),
      failed: totalOf(at, AuditOutcome.FAILED),
    })),
  });
  return messageReply(GetAuditEntryCountsResponseSchema, response);
}

function boundedFilter(filter: AuditFilter | undefined) {
  for (const field of ["since", "until"] as const) {
    if (filter?.[field] !== undefined) continue;
    throw invalidArgument({ field: `filter.${field}`, description: `${field} is required` });
  }
  const complete = filter as AuditFilter;
  if (complete.outcome !== AuditOutcome.UNSPECIFIED) {
    const description = "outcome must not be set: every outcome is counted";
    throw invalidArgument({ field: "filter.outcome", description });
  }
  const time = (field: "since" | "until") => timestampMs(complete[field] ?? timestampFromMs(0));
  return { filter: complete, since: time("since"), until: time("until") };
}
