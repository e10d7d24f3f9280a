import type { Assessment, Kind } from "./assessment.ts";

/** The impact statement of "not affected" without a note. */
export const NOT_AFFECTED = "The vulnerability does not affect this package.";

/**
 * The impact statement of a false positive whose vulnerability record is contested. VEX has no justification for
 * it, so the reader identifies it by the sentence.
 */
export const CONTESTED = "The analysis in the vulnerability record is contested.";

/** The impact statement of "under investigation". */
export const NOT_KNOWN = "It is not known yet whether the vulnerability affects this package.";

/**
 * The action statements of "affected", by event type. VEX has no field for most of these types, so the reader
 * identifies the type by the sentence: none is a prefix of another.
 */
export const ACTIONS = {
  truePositiveDetermination: "A fix is not available yet.",
  pendingUpstreamFix: "A fix is not available yet: it has to come from upstream.",
  fixNotPlanned: "A fix is not planned.",
  analysisNotPlanned: "An analysis, and so a fix, is not planned.",
  fixed: "A fix was made, but no version that has it is known.",
  patched: "A patch was made, but no version that has it is known.",
} as const satisfies Partial<Record<Kind, string>>;

/** The status notes of "fixed", by event type. */
export const FIXES = {
  fixed: "This version has the fix.",
  patched: "This version was patched.",
} as const satisfies Partial<Record<Kind, string>>;

/**
 * The impact statement of a product that is not affected.
 *
 * @example impactOf(assessment) // "The vulnerability does not affect this package."
 */
export function impactOf({ isContested, note }: Assessment): string {
  return isContested ? withNote(CONTESTED, note) : note || NOT_AFFECTED;
}

/**
 * The action statement of an affected product.
 *
 * @example actionOf(assessment) // "A fix is not planned."
 */
export function actionOf({ kind, note }: Assessment): string {
  const known: Partial<Record<Kind, string>> = ACTIONS;
  return withNote(known[kind] ?? ACTIONS.truePositiveDetermination, note);
}

/**
 * The status note of a fixed version.
 *
 * @example fixOf(assessment) // "This version has the fix."
 */
export function fixOf({ kind, note }: Assessment): string {
  return withNote(kind === "patched" ? FIXES.patched : FIXES.fixed, note);
}

function withNote(sentence: string, note: string): string {
  return note === "" ? sentence : `${sentence} ${note}`;
}
