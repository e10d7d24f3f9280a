import type { Assessment, Kind } from "./assessment.ts";

/** What is said where whoever decided has not said why. */
export const NOT_AFFECTED = "The vulnerability does not affect this package.";

/** What is said of what is being looked into. */
export const NOT_KNOWN = "It is not known yet whether the vulnerability affects this package.";

/**
 * What whoever is affected is told to do, by the kind of event. VEX has no word for most of these, so the
 * reader tells the kind by the sentence: none begins like another.
 */
export const ACTIONS = {
  truePositiveDetermination: "A fix is not available yet.",
  pendingUpstreamFix: "A fix is not available yet: it has to come from upstream.",
  fixNotPlanned: "A fix is not planned.",
  analysisNotPlanned: "An analysis, and so a fix, is not planned.",
  fixed: "A fix was made, but no version that has it is known.",
  patched: "A patch was made, but no version that has it is known.",
} as const satisfies Partial<Record<Kind, string>>;

/** What is said of a version that has the fix, by the kind of event. */
export const FIXES = {
  fixed: "This version has the fix.",
  patched: "This version was patched.",
} as const satisfies Partial<Record<Kind, string>>;

/**
 * What whoever is affected is told to do.
 *
 * @example actionOf(assessment) // "A fix is not planned."
 */
export function actionOf({ kind, note }: Assessment): string {
  const known: Partial<Record<Kind, string>> = ACTIONS;
  return withNote(known[kind] ?? ACTIONS.truePositiveDetermination, note);
}

/**
 * What is said of a version that has the fix.
 *
 * @example fixOf(assessment) // "This version has the fix."
 */
export function fixOf({ kind, note }: Assessment): string {
  return withNote(kind === "patched" ? FIXES.patched : FIXES.fixed, note);
}

function withNote(sentence: string, note: string): string {
  return note === "" ? sentence : `${sentence} ${note}`;
}
