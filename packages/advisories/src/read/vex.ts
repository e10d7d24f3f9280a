import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { productKey } from "../image-url.ts";
import { parsePackageUrl, versionOf } from "../package-url.ts";
import { type Artifact, createAdvisory, deriveAdvisoryId } from "./artifact.ts";
import type { DocumentNode } from "./document-node.ts";
import { boundedNote, type EventType, eventAt, falsePositive, fixedIn } from "./events.ts";
import { READ_LIMITS } from "./limits.ts";
import { productUrl } from "./package.ts";
import { timeKey } from "./time.ts";

/** The vendor's plan for an affected product. */
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

/** The product and the versions that a statement is about. */
export interface Scope {
  /** The package URL of the product; empty if it is identified by its name only. */
  readonly product: string;
  /** The package URL of the vulnerable component in the product; empty for the product itself. */
  readonly subcomponent: string;
  /** The only versions, if no package URL names them; empty for all that the package URLs name. */
  readonly range: string;
}

/** The scope of a statement about an artifact without package URLs. */
export const ALL_VERSIONS: Scope = { product: "", subcomponent: "", range: "" };

/**
 * The scope of a component in a product. A version of the component limits it, unless the product has one.
 *
 * @example withinScope(image, openssl).subcomponent // "pkg:apk/wolfi/openssl@3.5.0-r0"
 */
export function withinScope(outer: Scope, inner: Scope): Scope {
  const { product } = outer;
  const isVersioned = versionOf(parsePackageUrl(product)) !== "";
  const named = product === "" ? versionOf(parsePackageUrl(inner.product)) : "";
  const range = outer.range || (isVersioned ? "" : named || inner.range);
  return { product, subcomponent: inner.product, range };
}

/**
 * The scope of another version of the component, or else of the product.
 *
 * @example atVersion({ product: "pkg:npm/a@1", subcomponent: "", range: "" }, "2").product // "pkg:npm/a@2"
 */
export function atVersion({ product, subcomponent }: Scope, version: string): Scope {
  if (product === "") return { product, subcomponent, range: version };
  return subcomponent === ""
    ? { product: productUrl(product, version), subcomponent, range: "" }
    : { product, subcomponent: productUrl(subcomponent, version), range: "" };
}

/** A statement about one vulnerability in one product at one time. */
export interface Statement {
  readonly artifact: Artifact;
  readonly vulnerability: string;
  readonly aliases: readonly string[];
  /** If the document names the advisory. */
  readonly advisoryId: string | undefined;
  /** Undefined if the document has none. */
  readonly time: Timestamp | undefined;
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
 * The order of events at one time: the last one is the status of the artifact in formats that have one for all
 * versions. A fix comes last, since it names the version from which on; before it the worst status.
 */
const ORDER = ["not_affected", "under_investigation", "affected", "fixed"] as const;

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
 * The events of statements at one time: one for each assessment, with the package URLs of its products. Products
 * without one cannot be distinguished: the last status holds for all of them.
 */
function eventsOf(statements: readonly Statement[]): AdvisoryEvent[] {
  const { named = [], limited = [], whole = [] } = Object.groupBy(statements, kindOf);
  const namedBy = Map.groupBy(named, statusOf);
  const wholeBy = Map.groupBy(whole, statusOf);
  const status = ORDER.findLast((one) => wholeBy.has(one));
  return [
    ...(limited.length === 0 || status === "not_affected" ? [] : [limitedEvent(limited)]),
    ...ORDER.flatMap((one) => [
      ...(one === status ? [wholeEvent(wholeBy.get(one) ?? [])] : []),
      ...groupBySubcomponents(namedBy.get(one) ?? []).map(eventAbout),
    ]),
  ];
}

/**
 * Package URLs cannot name a range: it does not clear the product, or fix it, but it may affect all of it. A product
 * that is affected although there is a fix must not be named as fixed.
 */
function kindOf({ scope: { product, range }, assessment }: Statement) {
  const { status } = assessment;
  const isClear = status === "not_affected" || status === "fixed";
  const isFixElsewhere = status === "affected" && FIXES.has(assessment.plan);
  const isNamed = product !== "" && (range === "" || !isClear) && !isFixElsewhere;
  if (isNamed) return "named";
  return status === "not_affected" && range !== "" ? "limited" : "whole";
}

/** Plans that become the event of a fix. */
const FIXES: ReadonlySet<Plan> = new Set(["fixed", "patched"]);

function statusOf({ assessment }: Statement): Assessment["status"] {
  return assessment.status;
}

/**
 * Groups statements that one event can express: the same assessment, apart from the version of a fix, of products
 * that have the same vulnerable components.
 */
function groupBySubcomponents(statements: readonly Statement[]): Statement[][] {
  const alike = Map.groupBy(statements, ({ assessment }) =>
    JSON.stringify({ ...assessment, version: "" }),
  );
  return [...alike.values()].flatMap((own) => {
    const byProduct = Map.groupBy(own, ({ scope }) => scope.product);
    const bySubcomponents = Map.groupBy([...byProduct.values()], (all) =>
      JSON.stringify(subcomponentsOf(all).sort()),
    );
    return [...bySubcomponents.values()].map((all) => all.flat());
  });
}

function wholeEvent(statements: readonly Statement[], words = ""): AdvisoryEvent {
  const first = statements[0] as Statement;
  return eventAt(first.time, typeOf(assessmentsOf(statements), words), first);
}

/** An event about the products of statements; about all versions if there are too many of them to be named. */
function eventAbout(statements: readonly Statement[]): AdvisoryEvent {
  const products = productsOf(statements);
  const named = products.slice(0, READ_LIMITS.eventProducts);
  const unnamed = products.slice(READ_LIMITS.eventProducts);
  const isClearance = statements.some(({ assessment }) => assessment.status === "not_affected");
  // No other products are cleared.
  const event = wholeEvent(statements, isClearance ? wordsOn(unnamed, false) : "");
  if (unnamed.length === 0 || isClearance) event.products = named;
  if (event.products.length > 0) {
    event.subcomponents = subcomponentsOf(statements).slice(0, READ_LIMITS.eventProducts);
  }
  return event;
}

/** Ranges of versions that are not affected must not clear the others without a review. */
function limitedEvent(statements: readonly Statement[]): AdvisoryEvent {
  const words = wordsOn([...new Set(statements.map(({ scope }) => scope.range))], true);
  const event = wholeEvent(statements, words);
  event.reviewState = ReviewState.PENDING;
  return event;
}

function assessmentsOf(statements: readonly Statement[]): Assessment[] {
  return statements.map(({ assessment }) => assessment);
}

/**
 * The products of statements, each once: package URLs of the same image with the repository in different forms are
 * the same product.
 */
function productsOf(statements: readonly Statement[]): string[] {
  const found = new Map<string, string>();
  for (const { product } of statements.map(({ scope }) => scope)) {
    const key = productKey(product);
    if (product !== "" && (product === key || !found.has(key))) found.set(key, product);
  }
  return [...found.values()];
}

function subcomponentsOf(statements: readonly Statement[]): string[] {
  const all = statements.map(({ scope }) => scope.subcomponent).filter((one) => one !== "");
  return [...new Set(all)];
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
