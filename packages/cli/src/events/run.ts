import { toJsonString } from "@bufbuild/protobuf";
import type { Delivery, Event, EventType } from "@wharf/client";
import { DeliveryState, EventFilterSchema } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { SUBSCRIPTION } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { given, readPastTime } from "../resource/values.ts";
import type {
  deliveriesDefinition,
  listDefinition,
  previewDefinition,
  redeliverDefinition,
  typesDefinition,
} from "./commands.ts";
import { readFilters } from "./filters.ts";

const COLUMNS: readonly Column<Event>[] = [
  { header: "Time", value: ({ time }) => time },
  { header: "Type", value: ({ type }) => type },
  { header: "Subject", value: ({ subject }) => subject },
  { header: "Actor", value: ({ actor }) => actor },
  { header: "ID", value: ({ id }) => id, wide: true },
];

const EVENTS = { what: "events", id: ({ id }: Event) => id, tree: { parent: () => undefined } };

interface EventFilters {
  readonly type: readonly string[];
  readonly subject: string | undefined;
  readonly actor: string | undefined;
  readonly filters: string | undefined;
}

/** The filters of a request that reads events. */
export async function filterFields({ type, subject, actor, filters }: EventFilters) {
  const parsed = await readFilters({ type: [], filters });
  const json = parsed && `[${parsed.map((one) => toJsonString(EventFilterSchema, one)).join()}]`;
  return { types: [...type], ...given({ subject, actor, filters: json }) };
}

export const list: Run<typeof listDefinition> = async (context, args) => {
  const { uid } = await resolveGroup(context, args.parent);
  const { events } = await context.client();
  const since = args.since === undefined ? undefined : readPastTime("--since", args.since);
  const until = args.until === undefined ? undefined : readPastTime("--until", args.until);
  const request = {
    group: uid,
    orderBy: "time desc",
    ...(await filterFields(args)),
    ...given({ since, until }),
  };
  const all = events.listAll(request, { signal: context.signal });
  const arrangement = { ...args, sortsWithinLimit: true };
  await context.out.list(all, COLUMNS, { ...EVENTS, arrangement });
};

export const preview: Run<typeof previewDefinition> = async (context, args) => {
  const { uid: group } = await resolveGroup(context, args.parent);
  const filters = (await readFilters(args)) ?? [];
  const since = args.since === undefined ? undefined : readPastTime("--since", args.since);
  const { events } = await context.client();
  const request = { group, filters, ...given({ since }) };
  const found = await events.previewFilter(request, { signal: context.signal });
  context.err.note(`${found.matchCount} of ${found.totalCount} events match`);
  await context.out.list(found.events, COLUMNS, EVENTS);
};

const TYPE_COLUMNS: readonly Column<EventType>[] = [
  { header: "Type", value: ({ name }) => name },
  { header: "Takes", value: ({ capabilities }) => capabilities.join(", ") },
  { header: "Full type", value: ({ type }) => type, wide: true },
];

export const types: Run<typeof typesDefinition> = async (context, arrangement) => {
  const { events } = await context.client();
  const { eventTypes } = await events.listTypes({}, { signal: context.signal });
  await context.out.list(eventTypes, TYPE_COLUMNS, {
    what: "types of events",
    arrangement,
    id: ({ name }) => name,
    tree: { parent: () => undefined },
  });
};

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "State", value: ({ state }) => (DeliveryState[state] ?? "").toLowerCase() },
  { header: "Type", value: ({ type }) => type },
  { header: "Subject", value: ({ subject }) => subject },
  { header: "Attempts", value: ({ attempts }) => attempts.length },
  { header: "Last answer", value: lastAnswer },
  { header: "Replay", value: ({ replay }) => (replay ? "yes" : "no"), wide: true },
  { header: "Created", value: ({ createTime }) => createTime },
  { header: "Next attempt", value: ({ nextAttemptTime }) => nextAttemptTime, wide: true },
  { header: "Event", value: ({ eventId }) => eventId, wide: true },
];

function lastAnswer({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return "";
  return last.error || `HTTP ${last.status} (${last.latencyMs} ms)`;
}

export const deliveries: Run<typeof deliveriesDefinition> = async (context, args) => {
  const { uid: subscriptionUid } = await resolve(context, SUBSCRIPTION, args.subscription);
  const client = await context.client();
  const state =
    args.state === undefined
      ? undefined
      : DeliveryState[args.state.toUpperCase() as "PENDING" | "DELIVERED" | "FAILED"];
  const request = { subscriptionUid, ...given({ state, eventId: args.event }) };
  const all = client.deliveries.listAll(request, { signal: context.signal });
  await context.out.list(all, DELIVERY_COLUMNS, {
    what: "deliveries",
    arrangement: { ...args, sortsWithinLimit: true },
    id: ({ id }) => id,
    tree: { parent: () => undefined },
  });
};

export const redeliver: Run<typeof redeliverDefinition> = async (context, args) => {
  const { event, type, onlyFailed } = args;
  if (event.length > 0 === (args.since !== undefined)) {
    throw usageError("give either --event or --since");
  }
  const { uid: subscriptionUid } = await resolve(context, SUBSCRIPTION, args.subscription);
  const since = args.since === undefined ? undefined : readPastTime("--since", args.since);
  const until = args.until === undefined ? undefined : readPastTime("--until", args.until);
  const client = await context.client();
  const request = {
    subscriptionUid,
    eventIds: [...event],
    types: [...type],
    onlyFailed,
    ...given({ since, until }),
  };
  let count = 0;
  let pageToken = "";
  do {
    const page = await client.deliveries.redeliverEvents(
      { ...request, pageToken },
      { signal: context.signal },
    );
    count += page.count;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  context.err.note(`${count} events are sent again; \`wharf events deliveries\` shows the results`);
};
