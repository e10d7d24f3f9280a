import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import {
  AdvisoriesService,
  EventTypeFilter,
  type ListAdvisoriesRequest,
  ListAdvisoriesRequestSchema,
  ListAdvisoriesResponseSchema,
  type ReviewState,
  advisoriesV1 as v1,
} from "@wharf/contract";
import { listMethod } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { attempt } from "../../lib/maybe-promise.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type FieldNames, renameFields } from "../../rpc/v1/names.ts";
import { advisories } from "../advisories.ts";
import { toV1 } from "./messages.ts";

/** Orders by their version 2 names. Deleted advisories are not listed, so times of deletion order nothing. */
const ORDERS: Readonly<Partial<Record<v1.OrderBy, string>>> = {
  [v1.OrderBy.ORDER_BY_UNSPECIFIED]: "",
  [v1.OrderBy.ID_ASC]: "uid asc",
  [v1.OrderBy.ID_DESC]: "uid desc",
  [v1.OrderBy.CREATED_AT_ASC]: "created_at asc",
  [v1.OrderBy.CREATED_AT_DESC]: "created_at desc",
  [v1.OrderBy.UPDATED_AT_ASC]: "updated_at asc",
  [v1.OrderBy.UPDATED_AT_DESC]: "updated_at desc",
  [v1.OrderBy.ALIASES_ASC]: "aliases asc",
  [v1.OrderBy.ALIASES_DESC]: "aliases desc",
  [v1.OrderBy.DELETED_AT_ASC]: "uid asc",
  [v1.OrderBy.DELETED_AT_DESC]: "uid desc",
};

/** The version 1 names of version 2 filters. */
const NAMES: FieldNames = {
  artifactNames: "artifactName",
  artifactTypes: "artifactType",
  artifactArchitectures: "artifactArchitecture",
  componentNames: "componentName",
  componentTypes: "componentType",
  componentLocations: "componentLocation",
  eventReviewStates: "eventStatuses",
  eventAuthors: "eventAuthor",
  excludeEventAuthors: "excludeEventAuthor",
  eventReviewers: "eventReviewer",
};

/** The maximum of the version 2 field; pages are smaller anyway. */
const MAX_INT32 = 2n ** 31n - 1n;

/** The version 1 list, by the version 2 list. */
export function listV1(deps: ListDeps): Handler {
  const list = listMethod(advisories, AdvisoriesService.method.listAdvisories, deps);
  return async (call, message) => {
    const filter = message as v1.AdvisoryFilter;
    const request = requestOf(filter);
    if (request === undefined) {
      return messageReply(
        v1.AdvisoriesListSchema,
        create(v1.AdvisoriesListSchema, { totalCount: 0n }),
      );
    }
    const reply = await attempt(
      () => list(asBinary(call), request),
      (thrown) => Promise.reject(renameFields(thrown, NAMES)),
    );
    const page = fromBinary(ListAdvisoriesResponseSchema, reply.binary());
    const { nextPageToken, totalCount } = page;
    const response = create(v1.AdvisoriesListSchema, {
      items: page.advisories.map(toV1),
      nextPageToken,
      ...(totalCount !== undefined && { totalCount }),
    });
    return messageReply(v1.AdvisoriesListSchema, response);
  };
}

/** Translates the filter to version 2; undefined if nothing can match. */
function requestOf(filter: v1.AdvisoryFilter): ListAdvisoriesRequest | undefined {
  const uidp = filterOf(filter.id, filter.uidp);
  if (uidp === undefined) return undefined;
  const { origin, latestEventType, pageToken, aliases } = filter;
  const init: MessageInitShape<typeof ListAdvisoriesRequestSchema> = {
    uidp,
    advisoryIds: filter.advisoryIds,
    legacyAdvisoryIds: filter.legacyAdvisoryIds,
    artifactNames: filter.artifactName,
    artifactTypes: filter.artifactType,
    artifactArchitectures: filter.artifactArchitecture,
    componentNames: filter.componentName,
    componentTypes: filter.componentType,
    componentLocations: filter.componentLocation,
    eventReviewStates: filter.eventStatuses as number[] as ReviewState[],
    eventAuthors: filter.eventAuthor,
    excludeEventAuthors: filter.excludeEventAuthor,
    eventReviewers: filter.eventReviewer,
    eventTypes: filter.eventTypes.map(eventType),
    ...(origin !== undefined && { origin }),
    ...(latestEventType !== undefined && { latestEventType: eventType(latestEventType) }),
    ...{ aliases, pageToken, pageSize: pageSize(filter.pageSize), orderBy: order(filter.orderBy) },
  };
  return create(ListAdvisoriesRequestSchema, init);
}

/** The only type that the public version 2 lacks has a number outside its range. */
function eventType(type: v1.EventTypeFilter): EventTypeFilter {
  if (type === v1.EventTypeFilter.COMPONENT_LOCATION_CHANGED) {
    return EventTypeFilter.COMPONENT_LOCATION_CHANGED;
  }
  return type as number as EventTypeFilter;
}

function pageSize(requested: bigint): number {
  return Number(requested > MAX_INT32 ? MAX_INT32 : requested < 0n ? -1n : requested);
}

function order(requested: v1.OrderBy): string {
  const found = ORDERS[requested];
  if (found !== undefined) return found;
  const description = `orderBy cannot be ${requested}`;
  throw invalidArgument({ field: "orderBy", description });
}

/** The call with a binary response, which this decodes. */
function asBinary(call: Call): Call {
  const { requestId, authorization, remoteAddress, userAgent, via, signal } = call;
  const { method, caller, time } = call;
  return {
    ...{ requestId, authorization, remoteAddress, userAgent, via, signal, method, caller, time },
    format: "binary",
  };
}
