import { equals } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { isSameArtifact, isSameComponent, type Naming } from "@wharf/advisories/publish";
import { type Advisory, type AdvisoryEvent, AdvisorySchema, ReviewState } from "@wharf/contract";
import { saysMore } from "./adds-information.ts";

/** Who takes advisories in, and how their artifacts are called here. */
export interface Importer {
  /** The author of what names none. */
  readonly actor: string;
  /** Whether what they bring in counts as reviewed; otherwise all of it is pending. */
  readonly approves: boolean;
  readonly naming: Naming;
}

/**
 * What an advisory becomes when one that was written elsewhere is taken in: what it is about is
 * replaced, its events are joined. Returns the very one that was there when nothing changes. One that
 * was deleted here stays so.
 *
 * @example const after = merged(stored, given, { actor: caller.uid, approves: true, naming });
 */
export function merged(
  before: Advisory | undefined,
  given: Advisory,
  importer: Importer,
): Advisory {
  if (before?.deleteTime !== undefined) return before;
  // Copied no deeper than it is changed: very many come at once.
  const after: Advisory = {
    ...given,
    uid: before?.uid ?? "",
    ...aboutOf(before, given, importer.naming),
    author: before?.author || given.author || importer.actor,
    aliases: aliasesOf(before, given),
    events: joined(before?.events ?? [], given.events, importer),
    severities: [],
  };
  const createTime = before === undefined ? inMilliseconds(given.createTime) : before.createTime;
  setOrClear(after, "createTime", createTime);
  setOrClear(after, "updateTime", before?.updateTime);
  // Most formats have no word for it.
  if (before?.legacyAdvisoryId !== undefined) after.legacyAdvisoryId ||= before.legacyAdvisoryId;
  delete after.deleteTime;
  delete after.$unknown;
  return before !== undefined && equals(AdvisorySchema, before, after) ? before : after;
}

/** What an advisory is about. */
const ABOUT = [
  ...(["artifactName", "artifactType", "artifactArchitecture"] as const),
  ...(["componentName", "componentType", "componentLocation"] as const),
];

/**
 * What it is about. The same by another name stays as it is called here, and who says nothing of where in
 * an artifact the component is knows no more of it than we do.
 */
function aboutOf(before: Advisory | undefined, given: Advisory, naming: Naming) {
  if (before === undefined || ABOUT.every((name) => before[name] === given[name])) return {};
  const saysNoPlace = given.componentLocation === "";
  const placed = saysNoPlace ? { ...given, componentLocation: before.componentLocation } : given;
  const isSame = isSameArtifact(before, placed, naming);
  const { artifactName, artifactType, artifactArchitecture } = isSame ? before : given;
  const staysIn = isSame || before.artifactName === given.artifactName;
  const isKnown = staysIn && (saysNoPlace || isSameComponent(before, given, naming));
  const { componentName, componentType, componentLocation } = isKnown ? before : given;
  return {
    ...{ artifactName, artifactType, artifactArchitecture },
    ...{ componentName, componentType, componentLocation },
  };
}

/** The same in another order are the same; its own id says nothing. */
function aliasesOf(before: Advisory | undefined, given: Advisory): string[] {
  const aliases = new Set(given.aliases);
  const known = before?.aliases ?? [];
  const told = new Set(known.filter((alias) => alias !== "" && alias !== given.advisoryId));
  const said = aliases.difference(new Set(["", given.advisoryId]));
  const isSame = told.size === said.size && told.isSubsetOf(said);
  return isSame && before !== undefined ? known : [...aliases];
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
 * The events of both, in the order in which they happened. Those of the same time and type are the
 * same event, which then says what the newcomer says, if that is more; the first of several such is
 * the same as the first, and so on. Events that are known keep their order where their times are
 * equal: the last one says how the advisory stands.
 */
function joined(
  stored: readonly AdvisoryEvent[],
  given: readonly AdvisoryEvent[],
  importer: Importer,
): AdvisoryEvent[] {
  const present = Map.groupBy(stored, keyOf);
  const replacing = new Map<AdvisoryEvent, AdvisoryEvent[]>();
  let added: AdvisoryEvent[] = [];
  for (const event of given) {
    const before = take(present.get(keyOf(event)) ?? [], event);
    added.push(takenIn(before, event, importer));
    if (before === undefined) continue;
    // What is new in the document before an event that is known comes before it here.
    replacing.set(before, added);
    added = [];
  }
  const known = stored.flatMap((event) => replacing.get(event) ?? event);
  return [...known, ...added].sort(byTime);
}

/** The one of the same events that a newcomer is: which it says nothing new of, or else the first. */
function take(same: AdvisoryEvent[], given: AdvisoryEvent): AdvisoryEvent | undefined {
  const known = same.findIndex((event) => !saysMore(event, given));
  return same.splice(Math.max(known, 0), 1)[0];
}

function takenIn(
  before: AdvisoryEvent | undefined,
  given: AdvisoryEvent,
  { actor, approves }: Importer,
): AdvisoryEvent {
  const counts = approves && !awaitsOthers(before, actor);
  const reviewState = counts ? given.reviewState || ReviewState.APPROVED : ReviewState.PENDING;
  if (before !== undefined && staysAsItIs(before, { ...given, reviewState })) return before;
  return {
    ...given,
    uid: before?.uid ?? "",
    // What is yet to be reviewed is by whoever brings it: they are the one who cannot approve it.
    author: counts ? before?.author || given.author || actor : actor,
    // Nobody here has reviewed it, whoever a document names.
    reviewer: "",
    reviewState,
    createTime: timestampFromMs(timeOf(given)),
  };
}

/** Whether an event waits for the review of someone else: nobody approves their own by importing it. */
function awaitsOthers(before: AdvisoryEvent | undefined, actor: string): boolean {
  if (before === undefined || before.author !== actor) return false;
  const { PENDING, REQUEST_CHANGES } = ReviewState;
  return before.reviewState === PENDING || before.reviewState === REQUEST_CHANGES;
}

function staysAsItIs(before: AdvisoryEvent, given: AdvisoryEvent): boolean {
  if (staysDecided(before, given.reviewState)) return true;
  // Whoever asked for changes has not got any from what says the same again.
  const isWaiting = before.reviewState === ReviewState.REQUEST_CHANGES;
  return !saysMore(before, isWaiting ? { ...given, reviewState: before.reviewState } : given);
}

/**
 * What someone here has decided is not decided again by what comes from elsewhere; nor is what was
 * decided elsewhere taken back, as by a draft: it was published.
 */
function staysDecided({ reviewer, reviewState }: AdvisoryEvent, given: ReviewState): boolean {
  const decided = reviewState === ReviewState.APPROVED || reviewState === ReviewState.REJECTED;
  return decided && (reviewer !== "" || reviewState !== given);
}

function keyOf(event: AdvisoryEvent): string {
  return `${event.type.case} ${timeOf(event)}`;
}

function byTime(one: AdvisoryEvent, other: AdvisoryEvent): number {
  return timeOf(one) - timeOf(other);
}

function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}

/** As precise as times are shown, so that what was read and is given back is the same. */
export function inMilliseconds(time: Timestamp | undefined): Timestamp | undefined {
  return time && timestampFromMs(timestampMs(time));
}
