import type { Participant } from "./db/commit/participant.ts";
import { COUNTS } from "./resources/counts.ts";
import { GRANT_CHANGES } from "./tables/access/access-log.ts";
import { EVENTS } from "./tables/audit/audit-and-events.ts";
import { auditParticipant } from "./tables/audit/audit-participant.ts";
import { AuditChains } from "./tables/audit/chains.ts";

/** The tables that take part in every commit of a store. */
export function participantsOf(chains = new AuditChains()): readonly Participant[] {
  return [GRANT_CHANGES, auditParticipant(chains), EVENTS, COUNTS];
}
