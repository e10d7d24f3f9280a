import { WharfError } from "../../lib/errors.ts";
import { PATTERNS, PatternError } from "../../lib/pattern/patterns.ts";
import { type StepBudget, StepLimitError } from "../../lib/pattern/step-budget.ts";
import type { Checks } from "./checks.ts";

/** Decides whether a value is the wanted one, and can say what that is. */
export interface Matcher {
  /** A pattern stands between slashes. */
  readonly expected: string;
  readonly isPattern: boolean;
  /** Throws a StepLimitError if the budget does not suffice, a PatternError if there is no program. */
  matches(value: string, budget: StepBudget): boolean | Promise<boolean>;
}

/** The values that are asked for, by the name of the claim that must have them. */
export type Wanted = readonly (readonly [claim: string, matcher: Matcher])[];

/**
 * Holds a value against what is wanted; what has no text matches nothing. A pattern that cannot be
 * evaluated within its budget fails the check.
 */
export async function checkValue(
  checks: Checks,
  claim: string,
  matcher: Matcher,
  found: string | undefined,
  budget = checks.steps,
): Promise<boolean> {
  const check = { claim, expected: matcher.expected, found: found ?? "" };
  let problem = "";
  let ok = false;
  try {
    ok = found !== undefined && (await matcher.matches(found, budget));
  } catch (error) {
    problem = problemOf(error);
  }
  if (problem === "") return checks.add({ ...check, ok });
  const text = `invalid "${claim}": its pattern ${problem}`;
  return checks.add(
    { ...check, expected: `${check.expected} (${problem})`, ok: false },
    () => new WharfError("PERMISSION_DENIED", text),
  );
}

/** Why a pattern has no result. Throws what is no fault of the pattern. */
function problemOf(error: unknown): string {
  if (error instanceof StepLimitError) return `takes more than ${error.limit} steps`;
  if (error instanceof PatternError) return error.message;
  throw error;
}

/**
 * As the matcher itself, for those who only want to know: what cannot be evaluated does not match.
 */
export async function wouldMatch(
  matcher: Matcher,
  value: string,
  budget: StepBudget,
): Promise<boolean> {
  try {
    return await matcher.matches(value, budget);
  } catch (error) {
    problemOf(error);
    return false;
  }
}

export function exactly(wanted: string): Matcher {
  // An empty wish would be met by an empty claim.
  const matches = (value: string) => wanted !== "" && value === wanted;
  return { expected: wanted, isPattern: false, matches };
}

export function oneOf(wanted: readonly string[]): Matcher {
  const matches = (value: string) => value !== "" && wanted.includes(value);
  return { expected: wanted.join(" or "), isPattern: false, matches };
}

/** Patterns are written for names: a longer value matches none. */
const MAX_VALUE_LENGTH = 4_096;

/**
 * A pattern that the whole value must match. It is compiled when it is first needed, which is after
 * everything that costs less was checked.
 */
export function pattern(text: string): Matcher {
  const matches = (value: string, budget: StepBudget) =>
    value.length <= MAX_VALUE_LENGTH && PATTERNS.matches(text, value, budget);
  return { expected: `/${text}/`, isPattern: true, matches };
}
