/** A model of what lists of advisories show. */
import type { Asked } from "./advisory-samples.ts";
import type { Built } from "./random-advisories.ts";

/** The fields of an advisory that lists filter and order by. */
export interface Stored {
  readonly uid: string;
  readonly advisoryId: string;
  readonly legacyAdvisoryId?: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly deleteTime?: string;
  readonly artifactName: string;
  readonly artifactType: string;
  readonly artifactArchitecture: string;
  readonly componentName: string;
  readonly componentType: string;
  readonly componentLocation: string;
  readonly aliases: readonly string[];
  readonly events: readonly StoredEvent[];
}

interface StoredEvent {
  readonly author: string;
  readonly reviewer: string;
  readonly reviewState: string;
  readonly [type: string]: unknown;
}

/** The filter value of each event type. */
export const EVENT_TYPES: Readonly<Record<string, string>> = {
  detection: "EVENT_TYPE_FILTER_DETECTION",
  truePositiveDetermination: "EVENT_TYPE_FILTER_TRUE_POSITIVE_DETERMINATION",
  fixed: "EVENT_TYPE_FILTER_FIXED",
  falsePositiveDetermination: "EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION",
  analysisNotPlanned: "EVENT_TYPE_FILTER_ANALYSIS_NOT_PLANNED",
  fixNotPlanned: "EVENT_TYPE_FILTER_FIX_NOT_PLANNED",
  pendingUpstreamFix: "EVENT_TYPE_FILTER_PENDING_UPSTREAM_FIX",
  patched: "EVENT_TYPE_FILTER_PATCHED",
};

/** The scope of a list. */
export interface Where {
  readonly descendantsOf?: string;
  readonly childrenOf?: string;
  readonly ancestorsOf?: string;
  readonly inRoot?: boolean;
  readonly ids?: readonly string[];
}

/** The request of a list. */
export interface Wish extends Asked {
  readonly uidp?: Where;
  readonly updatedSince?: string;
  readonly showDeleted?: boolean;
}

/** Whether something is at a place or below it. */
export function isWithin(uid: string, place: string): boolean {
  return `${uid}/`.startsWith(`${place}/`);
}

/**
 * Whether a list contains an advisory for a caller who may list at these scopes; everywhere without scopes. Read off
 * the contract, in the slow and obvious way.
 */
export function isShown(
  one: Stored,
  wish: Wish,
  places: readonly string[] | undefined,
  built: readonly Built[],
): boolean {
  const mayList = (uid: string) => places === undefined || places.some((at) => isWithin(uid, at));
  const any = (wanted: readonly string[] | undefined, ...has: readonly unknown[]) =>
    wanted === undefined || wanted.some((value) => has.includes(value));
  const { events } = one;
  const { origin } = wish;
  const names =
    origin === undefined
      ? wish.artifactNames
      : [
          origin,
          ...built
            .filter((of) => of.origin === origin && mayList(of.place))
            .map(({ name }) => name),
        ];
  const isLive = one.deleteTime === undefined;
  return (
    mayList(one.uid) &&
    isWhere(one.uid, wish.uidp ?? {}) &&
    (isLive || wish.showDeleted === true || wish.updatedSince !== undefined) &&
    (wish.updatedSince === undefined ||
      Date.parse(one.updateTime) >= Date.parse(wish.updatedSince)) &&
    any(wish.advisoryIds, one.advisoryId) &&
    any(wish.legacyAdvisoryIds, one.legacyAdvisoryId) &&
    any(names, one.artifactName) &&
    any(wish.artifactTypes, one.artifactType) &&
    any(wish.artifactArchitectures, one.artifactArchitecture) &&
    any(wish.componentNames, one.componentName) &&
    any(wish.componentTypes, one.componentType) &&
    any(wish.componentLocations, one.componentLocation) &&
    any(wish.aliases, ...one.aliases) &&
    any(wish.eventReviewStates, ...events.map(({ reviewState }) => reviewState)) &&
    any(wish.eventAuthors, ...events.map(({ author }) => author)) &&
    !events.some(({ author }) => wish.excludeEventAuthors?.includes(author)) &&
    any(wish.eventReviewers, ...events.map(({ reviewer }) => reviewer)) &&
    any(wish.eventTypes, ...events.map(typeOf)) &&
    (wish.latestEventType === undefined || latestOf(events) === wish.latestEventType) &&
    (wish.query === undefined || isFound(one, wish.query))
  );
}

function typeOf(event: StoredEvent): string {
  const [type] = Object.keys(EVENT_TYPES).filter((name) => event[name] !== undefined);
  return EVENT_TYPES[type ?? ""] ?? "";
}

function latestOf(events: readonly StoredEvent[]): string | undefined {
  const counting = events.filter(({ reviewState }) => reviewState === "REVIEW_STATE_APPROVED");
  const latest = counting.at(-1);
  return latest && typeOf(latest);
}

function isFound({ artifactName, componentName, aliases }: Stored, query: string): boolean {
  return [artifactName, componentName, ...aliases].some((text) => {
    return text.toLowerCase().includes(query.toLowerCase());
  });
}

function isWhere(uid: string, { descendantsOf, childrenOf, ancestorsOf, inRoot, ids }: Where) {
  const group = uid.slice(0, uid.lastIndexOf("/"));
  return (
    (descendantsOf === undefined || isWithin(group, descendantsOf)) &&
    (childrenOf === undefined || group === childrenOf) &&
    (ancestorsOf === undefined || (group !== ancestorsOf && isWithin(ancestorsOf, group))) &&
    !inRoot &&
    (ids === undefined || ids.includes(uid))
  );
}
