import type { Participant } from "../../db/commit/participant.ts";
import { AuditRows, insertAudit } from "./audit-and-events.ts";
import type { AuditChains } from "./chains.ts";
import { lastCheckpointNames } from "./checkpoints.ts";

/** Writes the audit entries of a batch, linked to those before. */
export function auditParticipant(chains: AuditChains): Participant<AuditRows> {
  return {
    kind: AuditRows,
    stage: "rows",
    begin: () => {
      const continued = chains.continue();
      return {
        write: async (writer, { rows }) => {
          const roots = continued.beginning(rows);
          const names = roots.length === 0 ? undefined : await lastCheckpointNames(writer, roots);
          const linked = continued.link(rows, names);
          await insertAudit(writer, linked.entries);
          linked.written();
        },
        committed: () => continued.committed(),
        aborted: (isUnknown) => {
          if (isUnknown) chains.end();
        },
      };
    },
  };
}
