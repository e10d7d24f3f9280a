import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type AuditFilter,
  AuditOutcome,
  type GetAuditEntryCountsRequest,
  GetAuditEntryCountsResponseSchema,
} from "@wharf/contract";
import type { Engine } from "../engine/engine.ts";
import { beginOf, readIntervalCount } from "../engine/intervals.ts";
import { invalidArgument } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import type { AuditLog } from "./log.ts";
import { auditRead } from "./reads.ts";

/** Counts entries over time, by outcome. */
export async function countEntries(
  { engine, log }: { readonly engine: Engine; readonly log: AuditLog },
  call: Call,
  request: GetAuditEntryCountsRequest,
) {
  const intervals = readIntervalCount(request.intervals);
  const { filter, since, until } = boundedFilter(request.filter);
  const count = (outcome: AuditOutcome) =>
    engine.lists.run(call, 1, (task) =>
      log.counts(call.caller.grants, { ...filter, outcome }, intervals, task),
    );
  const succeeded = await count(AuditOutcome.SUCCEEDED);
  const denied = await count(AuditOutcome.DENIED);
  const failed = await count(AuditOutcome.FAILED);
  await auditRead(engine, call, filter);
  const response = create(GetAuditEntryCountsResponseSchema, {
    counts: succeeded.map((_, at) => ({
      beginTime: beginOf({ since, until, count: intervals }, at),
      succeeded: BigInt(succeeded[at] ?? 0),
      denied: BigInt(denied[at] ?? 0),
      failed: BigInt(failed[at] ?? 0),
    })),
  });
  return messageReply(GetAuditEntryCountsResponseSchema, response);
}

function boundedFilter(filter: AuditFilter | undefined) {
  for (const field of ["since", "until"] as const) {
    if (filter?.[field] !== undefined) continue;
    throw invalidArgument({ field: `filter.${field}`, description: `${field} is required` });
  }
  const given = filter as AuditFilter;
  if (given.outcome !== AuditOutcome.UNSPECIFIED) {
    const description = "outcome must not be set: every outcome is counted";
    throw invalidArgument({ field: "filter.outcome", description });
  }
  const time = (field: "since" | "until") => timestampMs(given[field] ?? timestampFromMs(0));
  return { filter: given, since: time("since"), until: time("until") };
}
