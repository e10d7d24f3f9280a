import { toJsonString } from "@bufbuild/protobuf";
import type { Delivery, Event, EventType } from "@wharf/client";
import { DeliveryState, EventFilterSchema } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Arrangement } from "../output/arrange.ts";
import type { Column } from "../output/columns.ts";
import type { Items } from "../output/output.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { SUBSCRIPTION } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { UidNames } from "../resolve/uid-names.ts";
import { definedFields, readPastTime } from "../resource/values.ts";
import type {
  deliveriesDefinition,
  listDefinition,
  previewDefinition,
  redeliverDefinition,
  typesDefinition,
} from "./commands.ts";
import { readFilters } from "./filters.ts";

const columnsOf = (names: UidNames): readonly Column<Event>[] => [
  { header: "Time", value: ({ time }) => time },
  { header: "Type", value: ({ type }) => type, short: ({ type }) => shortType(type) },
  {
    header: "Subject",
    value: ({ subject }) => subject,
    short: (event) => names.pathOf(event.subject, nameAtTheTime(event)),
  },
  { header: "Actor", value: ({ actor }) => actor, short: ({ actor }) => names.nameOf(actor) },
  { header: "ID", value: ({ id }) => id, wide: true },
];

/** The type as --type takes it. */
function shortType(type: string): string {
  return type.replace(/^dev\.chainguard\.(?:api\.)?/, "");
}

/** The body has the resource as it was, also after it was deleted. */
function nameAtTheTime({ subject, data }: Event): string | undefined {
  const { body } = (data ?? {}) as { body?: { uid?: unknown; name?: unknown } };
  return body?.uid === subject && typeof body.name === "string" ? body.name : undefined;
}

async function printEvents(
  context: Context,
  events: Items<Event>,
  arrangement: Arrangement,
): Promise<void> {
  const names = new UidNames(context);
  await context.out.list(events, columnsOf(names), {
    what: "events",
    id: ({ id }) => id,
    tree: { parent: () => undefined },
    arrangement,
    async lookUp(all) {
      await names.loadIdentities(all.map(({ actor }) => actor));
      await names.loadPaths(all.map(({ subject }) => subject));
    },
  });
}

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
  return { types: [...type], ...definedFields({ subject, actor, filters: json }) };
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
    ...definedFields({ since, until }),
  };
  const all = events.listAll(request, { signal: context.signal });
  await printEvents(context, all, { ...args, sortsWithinLimit: true });
};

export const preview: Run<typeof previewDefinition> = async (context, args) => {
  const { uid: group } = await resolveGroup(context, args.parent);
  const filters = (await readFilters(args)) ?? [];
  const since = args.since === undefined ? undefined : readPastTime("--since", args.since);
  const { events } = await context.client();
  const request = { group, filters, ...definedFields({ since }) };
  const found = await events.previewFilter(request, { signal: context.signal });
  context.err.note(`${found.matchCount} of ${found.totalCount} events match`);
  await printEvents(context, found.events, {});
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

const deliveryColumns = (names: UidNames): readonly Column<Delivery>[] => [
  { header: "State", value: ({ state }) => (DeliveryState[state] ?? "").toLowerCase() },
  { header: "Type", value: ({ type }) => type, short: ({ type }) => shortType(type) },
  {
    header: "Subject",
    value: ({ subject }) => subject,
    short: ({ subject }) => names.pathOf(subject),
  },
  { header: "Attempts", value: ({ attempts }) => attempts.length },
  { header: "Last answer", value: lastAnswer },
  { header: "Replay", value: ({ replay }) => (replay ? "yes" : "no"), wide: true },
  { header: "Created", value: ({ createTime }) => createTime },
  { header: "Next attempt", value: ({ nextAttemptTime }) => nextAttemptTime, wide: true },
  { header: "Event", value: ({ eventId }) => eventId, wide: true },
  { header: "ID", value: ({ id }) => id, wide: true },
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
  const request = { subscriptionUid, ...definedFields({ state, eventId: args.event }) };
  const all = client.deliveries.listAll(request, { signal: context.signal });
  const names = new UidNames(context);
  await context.out.list(all, deliveryColumns(names), {
    lookUp: (rows) => names.loadPaths(rows.map(({ subject }) => subject)),
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
    ...definedFields({ since, until }),
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
