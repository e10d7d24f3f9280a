import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { type Artifact, createAdvisory, deriveAdvisoryId } from "./artifact.ts";
import type { DocumentNode } from "./document-node.ts";
import { boundedNote, type EventType, eventAt, falsePositive, fixedIn } from "./events.ts";
import { timeKey } from "./time.ts";

/** What the vendor plans for an affected product. */
export type Plan = "fix" | "none" | "upstream" | "no-analysis" | "fixed" | "patched";

/** The assessment of a product, independent of the VEX format. */
export type Assessment =
  | {
      readonly status: "fixed";
      readonly version: string;
      /** Whether the text says that the version was patched. */
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
      /** The only version that this applies to; empty for all versions. */
      readonly only: string;
    };

/** A statement about one vulnerability in one product at one time. */
export interface Statement {
  readonly artifact: Artifact;
  readonly vulnerability: string;
  readonly aliases: readonly string[];
  /** If the document names the advisory. */
  readonly advisoryId: string | undefined;
  readonly time: Timestamp;
  readonly author: string;
  readonly reviewState: ReviewState;
  readonly assessment: Assessment;
}

/** Counts the statements of a document: a few bytes can refer to very many products. */
export class StatementBudget {
  #count = 0;

  /**
   * Whether the limit permits more statements; the first excess is recorded as a problem.
   *
   * @example if (!budget.add(products.length, node)) return [];
   */
  add(more: number, node: DocumentNode): boolean {
    const before = this.#count;
    this.#count += more;
    const max = node.limits.statements;
    if (this.#count <= max) return true;
    if (before <= max) {
      node.addProblem(`has more than ${max} statements about products up to here`);
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
 * Precedence if a document has several statements about one artifact at one time, for different versions:
 * a fix, since it names the version from which on; otherwise the worst status.
 */
const RANK = ["fixed", "affected", "under_investigation", "not_affected"] as const;

/**
 * Groups statements into advisories: one for each vulnerability in each artifact, with one event for each
 * time.
 *
 * @example advisoriesFrom(statements)
 */
export function advisoriesFrom(statements: readonly Statement[]): Advisory[] {
  const ambiguous = ambiguousIds(statements);
  const byAdvisory = Map.groupBy(statements, (one) =>
    one.advisoryId === undefined || ambiguous.has(one.advisoryId) ? idOf(one) : one.advisoryId,
  );
  return [...byAdvisory].map(([advisoryId, own]) => {
    const first = own[0] as Statement;
    const byTime = Map.groupBy(own, ({ time }) => timeKey(time));
    return createAdvisory(first.artifact, {
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
  return deriveAdvisoryId(artifact, vulnerability);
}

/** Advisory ids that a document uses for several artifacts: an advisory has one artifact, so ids are derived. */
function ambiguousIds(statements: readonly Statement[]): ReadonlySet<string | undefined> {
  const named = Map.groupBy(statements, ({ advisoryId }) => advisoryId);
  const artifacts = (own: readonly Statement[]) =>
    new Set(own.map(({ artifact: { architecture: _, ...rest } }) => JSON.stringify(rest)));
  return new Set([...named].filter(([, own]) => artifacts(own).size > 1).map(([id]) => id));
}

function eventOf(statements: readonly Statement[]) {
  const first = statements[0] as Statement;
  const assessments = statements.map(({ assessment }) => assessment);
  const status = RANK.find((rank) => assessments.some((one) => one.status === rank));
  const chosen = assessments.filter((one) => one.status === status);
  const only = onlyOf(chosen);
  const event = eventAt(first.time, typeOf(chosen, only), first);
  // An advisory has no versions: one unaffected version must not clear the others without a review.
  if (only.length > 0) event.reviewState = ReviewState.PENDING;
  return event;
}

/** The versions that "not affected" is limited to; none if it applies to all versions. */
function onlyOf(assessments: readonly Assessment[]): string[] {
  const versions = assessments.map((one) => (one.status === "not_affected" ? one.only : ""));
  return versions.includes("") ? [] : [...new Set(versions)];
}

/** Further versions are counted instead of named. */
const MAX_NAMED_VERSIONS = 10;

function noteOnVersions(only: readonly string[], note: string): string {
  if (only.length === 0) return note;
  const named = only.slice(0, MAX_NAMED_VERSIONS).join(", ");
  const others = only.length - MAX_NAMED_VERSIONS;
  const words = `Said of ${named}${others > 0 ? ` and ${others} more` : ""} alone.`;
  return note === "" ? words : `${words} ${note}`;
}

function typeOf(assessments: readonly Assessment[], only: readonly string[]): EventType {
  const first = assessments[0] as Assessment;
  const notes = [...new Set(assessments.map((one) => one.note))].filter(Boolean).join("\n");
  const note = boundedNote(noteOnVersions(only, notes));
  switch (first.status) {
    case "fixed":
      return fixes(assessments, note);
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

function fixes(assessments: readonly Assessment[], note: string): EventType {
  const fixed = assessments.filter((one) => one.status === "fixed");
  const versions = [...new Set(fixed.map(({ version }) => version).filter(Boolean))];
  if (!fixed.some(({ isPatched }) => isPatched)) return fixedIn(versions, note);
  return { case: "patched", value: { patchedVersions: versions, note } };
}
