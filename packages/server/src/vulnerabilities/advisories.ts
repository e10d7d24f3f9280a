import {
  AdvisoriesService,
  type Advisory,
  AdvisorySchema,
  type ListAdvisoriesRequest,
} from "@wharf/contract";
import { Resource } from "../engine/resource.ts";
import { withOrigins } from "./origins.ts";
import { ADVISORY_SOFT_DELETE, advisoryPartitions } from "./partitions.ts";
import { addSeverities } from "./severities/severities.ts";
import { advisoryTerms } from "./terms.ts";

/**
 * Advisories: what is known of one vulnerability in one component of one artifact. They are written
 * through an AdvisoryWriter alone, which keeps what readers of changes rely on.
 */
export const advisories: Resource<Advisory> = new Resource({
  service: AdvisoriesService,
  schema: AdvisorySchema,
  table: "advisories",
  tree: { uniqueNames: true },
  index: {
    nameOf: ({ advisoryId }) => advisoryId,
    partitions: advisoryPartitions,
    childOrders: ["updated"],
    monotonicUpdateTime: true,
    // Only in this order does the last update that was read tell where to go on.
    defaultOrder: (request) => {
      const { updatedSince } = request as ListAdvisoriesRequest;
      return { column: updatedSince === undefined ? "uid" : "updated", descending: false };
    },
    filters: [{ field: "updatedSince", column: "updated", type: "common", isBound: "inclusive" }],
    terms: advisoryTerms,
    textField: "query",
    resolve: withOrigins,
  },
  softDelete: ADVISORY_SOFT_DELETE,
  hydrate: addSeverities,
});
