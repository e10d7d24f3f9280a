import { RE2JS } from "re2js";
import type { Check } from "./checks.ts";

/** Decides whether a value is the wanted one, and can say what that is. */
export interface Matcher {
  /** A pattern stands between slashes. */
  readonly expected: string;
  readonly isPattern: boolean;
  matches(value: string): boolean;
}

/** The values that are asked for, by the name of the claim that must have them. */
export type Wanted = readonly (readonly [claim: string, matcher: Matcher])[];

/**
 * Holds a value against what is wanted; what has no text matches nothing.
 *
 * @example checks.note(checkValue("sub", exactly("robot"), claims.sub));
 */
export function checkValue(
  claim: string,
  { expected, matches }: Matcher,
  found: string | undefined,
): Check {
  return { claim, expected, found: found ?? "", ok: found !== undefined && matches(found) };
}

/** @example exactly("repo:acme/app:ref:refs/heads/main") */
export function exactly(wanted: string): Matcher {
  // An empty wish would be met by an empty claim.
  const matches = (value: string) => wanted !== "" && value === wanted;
  return { expected: wanted, isPattern: false, matches };
}

/** @example oneOf(["wharf.example.com", "https://wharf.example.com"]) */
export function oneOf(wanted: readonly string[]): Matcher {
  const matches = (value: string) => value !== "" && wanted.includes(value);
  return { expected: wanted.join(" or "), isPattern: false, matches };
}

/** Patterns are written for names; what is longer matches none, so that a value cannot make them slow. */
const LONGEST_VALUE = 4_096;

/**
 * The whole text must match: alternatives cannot slip out of the anchors.
 *
 * @example pattern("repo:acme/.*")
 */
export function pattern(text: string): Matcher {
  const compiled = RE2JS.compile(`^(?:${text})$`);
  const matches = (value: string) => value.length <= LONGEST_VALUE && compiled.matches(value);
  return { expected: `/${text}/`, isPattern: true, matches };
}
