import type { AdvisoryEvent } from "@wharf/client";
import { parentOf } from "@wharf/contract";
import type { Context } from "../../context.ts";
import { notFound } from "../../errors.ts";

/** An event as it is now, by its uid. */
export async function shownEvent({ client, signal }: Context, uid: string): Promise<AdvisoryEvent> {
  const { advisories } = await client();
  const { events } = await advisories.get({ uid: parentOf(uid) }, { signal });
  const found = events.find((event) => event.uid === uid);
  if (found === undefined) throw notFound(`no event has the uid "${uid}"`);
  return found;
}
