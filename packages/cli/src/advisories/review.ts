import type { Advisory } from "@wharf/client";
import { advisoriesV1, isUid, parentOf } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { textOf } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import { EVENT_COLUMNS, findEvent, findStoredEvent } from "./events/run.ts";
import { contentOf } from "./events/types.ts";
import { findAdvisory } from "./run.ts";
import type {
  approveDefinition,
  rejectDefinition,
  requestChangesDefinition,
} from "./write-commands.ts";

/** A decision in words. */
interface Decision {
  readonly status: advisoriesV1.ReviewStatus;
  readonly verb: string;
  readonly done: string;
}

const { APPROVED, REJECTED, REQUEST_CHANGES, PENDING } = advisoriesV1.ReviewStatus;

export const approve: Run<typeof approveDefinition> = (context, args) =>
  review(context, args, { status: APPROVED, verb: "Approve", done: "approved" });

export const reject: Run<typeof rejectDefinition> = (context, args) =>
  review(context, args, { status: REJECTED, verb: "Reject", done: "rejected" });

export const requestChanges: Run<typeof requestChangesDefinition> = (context, args) => {
  const verb = "Request changes to";
  return review(context, args, { status: REQUEST_CHANGES, verb, done: "requested changes to" });
};

interface Args {
  readonly events: readonly string[];
  readonly reason: string | undefined;
}

/** An event in the version that the reviewer sees: the server rejects the review if it has changed since. */
type StoredEvent = advisoriesV1.AdvisoryEvent;

/**
 * Reviews events one by one. Events that the caller has not named, but their advisory, are shown and confirmed
 * first.
 */
async function review(context: Context, { events: texts, reason }: Args, decision: Decision) {
  const { signal } = context;
  const { status, verb, done } = decision;
  const found = await Promise.all(texts.map((text) => eventsToReview(context, text)));
  const events = new Map(found.flatMap((one) => one.events).map((event) => [event.id, event]));
  const unnamed = found.filter(({ isNamed }) => !isNamed);
  if (unnamed.length > 0) {
    for (const { advisoryId, events } of unnamed) {
      for (const event of events) context.err.note(`${advisoryId}: ${summaryOf(event)}`);
    }
    const count = events.size === 1 ? "1 event" : `${events.size} events`;
    const ids = unnamed.map(({ advisoryId }) => advisoryId).join(", ");
    await context.confirm(`${verb} ${count} of ${ids}?`);
  }
  const client = (await context.client()).advisoriesV1;
  for (const event of events.values()) {
    const reviewed = {
      ...event,
      status,
      ...(reason === undefined ? {} : { reviewReason: reason }),
    };
    await client.updateAdvisoryEvent(reviewed, { signal });
    context.err.note(`${done} event ${event.id}`);
  }
  const shown = await Promise.all([...events.keys()].map((uid) => findEvent(context, uid)));
  await context.out.list(shown, EVENT_COLUMNS, { what: "events" });
}

/** Events of one advisory, and whether the caller named them. */
interface Events {
  readonly advisoryId: string;
  readonly events: readonly StoredEvent[];
  readonly isNamed: boolean;
}

/** The event with this UID, or the pending events of the advisory with this ID or UID. */
async function eventsToReview(context: Context, text: string): Promise<Events> {
  const advisory = await advisoryOf(context, text);
  if (advisory === undefined) {
    return { advisoryId: "", events: [await findStoredEvent(context, text)], isNamed: true };
  }
  const { advisoryId, uid } = advisory;
  const service = (await context.client()).advisoriesV1;
  const { items } = await service.listAdvisoryEvents({ parentId: uid }, { signal: context.signal });
  const events = items.filter(({ status }) => status === PENDING);
  if (events.length > 0) return { advisoryId, events, isNamed: false };
  throw notFound(
    `${advisoryId} has no pending events`,
    `\`wharf advisories events list ${advisoryId}\` lists its events`,
  );
}

/** The advisory with this ID or UID; undefined if the UID is that of an event. */
async function advisoryOf(context: Context, text: string): Promise<Advisory | undefined> {
  try {
    return await findAdvisory(context, text);
  } catch (thrown) {
    const isEvent = isUid(text) && text.includes("/") && isUid(parentOf(text));
    if (isEvent && problemOf(thrown).code === "NOT_FOUND") return undefined;
    throw thrown;
  }
}

/** The content of an event in one line. */
function summaryOf({ id, timestamp, author, type }: StoredEvent): string {
  const content = contentOf(type);
  const { fixedVersion, patchedVersions, reason, from, to, note } = content;
  const moved = to === undefined ? undefined : `${from} → ${to}`;
  const details = [fixedVersion, patchedVersions.join(", "), reason, moved].filter(Boolean);
  const says = [textOf(timestamp), content.type, ...details].join(" ");
  return `${says}${note ? `: ${note}` : ""} (${id}, by ${author})`;
}
