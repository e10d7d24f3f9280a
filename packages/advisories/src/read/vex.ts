import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { type Artifact, advisoryOn, idFor } from "./artifact.ts";
import type { At } from "./at.ts";
import { boundedNote, type EventType, eventAt, falsePositive, fixedIn } from "./events.ts";
import { READ_LIMITS } from "./limits.ts";
import { timeKey } from "./time.ts";

/** What is to become of what is affected. */
export type Plan = "fix" | "none" | "upstream" | "no-analysis" | "fixed" | "patched";

/** How a product stands, whichever format of VEX says so. */
export type Standing =
  | {
      readonly status: "fixed";
      readonly version: string;
      /** Whether it says that it is one of several. */
      readonly isPatched: boolean;
      readonly note: string;
    }
  | {
      readonly status: "affected";
      readonly plan: Plan;
      readonly note: string;
    }
  | { readonly status: "under_investigation"; readonly note: string }
  | {
      readonly status: "not_affected";
      readonly because: FalsePositive;
      readonly note: string;
      /** The version that alone this is said of; empty where it is said of all. */
      readonly only: string;
    };

/** What a document says of one vulnerability in one product at one time. */
export interface Statement {
  readonly artifact: Artifact;
  readonly vulnerability: string;
  readonly aliases: readonly string[];
  /** Where the document names the advisory itself. */
  readonly advisoryId: string | undefined;
  readonly time: Timestamp;
  readonly author: string;
  readonly reviewState: ReviewState;
  readonly standing: Standing;
}

/** How much a document has said up to some place of it: a few bytes can name very many products. */
export class StatementBudget {
  #count = 0;

  /**
   * Whether more can be taken; the first that cannot is refused.
   *
   * @example if (!budget.takes(products.length, at)) return [];
   */
  takes(more: number, at: At): boolean {
    const before = this.#count;
    this.#count += more;
    if (this.#count <= READ_LIMITS.statements) return true;
    if (before <= READ_LIMITS.statements) {
      at.refuse(`more than ${READ_LIMITS.statements} things are said of products up to here`);
    }
    return false;
  }
}

export const JUSTIFICATIONS: ReadonlyMap<string, FalsePositive> = new Map([
  ["component_not_present", FalsePositive.COMPONENT_VULNERABILITY_MISMATCH],
  ["vulnerable_code_not_present", FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE],
  ["vulnerable_code_not_in_execute_path", FalsePositive.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH],
  [
    "vulnerable_code_cannot_be_controlled_by_adversary",
    FalsePositive.VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY,
  ],
  ["inline_mitigations_already_exist", FalsePositive.INLINE_MITIGATIONS_EXIST],
]);

/**
 * What counts when a document says several things of one artifact at one time, of its versions: a
 * fix tells from which one on; without it, the worst does.
 */
const RANK = ["fixed", "affected", "under_investigation", "not_affected"] as const;

/**
 * The advisories that statements come to: one for each vulnerability in each artifact, with one
 * event for each time that something is said of it.
 *
 * @example advisoriesFrom(statements)
 */
export function advisoriesFrom(statements: readonly Statement[]): Advisory[] {
  const ambiguous = namedForSeveral(statements);
  const byAdvisory = Map.groupBy(statements, (one) =>
    one.advisoryId === undefined || ambiguous.has(one.advisoryId) ? idOf(one) : one.advisoryId,
  );
  return [...byAdvisory].map(([advisoryId, own]) => {
    const first = own[0] as Statement;
    const byTime = Map.groupBy(own, ({ time }) => timeKey(time));
    return advisoryOn(first.artifact, {
      advisoryId,
      author: first.author,
      aliases: [...new Set(own.flatMap((one) => [one.vulnerability, ...one.aliases]))].filter(
        (alias) => alias !== advisoryId,
      ),
      events: [...byTime.values()].map(eventOf),
    });
  });
}

function idOf({ artifact, vulnerability }: Statement): string {
  return idFor(artifact, vulnerability);
}

/** The advisories that a document names for several artifacts. One is about one, and no word on the others may get lost. */
function namedForSeveral(statements: readonly Statement[]): ReadonlySet<string | undefined> {
  const named = Map.groupBy(statements, ({ advisoryId }) => advisoryId);
  const artifacts = (own: readonly Statement[]) =>
    new Set(own.map(({ artifact: { architecture: _, ...rest } }) => JSON.stringify(rest)));
  return new Set([...named].filter(([, own]) => artifacts(own).size > 1).map(([id]) => id));
}

function eventOf(statements: readonly Statement[]) {
  const first = statements[0] as Statement;
  const standings = statements.map(({ standing }) => standing);
  const status = RANK.find((rank) => standings.some((one) => one.status === rank));
  const chosen = standings.filter((one) => one.status === status);
  const only = onlyOf(chosen);
  const event = eventAt(first.time, typeOf(chosen, only), first);
  // An advisory has no versions: that one is not affected must not clear all others by itself.
  if (only.length > 0) event.reviewState = ReviewState.PENDING;
  return event;
}

/** The versions that alone are said not to be affected; none where all are, or any is. */
function onlyOf(standings: readonly Standing[]): string[] {
  const versions = standings.map((one) => (one.status === "not_affected" ? one.only : ""));
  return versions.includes("") ? [] : [...new Set(versions)];
}

/** More versions than this are counted, not named. */
const NAMED_VERSIONS = 10;

function noteOnVersions(only: readonly string[], note: string): string {
  if (only.length === 0) return note;
  const named = only.slice(0, NAMED_VERSIONS).join(", ");
  const others = only.length - NAMED_VERSIONS;
  const words = `Said of ${named}${others > 0 ? ` and ${others} more` : ""} alone.`;
  return note === "" ? words : `${words} ${note}`;
}

function typeOf(standings: readonly Standing[], only: readonly string[]): EventType {
  const first = standings[0] as Standing;
  const notes = [...new Set(standings.map((one) => one.note))].filter(Boolean).join("\n");
  const note = boundedNote(noteOnVersions(only, notes));
  switch (first.status) {
    case "fixed":
      return fixes(standings, note);
    case "under_investigation":
      return { case: "detection", value: { type: { case: "manual", value: {} } } };
    case "not_affected":
      return falsePositive(first.because, note);
    case "affected":
      return PLANS[first.plan](note);
  }
}

const PLANS: Readonly<Record<Plan, (note: string) => EventType>> = {
  fix: (note) => ({ case: "truePositiveDetermination", value: { note } }),
  none: (note) => ({ case: "fixNotPlanned", value: { note } }),
  "no-analysis": (note) => ({ case: "analysisNotPlanned", value: { note } }),
  upstream: (note) => ({ case: "pendingUpstreamFix", value: { note } }),
  fixed: (note) => ({ case: "fixed", value: { fixedVersion: "", note } }),
  patched: (note) => ({ case: "patched", value: { patchedVersions: [], note } }),
};

function fixes(standings: readonly Standing[], note: string): EventType {
  const fixed = standings.filter((one) => one.status === "fixed");
  const versions = [...new Set(fixed.map(({ version }) => version).filter(Boolean))];
  if (!fixed.some(({ isPatched }) => isPatched)) return fixedIn(versions, note);
  return { case: "patched", value: { patchedVersions: versions, note } };
}
