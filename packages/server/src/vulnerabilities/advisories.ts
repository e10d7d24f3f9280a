import type { Message } from "@bufbuild/protobuf";
import {
  AdvisoriesService,
  type Advisory,
  AdvisorySchema,
  type ListAdvisoriesRequest,
} from "@wharf/contract";
import { Resource } from "../engine/resource.ts";
import { withOrigins } from "./origins.ts";
import { addSeverities } from "./severities/definition.ts";
import { addSource } from "./sources/definition.ts";
import { advisoryTerms } from "./terms.ts";

const PRESENT = 0;
const DELETED = 1;

/**
 * Advisories: the assessment of one vulnerability in one component of one artifact. Only an AdvisoryWriter
 * may write them, because incremental readers rely on its update times.
 */
export const advisories: Resource<Advisory> = new Resource({
  service: AdvisoriesService,
  schema: AdvisorySchema,
  table: "advisories",
  tree: { uniqueNames: true },
  index: {
    nameOf: ({ advisoryId }) => advisoryId,
    // Tombstones let incremental readers delete their copy: lists by update time include them.
    partitions: {
      all: [PRESENT, DELETED],
      spanGroups: true,
      of: ({ deleteTime }) => (deleteTime === undefined ? PRESENT : DELETED),
      requested(request: Message) {
        const { showDeleted, updatedSince } = request as ListAdvisoriesRequest;
        return showDeleted || updatedSince !== undefined ? [PRESENT, DELETED] : [PRESENT];
      },
    },
    termOrders: { aliases: "alias" },
    childOrders: ["updated"],
    monotonicUpdateTime: true,
    // An incremental reader continues at the last update time that it has read.
    defaultOrder: (request) => {
      const { updatedSince } = request as ListAdvisoriesRequest;
      return { column: updatedSince === undefined ? "uid" : "updated", descending: false };
    },
    filters: [{ field: "updatedSince", column: "updated", type: "common", isBound: "inclusive" }],
    terms: advisoryTerms,
    textField: "query",
    resolve: withOrigins,
  },
  // A reader whose last sync is older than the tombstones must sync from the beginning.
  softDelete: { partition: DELETED, retentionMs: 30 * 24 * 3_600_000 },
  hydrate: addSeverities,
  hooks: { hydrateDetail: addSource },
});
