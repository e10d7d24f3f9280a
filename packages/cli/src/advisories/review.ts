import { advisoriesV1, isUid, ReviewState } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { EVENT_COLUMNS, findEvent, findStoredEvent } from "./events/run.ts";
import { findAdvisory } from "./run.ts";
import type {
  approveDefinition,
  rejectDefinition,
  requestChangesDefinition,
} from "./write-commands.ts";

export const approve: Run<typeof approveDefinition> = (context, { events }) =>
  review(context, events, advisoriesV1.ReviewStatus.APPROVED, "approved");

export const reject: Run<typeof rejectDefinition> = (context, { events }) =>
  review(context, events, advisoriesV1.ReviewStatus.REJECTED, "rejected");

export const requestChanges: Run<typeof requestChangesDefinition> = (context, { events }) =>
  review(context, events, advisoriesV1.ReviewStatus.REQUEST_CHANGES, "requested changes to");

/** Reviews events one by one, each in its current version. */
async function review(
  context: Context,
  texts: readonly string[],
  status: advisoriesV1.ReviewStatus,
  done: string,
): Promise<void> {
  const { signal } = context;
  const uids = await Promise.all(texts.map((text) => eventsToReview(context, text)));
  const client = (await context.client()).advisoriesV1;
  const reviewed: string[] = [];
  for (const uid of new Set(uids.flat())) {
    const event = await findStoredEvent(context, uid);
    await client.updateAdvisoryEvent({ ...event, status }, { signal });
    context.err.note(`${done} event ${uid}`);
    reviewed.push(uid);
  }
  const events = await Promise.all(reviewed.map((uid) => findEvent(context, uid)));
  await context.out.list(events, EVENT_COLUMNS, { what: "events" });
}

/** The event with this UID, or the pending events of the advisory with this ID. */
async function eventsToReview(context: Context, text: string): Promise<string[]> {
  if (isUid(text)) return [text];
  const { events, advisoryId } = await findAdvisory(context, text);
  const pending = events.filter(({ reviewState }) => reviewState === ReviewState.PENDING);
  if (pending.length > 0) return pending.map(({ uid }) => uid);
  throw notFound(
    `${advisoryId} has no pending events`,
    `\`wharf advisories events list ${advisoryId}\` lists its events`,
  );
}
