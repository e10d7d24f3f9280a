import type { Message } from "@bufbuild/protobuf";
import type { Advisory, ListAdvisoriesRequest } from "@wharf/contract";
import type { Partitions } from "../engine/definition.ts";

const PRESENT = 0;
const DELETED = 1;

/** Whoever keeps a copy and has not looked for so long begins anew. */
export const ADVISORY_SOFT_DELETE = {
  partition: DELETED,
  retentionMs: 30 * 24 * 3_600_000,
} as const;

/**
 * Advisories that are there, and those that were deleted. Deleted ones stay, so that whoever keeps a
 * copy learns of it: lists of what has changed have them, others only when asked to.
 */
export const advisoryPartitions: Partitions<Advisory> = {
  all: [PRESENT, DELETED],
  spanGroups: true,
  of: ({ deleteTime }) => (deleteTime === undefined ? PRESENT : DELETED),
  requested(request: Message) {
    const { showDeleted, updatedSince } = request as ListAdvisoriesRequest;
    return showDeleted || updatedSince !== undefined ? [PRESENT, DELETED] : [PRESENT];
  },
};
