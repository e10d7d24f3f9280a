import {
  accessOf,
  type Event,
  EventSchema,
  EventsService,
  isSelfOrBelow,
  type WatchEventsRequest,
} from "@wharf/contract";
import type { Authenticator } from "../../auth/authenticator.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import type { LogFollower } from "../../engine/streams/log-follower.ts";
import { type StreamDeps, Streams } from "../../engine/streams/streams.ts";
import { PermissionDeniedError, WharfError } from "../../lib/errors.ts";
import { timeOfEventId } from "../../lib/event-id.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import {
  type EventPosition,
  findEvent,
  isAfter,
  isLogged,
  logEnd,
  readerBetween,
} from "../../store/tables/events/event-log.ts";
import type { EventNames } from "../cloud-event.ts";
import { capabilitiesFor, missingOf, mustRead } from "../rights.ts";
import { LogSearch, mustExist, readFilters } from "./search.ts";

/** Events read at once. */
const BATCH_SIZE = 100;

export interface WatchDeps extends ListDeps, StreamDeps {
  readonly authenticator: Authenticator;
  readonly follower: LogFollower<string>;
  names(): EventNames;
}

/** WatchEvents: the log from a position on, and then every event as it is committed. */
export function watchMethod(deps: WatchDeps) {
  const { authenticator, follower, names } = deps;
  const streams = new Streams(deps, follower);
  const handler: Handler = async (call, message) => {
    const request = message as WatchEventsRequest;
    const { group } = request;
    const filters = readFilters(request);
    const needed = capabilitiesFor(filters, names());
    mustRead(call.caller.grants, group, needed);
    await mustExist(deps, group);
    const from = await startOf(deps.store, call, request);
    const log = {
      group,
      subject: request.subject || undefined,
      actor: request.actor || undefined,
    };
    const search = new LogSearch(names(), filters, log, deps.lists.task(call));
    return streams.reply<Event>(call, {
      resource: group,
      followed: group,
      next: nextEvents(deps.store.readerFor(call), search, from),
      async mustStillRead() {
        const { grants } = await authenticator.caller(call.authorization, Date.now());
        const rule = accessOf(call.method);
        const isAllowed = rule?.kind === "scoped" && grants.holds(rule.capabilities, group);
        if (isAllowed && missingOf(grants, group, needed).length === 0) return;
        throw new PermissionDeniedError("the right to read these events was withdrawn", group);
      },
      message: (event) => ({ ...messageReply(EventSchema, event), id: event.id }),
    });
  };
  return [EventsService.method.watchEvents, handler] as const;
}

/**
 * Reads matching events from a position on, batch by batch. If the log no longer has it, the stream ends: its client
 * continues after the last event that it got, or learns that there is no such event any more.
 */
function nextEvents(reader: Reader, search: LogSearch, start: EventPosition) {
  let from = start;
  return async (): Promise<readonly Event[]> => {
    for (;;) {
      // Before the events are read: everything up to here is read with them.
      const end = await logEnd(reader);
      const events = await search.read(readerBetween(reader, from, end), from, BATCH_SIZE);
      // After they are read: what was read is what follows the position.
      if (!(await isLogged(reader, from)))
        throw new WharfError("UNAVAILABLE", "the log of events has changed: continue the stream");
      const last = events.at(-1) ?? from;
      from = events.length < BATCH_SIZE && isAfter(end, last) ? end : last;
      const messages = await search.messages(reader, events);
      // Some may be missing.
      if (messages.length > 0 || events.length === 0) return messages;
    }
  };
}

async function startOf(
  { reader }: Store,
  { lastEventId }: Call,
  { after, group }: WatchEventsRequest,
): Promise<EventPosition> {
  const id = lastEventId || after;
  if (id === "") return logEnd(reader);
  const time = timeOfEventId(id);
  const event = time === undefined ? undefined : await findEvent(reader, id, time);
  if (event !== undefined && isSelfOrBelow(event.group, group)) return event;
  const text = `there is no event ${JSON.stringify(id)} to continue after: it has expired, or is of another group`;
  throw new WharfError("OUT_OF_RANGE", text);
}
