import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  DeliveriesService,
  type DeliverySchema,
  DeliveryState,
  isSelfOrBelow,
  type ListDeliveriesRequest,
  ListDeliveriesResponseSchema,
  parentOf,
  type RedeliverEventsRequest,
  RedeliverEventsResponseSchema,
  type Subscription,
  SubscriptionState,
} from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { failedPrecondition, invalidArgument, notFound } from "../../lib/errors.ts";
import { timeOfEventId } from "../../lib/event-id.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { logReader } from "../../store/db/read/log-reader.ts";
import type { Store } from "../../store/db/store.ts";
import {
  addDeliveries,
  DELIVERY_STATES,
  failedEvents,
  listDeliveries,
  type StoredAttempt,
  type StoredDelivery,
} from "../../store/tables/events/deliveries.ts";
import { findEvent, type LoggedEvent } from "../../store/tables/events/event-log.ts";
import { markDue } from "../../store/tables/events/subscription-states.ts";
import type { EventNames } from "../cloud-event.ts";
import { eventTypes } from "../event-types.ts";
import { typesFilter } from "../filters.ts";
import { LogSearch } from "../log/search.ts";
import { capabilitiesFor, mayRead, mustRead } from "../rights.ts";
import { subscriptions } from "../subscriptions/definition.ts";
import { countsMethod } from "./counts.ts";

/** Events that one call sends again, and those written in one transaction. */
const MAX_REDELIVERED = 10_000;
const BATCH_SIZE = 500;

/** The delivery log, and replay. Subscriptions that got deliveries are reported after the commit. */
export function deliveryMethods(
  deps: ListDeps,
  names: () => EventNames,
  dispatched: (subscriptions: readonly string[]) => void,
) {
  const { method } = DeliveriesService;
  return [
    [method.listDeliveries, listMethod(deps)],
    [method.getDeliveryCounts, countsMethod(deps)],
    [method.redeliverEvents, redeliverMethod(deps, names, dispatched)],
  ] as const;
}

const STATES = {
  [DELIVERY_STATES.pending]: DeliveryState.PENDING,
  [DELIVERY_STATES.delivered]: DeliveryState.DELIVERED,
  [DELIVERY_STATES.failed]: DeliveryState.FAILED,
} as Readonly<Record<number, DeliveryState>>;

function listMethod(deps: Pick<ListDeps, "lists" | "store">): Handler {
  const { reader } = deps.store;
  return async (call, message) => {
    const request = message as ListDeliveriesRequest;
    const { subscriptionUid: subscription, state, eventId } = request;
    await existing(reader, subscription);
    const [{ grants }, group] = [call.caller, parentOf(subscription)];
    const pageSize = pageSizeOf(request.pageSize);
    const query = {
      subscription,
      state: state === DeliveryState.UNSPECIFIED ? undefined : state - 1,
      eventId: eventId || undefined,
    };
    const text = JSON.stringify(["deliveries", subscription, state, eventId]);
    const cursor = readCursor(deps.lists, text, request.pageToken, call.time);
    const before = cursor?.position.id;
    const { rows, total } = await listDeliveries(reader, { ...query, before }, pageSize + 1);
    const page = rows.slice(0, pageSize);
    const last = page.at(-1);
    const isMore = rows.length > pageSize && last !== undefined;
    const response = create(ListDeliveriesResponseSchema, {
      deliveries: page.map((row) => deliveryMessage(row, mayRead(grants, group, row.type))),
      nextPageToken: isMore
        ? deps.lists.pageTokens.seal(
            text,
            { position: { key: 0, id: last.id }, skipped: 0 },
            call.time,
          )
        : "",
      totalCount: BigInt(total),
    });
    return messageReply(ListDeliveriesResponseSchema, response);
  };
}

/** Without what tells about the event, if the caller may not read it: a sink may answer with what it got. */
function deliveryMessage(
  row: StoredDelivery,
  isReadable: boolean,
): MessageInitShape<typeof DeliverySchema> {
  const { id, eventId, type, subject, state, replay, time, nextAt } = row;
  const attempts = JSON.parse(row.attempts) as StoredAttempt[];
  return {
    id: String(id),
    eventId,
    ...(isReadable && { type, subject }),
    state: STATES[state] ?? DeliveryState.UNSPECIFIED,
    replay: replay !== 0,
    createTime: timestampFromMs(time),
    ...(state === DELIVERY_STATES.pending && { nextAttemptTime: timestampFromMs(nextAt) }),
    attempts: attempts.map(({ time: at, response, ...attempt }) => ({
      ...attempt,
      ...(isReadable && response !== undefined && { response }),
      time: timestampFromMs(at),
    })),
  };
}

async function existing(reader: Reader, uid: string): Promise<Subscription> {
  const found = await subscriptions.find(reader, uid);
  if (found === undefined) throw notFound(subscriptions.typeName, uid);
  return found;
}

