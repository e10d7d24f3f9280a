import { parentOf, type VulnerabilitySource } from "@wharf/contract";
import { OPERATOR_UID } from "../../auth/caller.ts";
import { newEventId } from "../../lib/event-id.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import type { SourceState } from "../../store/tables/exposure/sources/source-states.ts";
import { hydrateSources, isStale, vulnerabilitySources } from "./definition.ts";

/** Failures after which a source is reported. */
const MAX_FAILURES = 3;

/** Whether an event must report that a source has stopped: once until it succeeds again. */
export function mustAlert(source: VulnerabilitySource, state: SourceState, now: number): boolean {
  return !state.alerted && (state.failures >= MAX_FAILURES || isStale(source, state, now));
}

/** Writes the event of a source that has stopped, with its status. */
export async function writeAlert(
  tx: Transaction,
  source: VulnerabilitySource,
  time: number,
): Promise<void> {
  const { uid } = source;
  await hydrateSources(tx, [source]);
  const body = vulnerabilitySources.eventBody(vulnerabilitySources.toRow(source));
  writeEvent(tx, {
    id: newEventId(time),
    time,
    type: "exposure.source.failed.v1",
    subject: uid,
    group: parentOf(uid),
    actor: OPERATOR_UID,
    bodyType: body.type,
    body: body.json,
  });
}
