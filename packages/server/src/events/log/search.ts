import { create, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Event, type EventFilter, EventFilterSchema, EventSchema } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import { messageFromJson } from "../../rpc/json-read.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  countLog,
  type EventWithBody,
  type LoggedEvent,
  type LogPosition,
  type LogQuery,
  readEventBodies,
  readLog,
  readLogPage,
} from "../../store/tables/events/event-log.ts";
import {
  type Attributes,
  attributesOf,
  type EventNames,
  fullType,
  payloadOf,
} from "../cloud-event.ts";
import { eventTypes } from "../event-types.ts";
import { filterViolations, matches, typesFilter } from "../filters.ts";

/** Throws unless the group exists. */
export async function mustExist(
  { store, catalog: { groups } }: ResourceStore,
  uid: string,
): Promise<void> {
  if ((await groups.find(store.reader, uid)) === undefined) throw notFound(groups.typeName, uid);
}

/** Events read at once where filters must look at each. */
const CHUNK_SIZE = 500;

/** The filters of requests that read the log. */
export interface FilterFields {
  readonly types: readonly string[];
  readonly filters: string;
}

/** The filters of a request: patterns of types, and filters as JSON. Throws INVALID_ARGUMENT. */
export function readFilters({ types, filters }: FilterFields): EventFilter[] {
  return [...typesFilter(types), ...(filters === "" ? [] : parseFilters(filters))];
}

function parseFilters(text: string): EventFilter[] {
  const wrong = () =>
    invalidArgument({ field: "filters", description: "filters must be a JSON array of filters" });
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch {
    throw wrong();
  }
  if (!Array.isArray(json)) throw wrong();
  const found = json.map((one) => messageFromJson(EventFilterSchema, one, { unknown: "reject" }));
  const violations = filterViolations(found);
  if (violations.length > 0) throw invalidArgument(...violations);
  return found;
}

/**
 * A search of the log. What filters say of types is a condition of the query; only filters on other attributes look at
 * events one by one.
 */
export class LogSearch {
  readonly #names: EventNames;
  readonly #filters: readonly EventFilter[];
  readonly #query: LogQuery;
  readonly #task: SlicedTask;
  /** Whether the query alone decides. */
  readonly #isExact: boolean;

  /** Other requests run between any two steps of the task. */
  constructor(
    names: EventNames,
    filters: readonly EventFilter[],
    query: LogQuery,
    task: SlicedTask,
  ) {
    this.#names = names;
    this.#task = task;
    this.#filters = filters;
    const outcomes = [...eventTypes().keys()].map((type) => {
      const full = fullType(type, names);
      return [type, matches(filters, (name) => (name === "type" ? full : undefined))] as const;
    });
    const possible = outcomes.filter(([, outcome]) => outcome !== false);
    this.#isExact = possible.every(([, outcome]) => outcome === true);
    const types = filters.length === 0 ? undefined : possible.map(([type]) => type);
    this.#query = { ...query, types };
  }

  /** Whether the filters match an event of a known type. */
  matches(event: LoggedEvent): boolean {
    if (!eventTypes().has(event.type)) return false;
    const attributes = attributesOf(event, this.#names);
    return matches(this.#filters, (name) => attributes[name as keyof Attributes] ?? "") === true;
  }

  /** Reads matching events, from a position on. */
  async read(reader: Reader, from: LogPosition | undefined, limit: number): Promise<LoggedEvent[]> {
    const start = from ?? this.#query.from;
    if (this.#isExact) return readLog(reader, { ...this.#query, from: start }, limit);
    const found: LoggedEvent[] = [];
    for await (const event of this.#each(reader, start)) {
      if (this.matches(event)) found.push(event);
      if (found.length === limit) break;
    }
    return found;
  }

  /** A page of matching events after a position, and the number of all that match. */
  async page(
    reader: Reader,
    from: LogPosition | undefined,
    limit: number,
  ): Promise<{ readonly events: readonly LoggedEvent[]; readonly total: number }> {
    if (this.#isExact) {
      const { rows, total } = await readLogPage(reader, { ...this.#query, from }, limit);
      return { events: rows, total };
    }
    const events: LoggedEvent[] = [];
    let total = 0;
    for await (const event of this.#each(reader, undefined)) {
      if (!this.matches(event)) continue;
      total++;
      if (events.length < limit && this.#isAfter(event, from)) events.push(event);
    }
    return { events, total };
  }

  #isAfter({ tx, id }: LogPosition, from: LogPosition | undefined): boolean {
    if (from === undefined) return true;
    const isLater = tx === from.tx ? id > from.id : tx > from.tx;
    return isLater !== (this.#query.descending ?? false) && id !== from.id;
  }

  /** Number of matching events. */
  async count(reader: Reader): Promise<number> {
    if (this.#isExact) return countLog(reader, this.#query);
    let count = 0;
    for await (const event of this.#each(reader, undefined)) if (this.matches(event)) count++;
    return count;
  }

  async *#each(reader: Reader, start: LogPosition | undefined): AsyncGenerator<LoggedEvent> {
    let from = start;
    for (;;) {
      const chunk = await readLog(reader, { ...this.#query, from }, CHUNK_SIZE);
      for (const event of chunk) {
        await this.#task.pause();
        yield event;
      }
      from = chunk.at(-1);
      if (chunk.length < CHUNK_SIZE) return;
    }
  }

  /** Events as messages, with their bodies. Those that expired meanwhile, or are of unknown types, are missing. */
  async messages(reader: Reader, events: readonly LoggedEvent[]): Promise<Event[]> {
    const bodies = await readEventBodies(
      reader,
      events.map(({ id }) => id),
    );
    const messages: Event[] = [];
    for (const { id } of events) {
      await this.#task.pause();
      const event = bodies.get(id);
      if (event !== undefined && eventTypes().has(event.type))
        messages.push(eventMessage(event, this.#names));
    }
    return messages;
  }
}

function eventMessage(event: EventWithBody, names: EventNames): Event {
  const { time: _, ...attributes } = attributesOf(event, names);
  return create(EventSchema, {
    ...attributes,
    time: timestampFromMs(event.time),
    data: JSON.parse(payloadOf(event)),
  });
}
