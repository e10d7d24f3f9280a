import { WharfError } from "../../lib/errors.ts";
import { PATTERNS, PatternError } from "../../lib/pattern/patterns.ts";
import { type StepBudget, StepLimitError } from "../../lib/pattern/step-budget.ts";
import type { Checks } from "./checks.ts";

/** Compares a claim with the expected value or pattern. */
export interface Matcher {
  /** A pattern is enclosed in slashes. */
  readonly expected: string;
  readonly isPattern: boolean;
  /** Throws a StepLimitError if the budget is exceeded, a PatternError if the pattern does not compile. */
  matches(value: string, budget: StepBudget): boolean | Promise<boolean>;
}

/** The matchers of a rule, each with the name of the claim that must match. */
export type ClaimMatchers = readonly (readonly [claim: string, matcher: Matcher])[];

/**
 * Checks a value; an undefined one never matches. A pattern that cannot be evaluated within its budget
 * fails the check.
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

/** Why a pattern could not be evaluated. Rethrows errors that have other causes. */
function problemOf(error: unknown): string {
  if (error instanceof StepLimitError) return `takes more than ${error.limit} steps`;
  if (error instanceof PatternError) return error.message;
  throw error;
}

/** Evaluates a matcher outside of a check. A pattern that cannot be evaluated does not match. */
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

export function exactly(expected: string): Matcher {
  // Deny by default: an empty expectation must not match an empty claim.
  const matches = (value: string) => expected !== "" && value === expected;
  return { expected, isPattern: false, matches };
}

export function oneOf(expected: readonly string[]): Matcher {
  const matches = (value: string) => value !== "" && expected.includes(value);
  return { expected: expected.join(" or "), isPattern: false, matches };
}

/** Patterns are meant for names: longer values never match. */
const MAX_VALUE_LENGTH = 4_096;

/**
 * A pattern that the whole value must match. It is compiled on first use, after all cheaper checks.
 */
export function pattern(text: string): Matcher {
  const matches = (value: string, budget: StepBudget) =>
    value.length <= MAX_VALUE_LENGTH && PATTERNS.matches(text, value, budget);
  return { expected: `/${text}/`, isPattern: true, matches };
}
