import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  capabilityName,
  EventsService,
  type ListEventsRequest,
  ListEventsResponseSchema,
  ListEventTypesResponseSchema,
  type PreviewFilterRequest,
  PreviewFilterResponseSchema,
} from "@wharf/contract";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { logReader } from "../../store/db/read/log-reader.ts";
import { type EventNames, fullType } from "../cloud-event.ts";
import { eventTypes } from "../event-types.ts";
import { filterViolations } from "../filters.ts";
import { capabilitiesFor, mustRead } from "../rights.ts";
import { LogSearch, mustExist, readFilters } from "./search.ts";

const DAY_MS = 24 * 3_600_000;

/** Events in a preview. */
const PREVIEW_SIZE = 20;

/** The methods that read the log of events. */
export function eventMethods(deps: ListDeps, names: () => EventNames) {
  const { method } = EventsService;
  return [
    [method.listEvents, listMethod(deps, names)],
    [method.previewFilter, previewMethod(deps, names)],
    [method.listEventTypes, typesMethod(names)],
  ] as const;
}

function listMethod(deps: ListDeps, names: () => EventNames): Handler {
  const { reader } = deps.store;
  return async (call, message) => {
    const request = message as ListEventsRequest;
    const { group, subject, actor, orderBy } = request;
    const pageSize = pageSizeOf(request.pageSize);
    const descending = readOrder(orderBy);
    const filters = readFilters(request);
    mustRead(call.caller.grants, group, capabilitiesFor(filters, names()));
    await mustExist(deps, group);
    const [since, until] = [msOf(request.since), msOf(request.until)];
    const { types, filters: text } = request;
    const query = JSON.stringify([group, types, subject, actor, text, since, until, descending]);
    const cursor = readCursor(deps.lists, query, request.pageToken, call.time)?.position;
    const log = {
      ...{ group, since, until, descending, beyondHorizon: true },
      subject: subject || undefined,
      actor: actor || undefined,
    };
    const task = deps.lists.task(call, call);
    const search = new LogSearch(names(), filters, log, task);
    const from = cursor && { tx: Number(cursor.key), id: cursor.id };
    const searching = await logReader(deps.store.readerFor(call), "events");
    const { events: found, total } = await search.page(searching, from, pageSize + 1);
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    const next = found.length > pageSize && last ? { key: last.tx, id: last.id } : undefined;
    const response = create(ListEventsResponseSchema, {
      events: await search.messages(reader, page),
      nextPageToken: next
        ? deps.lists.pageTokens.seal(query, { position: next, skipped: 0 }, call.time)
        : "",
      totalCount: BigInt(total),
    });
    return messageReply(ListEventsResponseSchema, response);
  };
}

/** Whether the order is descending. */
function readOrder(orderBy: string): boolean {
  const [key = "time", direction = "asc", ...others] = orderBy.trim().split(/\s+/).filter(Boolean);
  if (key !== "time" || !/^(asc|desc)$/.test(direction) || others.length > 0) {
    throw invalidArgument({
      field: "orderBy",
      description: 'orderBy must be "time" or "time desc"',
    });
  }
  return direction === "desc";
}

function previewMethod(deps: ListDeps, names: () => EventNames): Handler {
  const { reader } = deps.store;
  return async (call, message) => {
    const { group, filters, since } = message as PreviewFilterRequest;
    const violations = filterViolations(filters);
    if (violations.length > 0) throw invalidArgument(...violations);
    mustRead(call.caller.grants, group, capabilitiesFor(filters, names()));
    await mustExist(deps, group);
    const newestFirst = { descending: true, beyondHorizon: true };
    const query = { group, since: msOf(since) ?? call.time - DAY_MS, ...newestFirst };
    const task = deps.lists.task(call, call);
    const search = new LogSearch(names(), filters, query, task);
    const searching = await logReader(deps.store.readerFor(call), "events");
    const { events: newest, total } = await search.page(searching, undefined, PREVIEW_SIZE);
    const response = create(PreviewFilterResponseSchema, {
      events: await search.messages(reader, newest),
      matchCount: BigInt(total),
      totalCount: BigInt(await new LogSearch(names(), [], query, task).count(searching)),
    });
    return messageReply(PreviewFilterResponseSchema, response);
  };
}

function typesMethod(names: () => EventNames): Handler {
  return async () => {
    const types = [...eventTypes()].sort(([one], [other]) => (one < other ? -1 : 1));
    const response = create(ListEventTypesResponseSchema, {
      eventTypes: types.map(([name, { capabilities, path }]) => ({
        type: fullType(name, names()),
        name,
        capabilities: [...new Set(capabilities.map(capabilityName))],
        collection: path.replace(/:.*$/, ""),
      })),
    });
    return messageReply(ListEventTypesResponseSchema, response);
  };
}

function msOf(time: Timestamp | undefined): number | undefined {
  return time && timestampMs(time);
}
