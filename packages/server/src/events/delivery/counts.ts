import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type GetDeliveryCountsRequest, GetDeliveryCountsResponseSchema } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { beginOf, readIntervalCount } from "../../engine/intervals.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { countDeliveriesOverTime, DELIVERY_STATES } from "../../store/tables/events/deliveries.ts";
import { mustExist } from "../log/search.ts";
import { subscriptions } from "../subscriptions/definition.ts";

/** Counts deliveries over time: those of a subscription, or of a group and everything below it. */
export function countsMethod(deps: ResourceStore): Handler {
  return async (call, message) => {
    const request = message as GetDeliveryCountsRequest;
    const intervals = {
      ...readTime(request, call.time),
      count: readIntervalCount(request.intervals),
    };
    const rows = await countDeliveriesOverTime(
      deps.store.readerFor(call),
      await subscriptionsOf(deps, request.uid),
      intervals,
    );
    const totals = new Map(rows.map((row) => [`${row.interval} ${row.state}`, BigInt(row.total)]));
    const response = create(GetDeliveryCountsResponseSchema, {
      counts: Array.from({ length: intervals.count }, (_, at) => {
        const total = (state: number) => totals.get(`${at} ${state}`) ?? 0n;
        return {
          beginTime: beginOf(intervals, at),
          delivered: total(DELIVERY_STATES.delivered),
          failed: total(DELIVERY_STATES.failed),
          pending: total(DELIVERY_STATES.pending),
        };
      }),
    });
    return messageReply(GetDeliveryCountsResponseSchema, response);
  };
}

function readTime(request: GetDeliveryCountsRequest, now: number) {
  if (request.since === undefined) {
    throw invalidArgument({ field: "since", description: "since is required" });
  }
  const since = timestampMs(request.since);
  const until = request.until === undefined ? now : timestampMs(request.until);
  if (until > since) return { since, until };
  throw invalidArgument({ field: "until", description: "until must be after since" });
}

/** The range of uids of a subscription, or of those in a group and below it. */
async function subscriptionsOf(
  deps: ResourceStore,
  uid: string,
): Promise<readonly [string, string]> {
  if ((await subscriptions.find(deps.store.reader, uid)) !== undefined) return [uid, uid];
  await mustExist(deps, uid);
  return [`${uid}/`, `${uid}0`];
}