/** Only what the subscription may get: its filters apply, and the caller needs the rights that they take. */
function redeliverMethod(
  deps: Pick<ListDeps, "lists" | "store">,
  names: () => EventNames,
  dispatched: (subscriptions: readonly string[]) => void,
): Handler {
  const { reader } = deps.store;
  return async (call, message) => {
    const request = message as RedeliverEventsRequest;
    const { subscriptionUid: uid, eventIds, types } = request;
    const subscription = await existing(reader, uid);
    if (subscription.state === SubscriptionState.DISABLED) {
      const description = "the subscription is disabled: set its state to ACTIVE first";
      throw failedPrecondition({ type: "SUBSCRIPTION_DISABLED", subject: uid, description });
    }
    const filters = [...subscription.filters, ...typesFilter(types)];
    const group = parentOf(uid);
    const task = deps.lists.task(call, call);
    mustRead(call.caller.grants, group, capabilitiesFor(filters, names()));
    if (eventIds.length > 0) {
      checkExclusive(request);
      const search = new LogSearch(names(), subscription.filters, { group }, task);
      const events = await namedEvents(reader, eventIds, group, search);
      await redeliver(deps.store, call, uid, events);
      dispatched([uid]);
      return reply(events.length, "");
    }
    if (request.since === undefined) {
      const description = "eventIds or since is required";
      throw invalidArgument({ field: "since", description });
    }
    const since = timestampMs(request.since);
    const until = request.until === undefined ? call.time : timestampMs(request.until);
    const text = JSON.stringify(["redeliver", uid, types, since, request.onlyFailed]);
    const cursor = readCursor(deps.lists, text, request.pageToken, call.time)?.position;
    const search = new LogSearch(names(), filters, { group, since, until }, task);
    let from = cursor && { tx: Number(cursor.key), id: cursor.id };
    let [count, read] = [0, 0];
    const searching = await logReader(deps.store.readerFor(call), "events");
    while (read < MAX_REDELIVERED) {
      const events = await search.read(searching, from, BATCH_SIZE);
      const ofKnownTypes = events.filter(({ type }) => eventTypes().has(type));
      const chosen = request.onlyFailed
        ? await onlyFailed(reader, uid, ofKnownTypes)
        : ofKnownTypes;
      if (chosen.length > 0) {
        await redeliver(deps.store, call, uid, chosen);
        dispatched([uid]);
      }
      count += chosen.length;
      read += events.length;
      from = events.at(-1) ?? from;
      if (events.length < BATCH_SIZE) return reply(count, "");
      if (call.abandoned !== undefined) throw call.abandoned;
    }
    const position = { key: from?.tx ?? 0, id: from?.id ?? 0 };
    return reply(count, deps.lists.pageTokens.seal(text, { position, skipped: 0 }, call.time));
  };
}

function reply(count: number, nextPageToken: string) {
  return messageReply(
    RedeliverEventsResponseSchema,
    create(RedeliverEventsResponseSchema, { count, nextPageToken }),
  );
}

function checkExclusive({ since, until, types, onlyFailed }: RedeliverEventsRequest): void {
  if (since === undefined && until === undefined && types.length === 0 && !onlyFailed) return;
  const description = "eventIds excludes since, until, types and onlyFailed";
  throw invalidArgument({ field: "eventIds", description });
}

async function namedEvents(
  reader: Reader,
  ids: readonly string[],
  group: string,
  search: LogSearch,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (const [index, id] of [...new Set(ids)].entries()) {
    const time = timeOfEventId(id);
    const event = time === undefined ? undefined : await findEvent(reader, id, time);
    // The same error for events elsewhere: their existence is not revealed.
    if (event === undefined || !isSelfOrBelow(event.group, group) || !search.matches(event)) {
      const description = `the subscription has no event ${JSON.stringify(id)}: it has expired, or the filters do not match it`;
      throw invalidArgument({ field: `eventIds[${index}]`, description });
    }
    events.push(event);
  }
  return events;
}

async function onlyFailed(
  reader: Reader,
  uid: string,
  events: readonly LoggedEvent[],
): Promise<LoggedEvent[]> {
  const failed = await failedEvents(
    reader,
    uid,
    events.map(({ id }) => id),
  );
  return events.filter(({ id }) => failed.has(id));
}

async function redeliver(
  store: Store,
  call: Call,
  subscription: string,
  events: readonly LoggedEvent[],
): Promise<void> {
  await store.writeFor(call, async (tx) => {
    await addDeliveries(
      tx,
      events.map(({ id: event, eventId, type, subject }) => {
        return { subscription, event, eventId, type, subject, isReplay: true, time: call.time };
      }),
    );
    await markDue(tx, [subscription]);
    await audit(tx, call, { resource: subscription, detail: { redelivered: events.length } });
  });
}
