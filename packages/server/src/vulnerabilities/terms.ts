import { isPartialClearance } from "@wharf/advisories/publish";
import { type Advisory, type AdvisoryEvent, EventTypeFilter, ReviewState } from "@wharf/contract";
import type { TermDefinition } from "../engine/definition.ts";
import { ORIGIN } from "./origins.ts";

/** Event types by their oneof case. */
const EVENT_TYPES: Readonly<Record<NonNullable<AdvisoryEvent["type"]["case"]>, EventTypeFilter>> = {
  detection: EventTypeFilter.DETECTION,
  truePositiveDetermination: EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  fixed: EventTypeFilter.FIXED,
  falsePositiveDetermination: EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  analysisNotPlanned: EventTypeFilter.ANALYSIS_NOT_PLANNED,
  fixNotPlanned: EventTypeFilter.FIX_NOT_PLANNED,
  pendingUpstreamFix: EventTypeFilter.PENDING_UPSTREAM_FIX,
  patched: EventTypeFilter.PATCHED,
  componentLocationChanged: EventTypeFilter.COMPONENT_LOCATION_CHANGED,
};

/** The index terms of advisories. */
export const advisoryTerms: readonly TermDefinition<Advisory>[] = [
  { kind: "id", field: "advisoryIds", of: ({ advisoryId }) => [advisoryId] },
  {
    kind: "legacy-id",
    field: "legacyAdvisoryIds",
    of: ({ legacyAdvisoryId }) => (legacyAdvisoryId === undefined ? [] : [legacyAdvisoryId]),
  },
  {
    kind: "artifact",
    field: "artifactNames",
    overriddenBy: { field: "origin", kind: ORIGIN },
    of: ({ artifactName }) => [artifactName],
    isSearched: true,
  },
  {
    kind: "artifact-type",
    field: "artifactTypes",
    of: ({ artifactType }) => [artifactType],
  },
  {
    kind: "architecture",
    field: "artifactArchitectures",
    of: ({ artifactArchitecture }) => [artifactArchitecture],
  },
  {
    kind: "component",
    field: "componentNames",
    of: ({ componentName }) => [componentName],
    isSearched: true,
  },
  {
    kind: "component-type",
    field: "componentTypes",
    of: ({ componentType }) => [componentType],
  },
  {
    kind: "location",
    field: "componentLocations",
    of: ({ componentLocation }) => [componentLocation],
  },
  { kind: "alias", field: "aliases", of: ({ aliases }) => aliases, isSearched: true },
  {
    kind: "state",
    field: "eventReviewStates",
    of: ({ events }) => events.map(({ reviewState }) => reviewState),
  },
  {
    kind: "author",
    field: "eventAuthors",
    excludedBy: "excludeEventAuthors",
    of: ({ events }) => events.map(({ author }) => author),
  },
  {
    kind: "reviewer",
    field: "eventReviewers",
    of: ({ events }) => events.map(({ reviewer }) => reviewer),
  },
  {
    kind: "type",
    field: "eventTypes",
    of: ({ events }) => events.map(typeOf),
  },
  { kind: "latest", field: "latestEventType", of: (advisory) => [latestType(advisory)] },
];

function typeOf({ type }: AdvisoryEvent): EventTypeFilter {
  return type.case === undefined ? EventTypeFilter.UNSPECIFIED : EVENT_TYPES[type.case];
}

/**
 * The type of the latest approved event; events are ordered by time. A changed component location, and single
 * products that are not affected, do not change the status of an advisory.
 */
function latestType({ events }: Advisory): EventTypeFilter {
  const latest = events.findLast((event) => {
    const { reviewState, type } = event;
    if (isPartialClearance(event)) return false;
    return reviewState === ReviewState.APPROVED && type.case !== "componentLocationChanged";
  });
  return latest === undefined ? EventTypeFilter.UNSPECIFIED : typeOf(latest);
}
