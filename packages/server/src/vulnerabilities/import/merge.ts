import { equals } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  isSameArtifact,
  isSameComponent,
  type Naming,
  productKey,
  publishedNames,
} from "@wharf/advisories/publish";
import { type Advisory, type AdvisoryEvent, AdvisorySchema, ReviewState } from "@wharf/contract";
import { addsInformation } from "./adds-information.ts";
import { canMerge, type IsOwnName, mergeScope } from "./event-scope.ts";

/** The importer, and the names that artifacts have in this installation. */
export interface Importer {
  /** The author of advisories and events that name none. */
  readonly actor: string;
  /** Whether imported events count as reviewed; otherwise all of them are pending. */
  readonly approves: boolean;
  readonly naming: Naming;
}

/**
 * Merges an imported advisory into the stored one with the same id.
 *
 * - A deleted advisory stays deleted, unchanged.
 * - Author, create time and update time stay as stored; so does a legacy id that the import lacks, since
 *   most formats have no field for it.
 * - Artifact, component and aliases are replaced, unless they only say the same in other words.
 * - Events are merged one by one (see mergeEvents).
 *
 * Returns `stored` itself if nothing changes.
 */
export function mergeAdvisory(
  stored: Advisory | undefined,
  imported: Advisory,
  importer: Importer,
): Advisory {
  if (stored?.deleteTime !== undefined) return stored;
  // A shallow copy: an import has very many advisories.
  const merged: Advisory = {
    ...imported,
    uid: stored?.uid ?? "",
    ...mergeSubject(stored, imported, importer.naming),
    author: stored?.author || imported.author || importer.actor,
    aliases: mergeAliases(stored, imported),
    events: mergeEvents(stored, imported.events, importer),
    severities: [],
  };
  const createTime = stored === undefined ? inMilliseconds(imported.createTime) : stored.createTime;
  setOrClear(merged, "createTime", createTime);
  setOrClear(merged, "updateTime", stored?.updateTime);
  if (stored?.legacyAdvisoryId !== undefined) merged.legacyAdvisoryId ||= stored.legacyAdvisoryId;
  delete merged.deleteTime;
  delete merged.$unknown;
  // Stored apart from the advisory (source-plan.ts).
  delete merged.source;
  return stored !== undefined && equals(AdvisorySchema, stored, merged) ? stored : merged;
}

const SUBJECT_FIELDS = [
  ...(["artifactName", "artifactType", "artifactArchitecture"] as const),
  ...(["componentName", "componentType", "componentLocation"] as const),
];

/**
 * The artifact and the component that the merged advisory is about.
 *
 * - The stored artifact stays if the import names the same one, by whichever of its names.
 * - Within the same artifact the stored component stays if the import names the same one, or no location:
 *   then it knows no more of the component than the store does.
 * - Everything else is taken from the import.
 */
function mergeSubject(stored: Advisory | undefined, imported: Advisory, naming: Naming) {
  if (stored === undefined) return {};
  if (SUBJECT_FIELDS.every((field) => stored[field] === imported[field])) return {};
  const hasLocation = imported.componentLocation !== "";
  const located = hasLocation
    ? imported
    : { ...imported, componentLocation: stored.componentLocation };
  const isSame = isSameArtifact(stored, located, naming);
  const keepsComponent =
    (isSame || stored.artifactName === imported.artifactName) &&
    (!hasLocation || isSameComponent(stored, imported, naming));
  const { artifactName, artifactType, artifactArchitecture } = isSame ? stored : imported;
  const { componentName, componentType, componentLocation } = keepsComponent ? stored : imported;
  return {
    ...{ artifactName, artifactType, artifactArchitecture },
    ...{ componentName, componentType, componentLocation },
  };
}

/** The imported aliases; the stored ones if both are the same set, apart from the advisory's own id. */
function mergeAliases(stored: Advisory | undefined, { advisoryId, aliases }: Advisory): string[] {
  const imported = new Set(aliases);
  if (stored === undefined) return [...imported];
  const ignored = new Set(["", advisoryId]);
  const before = new Set(stored.aliases).difference(ignored);
  const after = imported.difference(ignored);
  const isSame = before.size === after.size && before.isSubsetOf(after);
  return isSame ? stored.aliases : [...imported];
}

function setOrClear(
  advisory: Advisory,
  name: "createTime" | "updateTime",
  time: Timestamp | undefined,
): void {
  if (time === undefined) delete advisory[name];
  else advisory[name] = time;
}

/**
 * Merges imported events into the stored ones, ordered by time.
 *
 * An imported event matches a stored one of the same type and time, and each stored event is matched once.
 * Among several candidates it matches the first to which it adds no information, otherwise the first that one event
 * can express together with it.
 * Where times are equal, stored events keep their order, and a new event comes before the stored event
 * that follows it in the document: the last event determines the status of the advisory.
 */
