import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { type Artifact, createAdvisory, deriveAdvisoryId } from "./artifact.ts";
import type { DocumentNode } from "./document-node.ts";
import { boundedNote, type EventType, eventAt, falsePositive, fixedIn } from "./events.ts";
import { READ_LIMITS } from "./limits.ts";
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
    };

/** What a statement is limited to. */
export interface Scope {
  /** The package URL of the only product that is meant; empty for all versions. */
  readonly product: string;
  /** The only versions, if no package URL names them: a range, or a version of a component; empty for all. */
  readonly range: string;
}

/** The scope of a statement about all versions. */
export const ALL_VERSIONS: Scope = { product: "", range: "" };

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
  readonly scope: Scope;
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
      events: [...byTime.values()].flatMap(eventsOf),
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

/**
 * The events of statements at one time. That single versions are not affected does not contradict the status of the
 * others, so it is an event of its own.
 */
function eventsOf(statements: readonly Statement[]): AdvisoryEvent[] {
  const { limited = [], whole = [] } = Object.groupBy(statements, ({ assessment, scope }) => {
    const isLimited = scope.product !== "" || scope.range !== "";
    return assessment.status === "not_affected" && isLimited ? "limited" : "whole";
  });
  const status = RANK.find((rank) => whole.some(({ assessment }) => assessment.status === rank));
  return [
    ...(status === undefined ? [] : [wholeEvent(whole, status)]),
    ...(limited.length === 0 || status === "not_affected" ? [] : [limitedEvent(limited)]),
  ];
}

function wholeEvent(statements: readonly Statement[], status: Assessment["status"]): AdvisoryEvent {
  const first = statements[0] as Statement;
  const chosen = statements.filter(({ assessment }) => assessment.status === status);
  const event = eventAt(first.time, typeOf(assessmentsOf(chosen), ""), first);
  // Other versions have other statuses: the worst one holds for all.
  const products = chosen.length === statements.length ? productsOf(chosen) : [];
  const isComplete = products.length > 0 && products.length <= READ_LIMITS.eventProducts;
  // A fix has its versions.
  if (isComplete && status !== "fixed") event.products = products;
  return event;
}

/** Single versions that are not affected must not clear the others without a review. */
function limitedEvent(statements: readonly Statement[]): AdvisoryEvent {
  const first = statements[0] as Statement;
  const products = statements.map(({ scope }) => scope.product).filter((one) => one !== "");
  const named = [...new Set(products)].slice(0, READ_LIMITS.eventProducts);
  const ranges = statements.filter(({ scope }) => scope.product === "");
  const unnamed = [...new Set(ranges.map(({ scope }) => scope.range)), ...products].filter(
    (one) => !named.includes(one),
  );
  const words = wordsOn([...new Set(unnamed)], named.length === 0);
  const event = eventAt(first.time, typeOf(assessmentsOf(statements), words), first);
  event.products = named;
  if (named.length === 0) event.reviewState = ReviewState.PENDING;
  return event;
}

function assessmentsOf(statements: readonly Statement[]): Assessment[] {
  return statements.map(({ assessment }) => assessment);
}

/** The products that statements are limited to; none if any is about all versions. */
function productsOf(statements: readonly Statement[]): string[] {
  const products = statements.map(({ scope }) => scope.product);
  return products.includes("") ? [] : [...new Set(products)];
}

/** Further versions are counted instead of named. */
const MAX_NAMED_VERSIONS = 10;

function wordsOn(versions: readonly string[], isAlone: boolean): string {
  if (versions.length === 0) return "";
  const named = versions.slice(0, MAX_NAMED_VERSIONS).join(", ");
  const others = versions.length - MAX_NAMED_VERSIONS;
  const list = `${named}${others > 0 ? ` and ${others} more` : ""}`;
  return isAlone ? `Said of ${list} alone.` : `Also said of ${list}.`;
}

function typeOf(assessments: readonly Assessment[], words: string): EventType {
  const first = assessments[0] as Assessment;
  const notes = [...new Set(assessments.map((one) => one.note))].filter(Boolean).join("\n");
  const note = boundedNote([words, notes].filter(Boolean).join(" "));
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
