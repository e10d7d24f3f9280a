import {
  accessOf,
  EventSchema,
  EventsService,
  isSelfOrBelow,
  type WatchEventsRequest,
} from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import { Waiting } from "../delivery/waiting.ts";
import { auditEntry } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import { PermissionDeniedError, tooMany, WharfError } from "../lib/errors.ts";
import { timeOfEventId } from "../lib/event-id.ts";
import type { Call, Handler, StreamedMessage } from "../rpc/call.ts";
import { messageReply, streamReply } from "../rpc/reply.ts";
import { writeAudit } from "../store/tables/audit-and-events.ts";
import { findEvent, type LogPosition, logEnd, readerBetween } from "../store/tables/event-log.ts";
import type { EventNames } from "./cloud-event.ts";
import type { LogFollower } from "./log-follower.ts";
import { LogSearch, mustExist, readFilters } from "./log-search.ts";
import { capabilitiesFor, missingOf, mustRead } from "./rights.ts";

/** Events read at once. */
const BATCH_SIZE = 100;

/** The rights of a stream are checked before each event, and this often without events. */
const RECHECK_MS = 5_000;

/** Streams of one caller, and of all callers, in this process. */
const MAX_STREAMS_PER_CALLER = 50;
const MAX_STREAMS = 2_000;

/** The canonical code of PERMISSION_DENIED. */
const PERMISSION_DENIED = 7;

export interface WatchDeps {
  readonly engine: Engine;
  readonly authenticator: Authenticator;
  readonly follower: LogFollower;
  names(): EventNames;
}

/** WatchEvents: the log from a position on, and then every event as it is committed. */
export function watchMethod(deps: WatchDeps) {
  const streams = new Map<string, number>();
  const handler: Handler = async (call, message) => {
    const request = message as WatchEventsRequest;
    const { names, engine } = deps;
    const filters = readFilters(request);
    const needed = capabilitiesFor(filters, names());
    mustRead(call.caller.grants, request.group, needed);
    await mustExist(engine, request.group);
    const from = await startOf(engine, call, request);
    const { uid } = call.caller;
    const own = streams.get(uid) ?? 0;
    const total = [...streams.values()].reduce((sum, count) => sum + count, 0);
    if (own >= MAX_STREAMS_PER_CALLER || total >= MAX_STREAMS)
      throw tooMany("too many streams of events");
    const log = {
      group: request.group,
      subject: request.subject || undefined,
      actor: request.actor || undefined,
    };
    const search = new LogSearch(names(), filters, log, engine.lists.task(uid));
    const mustStillRead = async () => {
      const { grants } = await deps.authenticator.caller(call.authorization, Date.now());
      const rule = accessOf(call.method);
      const isAllowed = rule?.kind === "scoped" && grants.holds(rule.capabilities, request.group);
      if (isAllowed && missingOf(grants, request.group, needed).length === 0) return;
      throw new PermissionDeniedError(
        "the right to read these events was withdrawn",
        request.group,
      );
    };
    return streamReply(
      counted(streams, uid, () => eventsFrom(deps, call, request, search, from, mustStillRead)),
    );
  };
  return [EventsService.method.watchEvents, handler] as const;
}

/** Counts a stream while it is read. */
async function* counted<T>(
  streams: Map<string, number>,
  uid: string,
  stream: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  streams.set(uid, (streams.get(uid) ?? 0) + 1);
  try {
    yield* stream();
  } finally {
    const left = (streams.get(uid) ?? 1) - 1;
    if (left === 0) streams.delete(uid);
    else streams.set(uid, left);
  }
}

async function* eventsFrom(
  { engine, follower }: WatchDeps,
  call: Call,
  { group }: WatchEventsRequest,
  search: LogSearch,
  start: LogPosition,
  mustStillRead: () => Promise<void>,
): AsyncGenerator<StreamedMessage> {
  const reader = engine.store.readerFor(call);
  const waiting = new Waiting();
  const unfollow = follower.follow(group, waiting);
  let from = start;
  try {
    for (;;) {
      // Before the events are read: everything up to here is read with them.
      const end = await logEnd(reader);
      const events = await search.read(readerBetween(reader, from, end), from, BATCH_SIZE);
      for (const event of await search.messages(reader, events)) {
        await mustStillRead();
        yield { ...messageReply(EventSchema, event), id: event.id };
      }
      from =
        events.length < BATCH_SIZE ? later(end, events.at(-1) ?? from) : (events.at(-1) ?? from);
      if (follower.isEnded) throw new WharfError("UNAVAILABLE", "the server is stopping");
      if (events.length > 0) continue;
      await waiting.wait(RECHECK_MS);
      await mustStillRead();
    }
  } catch (error) {
    if (error instanceof PermissionDeniedError) await auditEnd(engine, call, group, error);
    throw error;
  } finally {
    unfollow();
  }
}

function later(one: LogPosition, other: LogPosition): LogPosition {
  return one.tx === other.tx ? (one.id > other.id ? one : other) : one.tx > other.tx ? one : other;
}

/** The stream stops with an audit entry: its caller has lost the right to read. */
async function auditEnd(
  engine: Engine,
  call: Call,
  group: string,
  { message }: Error,
): Promise<void> {
  const entry = auditEntry(call, {
    resource: group,
    code: PERMISSION_DENIED,
    detail: { ended: message },
  });
  await engine.store.write((tx) => writeAudit(tx, { ...entry, time: Date.now() }));
}

async function startOf(
  { store: { reader } }: Engine,
  { lastEventId }: Call,
  { after, group }: WatchEventsRequest,
): Promise<LogPosition> {
  const id = lastEventId || after;
  if (id === "") return logEnd(reader);
  const time = timeOfEventId(id);
  const event = time === undefined ? undefined : await findEvent(reader, id, time);
  if (event !== undefined && isSelfOrBelow(event.group, group)) return event;
  const text = `there is no event ${JSON.stringify(id)} to continue after: it has expired, or is of another group`;
  throw new WharfError("OUT_OF_RANGE", text);
}