function mergeEvents(
  stored: Advisory | undefined,
  imported: readonly AdvisoryEvent[],
  importer: Importer,
): AdvisoryEvent[] {
  const known = stored?.events ?? [];
  const unmatched = Map.groupBy(known, matchKey);
  const isOwnNameOf = (event: AdvisoryEvent): IsOwnName => ownNames(stored, event, importer.naming);
  /** For a matched event: the new events that precede it in the document, then the merged event. */
  const replacements = new Map<AdvisoryEvent, AdvisoryEvent[]>();
  let sinceLastMatch: AdvisoryEvent[] = [];
  for (const event of imported) {
    const match = removeMatch(unmatched.get(matchKey(event)) ?? [], event, isOwnNameOf);
    sinceLastMatch.push(mergeEvent(match, event, importer, isOwnNameOf));
    if (match === undefined) continue;
    replacements.set(match, sinceLastMatch);
    sinceLastMatch = [];
  }
  const merged = known.flatMap((event) => replacements.get(event) ?? event);
  return [...merged, ...sinceLastMatch].sort((a, b) => timeOf(a) - timeOf(b));
}

/** Lazy: most events name no products, or the stored ones. */
function ownNames(advisory: Advisory | undefined, event: AdvisoryEvent, naming: Naming): IsOwnName {
  let names: ReadonlySet<string> | undefined;
  return (purl) => {
    names ??= advisory === undefined ? new Set() : publishedNames(advisory, event, naming);
    return names.has(productKey(purl));
  };
}

type IsOwnNameOf = (event: AdvisoryEvent) => IsOwnName;

function matchKey(event: AdvisoryEvent): string {
  return `${event.type.case} ${timeOf(event)}`;
}

function removeMatch(
  candidates: AdvisoryEvent[],
  imported: AdvisoryEvent,
  isOwnNameOf: IsOwnNameOf,
): AdvisoryEvent | undefined {
  const known = candidates.findIndex(
    (event) => !addsInformation(event, imported, isOwnNameOf(event)),
  );
  const at = known >= 0 ? known : candidates.findIndex((event) => canMerge(event, imported));
  return at < 0 ? undefined : candidates.splice(at, 1)[0];
}

/**
 * Merges one imported event into the stored event that it matches, if any.
 *
 * The import counts as reviewed if the importer may approve, unless the stored event is the importer's own and
 * under review: nobody may approve their own event by importing it. Otherwise the result is pending, with the
 * importer as author, who therefore cannot approve it. No document names a reviewer of this installation.
 */
function mergeEvent(
  stored: AdvisoryEvent | undefined,
  imported: AdvisoryEvent,
  { actor, approves }: Importer,
  isOwnNameOf: IsOwnNameOf,
): AdvisoryEvent {
  const isOwnName: IsOwnName = stored === undefined ? () => false : isOwnNameOf(stored);
  const isReviewed = approves && !isOwnUnderReview(stored, actor);
  const reviewState = isReviewed
    ? imported.reviewState || ReviewState.APPROVED
    : ReviewState.PENDING;
  if (stored !== undefined && keepsStored(stored, { ...imported, reviewState }, isOwnName)) {
    return stored;
  }
  return {
    ...imported,
    uid: stored?.uid ?? "",
    author: isReviewed ? stored?.author || imported.author || actor : actor,
    reviewer: "",
    reviewReason: "",
    reviews: stored?.reviews ?? [],
    ...mergeScope(stored, imported, isOwnName),
    reviewState,
    createTime: timestampFromMs(timeOf(imported)),
  };
}

function isOwnUnderReview(stored: AdvisoryEvent | undefined, actor: string): boolean {
  if (stored === undefined || stored.author !== actor) return false;
  const { PENDING, REQUEST_CHANGES } = ReviewState;
  return stored.reviewState === PENDING || stored.reviewState === REQUEST_CHANGES;
}

/**
 * Whether the stored event stays as it is:
 *
 * - A decision of a reviewer here is final. A decision made elsewhere is not withdrawn either, as by a
 *   draft: it was published.
 * - An event for which changes were requested stays if only its review state differs: the same text again
 *   is not the change that was requested.
 * - Any other event stays unless the import adds information.
 */
function keepsStored(
  stored: AdvisoryEvent,
  imported: AdvisoryEvent,
  isOwnName: IsOwnName,
): boolean {
  const { reviewer, reviewState } = stored;
  const isDecided = reviewState === ReviewState.APPROVED || reviewState === ReviewState.REJECTED;
  if (isDecided && (reviewer !== "" || reviewState !== imported.reviewState)) return true;
  const awaitsChanges = reviewState === ReviewState.REQUEST_CHANGES;
  const candidate = awaitsChanges ? { ...imported, reviewState } : imported;
  return !addsInformation(stored, candidate, isOwnName);
}

function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}

/** Truncated to the precision that the API shows, so that a time read and sent back is equal. */
export function inMilliseconds(time: Timestamp | undefined): Timestamp | undefined {
  return time && timestampFromMs(timestampMs(time));
}
