import { advisoriesV1, isUid, parentOf, ReviewState } from "@wharf/contract";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { EVENT_COLUMNS } from "./events/columns.ts";
import { shownEvent } from "./events/shown.ts";
import { findAdvisory } from "./resolve.ts";

/** Reviews events, one after the other, each as it stands now. */
export async function review(
  context: Context,
  texts: readonly string[],
  decision: keyof typeof advisoriesV1.ReviewStatus,
): Promise<void> {
  const { signal } = context;
  const found = await Promise.all(texts.map((text) => eventsMeant(context, text)));
  const client = (await context.client()).advisoriesV1;
  const reviewed: string[] = [];
  for (const id of new Set(found.flat())) {
    const { items } = await client.listAdvisoryEvents({ parentId: parentOf(id) }, { signal });
    const event = items.find((one) => one.id === id);
    if (event === undefined) throw notFound(`no event has the uid "${id}"`);
    const status = advisoriesV1.ReviewStatus[decision];
    await client.updateAdvisoryEvent({ ...event, status }, { signal });
    context.err.note(`${DONE[decision]} event ${id}`);
    reviewed.push(id);
  }
  const shown = await Promise.all(reviewed.map((id) => shownEvent(context, id)));
  await context.out.list(shown, EVENT_COLUMNS, { what: "events" });
}

const DONE = {
  UNKNOWN: "left",
  PENDING: "left",
  APPROVED: "approved",
  REJECTED: "rejected",
  REQUEST_CHANGES: "requested changes of",
} as const satisfies Record<keyof typeof advisoriesV1.ReviewStatus, string>;

/** The event of this uid, or all of the advisory of this id that are pending. */
async function eventsMeant(context: Context, text: string): Promise<string[]> {
  if (isUid(text)) return [text];
  const { events, advisoryId } = await findAdvisory(context, text);
  const pending = events.filter(({ reviewState }) => reviewState === ReviewState.PENDING);
  if (pending.length > 0) return pending.map(({ uid }) => uid);
  throw notFound(
    `no event of ${advisoryId} is pending`,
    `\`wharf advisories events list ${advisoryId}\` shows what there is`,
  );
}
