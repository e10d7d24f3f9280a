import { EventTypeFilter, ReviewState } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { given } from "../resource/given.ts";
import { timeAgo } from "../resource/time.ts";
import { within } from "../resource/within.ts";
import { ADVISORY_COLUMNS } from "./columns.ts";
import type { listDefinition, REVIEW_CHOICES, STATUS_CHOICES } from "./commands.ts";
import type { TYPES } from "./events/types.ts";

const EVENTS: Readonly<Record<(typeof STATUS_CHOICES)[number], EventTypeFilter>> = {
  "under-investigation": EventTypeFilter.DETECTION,
  affected: EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  "not-affected": EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  "pending-upstream-fix": EventTypeFilter.PENDING_UPSTREAM_FIX,
  fixed: EventTypeFilter.FIXED,
  patched: EventTypeFilter.PATCHED,
  "fix-not-planned": EventTypeFilter.FIX_NOT_PLANNED,
  "analysis-not-planned": EventTypeFilter.ANALYSIS_NOT_PLANNED,
};

const TYPES_OF_EVENTS: Readonly<Record<(typeof TYPES)[number], EventTypeFilter>> = {
  detection: EventTypeFilter.DETECTION,
  "true-positive-determination": EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  "false-positive-determination": EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  fixed: EventTypeFilter.FIXED,
  patched: EventTypeFilter.PATCHED,
  "pending-upstream-fix": EventTypeFilter.PENDING_UPSTREAM_FIX,
  "analysis-not-planned": EventTypeFilter.ANALYSIS_NOT_PLANNED,
  "fix-not-planned": EventTypeFilter.FIX_NOT_PLANNED,
  "component-location-changed": EventTypeFilter.COMPONENT_LOCATION_CHANGED,
};

const REVIEWS: Readonly<Record<(typeof REVIEW_CHOICES)[number], ReviewState>> = {
  pending: ReviewState.PENDING,
  approved: ReviewState.APPROVED,
  "request-changes": ReviewState.REQUEST_CHANGES,
  rejected: ReviewState.REJECTED,
};

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { origin, query, status, event, review, updatedSince } = args;
  const since = updatedSince === undefined ? undefined : timeAgo("--updated-since", updatedSince);
  const { advisories } = await context.client();
  const request = {
    uidp: await within(context, args),
    advisoryIds: [...args.id],
    legacyAdvisoryIds: [...args.legacyId],
    aliases: [...args.alias],
    artifactNames: [...args.artifact],
    artifactTypes: [...args.artifactType],
    artifactArchitectures: [...args.architecture],
    componentNames: [...args.component],
    componentTypes: [...args.componentType],
    componentLocations: [...args.location],
    eventTypes: event === undefined ? [] : [TYPES_OF_EVENTS[event]],
    eventReviewStates: review === undefined ? [] : [REVIEWS[review]],
    eventAuthors: [...args.author],
    excludeEventAuthors: [...args.notAuthor],
    eventReviewers: [...args.reviewer],
    showDeleted: args.deleted,
    ...given({ origin, query, updatedSince: since, latestEventType: status && EVENTS[status] }),
  };
  await context.progress("listing advisories", () =>
    context.out.list(advisories.listAll(request, { signal: context.signal }), ADVISORY_COLUMNS, {
      what: "advisories",
    }),
  );
};
