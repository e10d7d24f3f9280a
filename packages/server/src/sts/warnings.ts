import { StepBudget } from "../lib/pattern/step-budget.ts";
import type { Check } from "./verify/checks.ts";
import { type Matcher, wouldMatch } from "./verify/matcher.ts";
import type { Rule } from "./verify/rule.ts";

/** Steps that trying the patterns of a rule may take; beyond, nothing more is warned of. */
const MAX_STEPS = 100_000;

/** A value that nobody means. Patterns that match it match anything. */
const NONSENSE = "c4q-nobody-means-this-7zx";

/** The same as an issuer. */
const ANYBODY = "https://c4q-nobody-means-this.example";

/** GitHub's subjects with the numbers that stay when an owner or a repository is renamed or made anew. */
const GITHUB_NUMBERS = /^repo:[^/@:]+@\d+\/[^/@:]+@\d+:/;

/**
 * Where a rule lets in more than people may think, judged by the token at hand: patterns are tried
 * with values that nobody would want to match.
 */
export async function warningsOf(
  rule: Rule | undefined,
  checks: readonly Check[],
): Promise<string[]> {
  if (rule === undefined) return [];
  const budget = new StepBudget(MAX_STEPS);
  const matches: Matches = (matcher, value) => wouldMatch(matcher, value, budget);
  const found = (claim: string) => checks.find((check) => check.claim === claim)?.found ?? "";
  const warnings: string[] = [];
  for (const [claim, matcher] of rule.claims)
    warnings.push(...(await everything(claim, matcher, NONSENSE, matches)));
  if (rule.kind === "aws") return warnings;
  const subject = rule.claims.find(([claim]) => claim === "sub")?.[1];
  return [
    ...(await issuerWarnings(rule.issuer, found("iss"), matches)),
    ...warnings,
    ...(subject === undefined ? [] : await githubWarnings(subject, found("sub"), matches)),
  ];
}

/** Whether a value would match, within the budget of all warnings. */
type Matches = (matcher: Matcher, value: string) => Promise<boolean>;

async function everything(claim: string, matcher: Matcher, probe: string, matches: Matches) {
  const { isPattern, expected } = matcher;
  return isPattern && (await matches(matcher, probe))
    ? [`${claim}: ${expected} matches every value`]
    : [];
}

async function issuerWarnings(issuer: Matcher, found: string, matches: Matches): Promise<string[]> {
  const any = await everything("iss", issuer, ANYBODY, matches);
  if (any.length > 0 || !issuer.isPattern || !(await matches(issuer, found))) return any;
  if (await matches(issuer, `${found}.evil.example`))
    return [`iss: ${issuer.expected} also matches hosts that only begin like the token's issuer`];
  if (await matches(issuer, found.replaceAll(".", "x")))
    return [`iss: ${issuer.expected} has a dot that matches any character: write \\.`];
  return [];
}

/** A name can be given up and taken by somebody else; the numbers cannot. */
async function githubWarnings(
  subject: Matcher,
  found: string,
  matches: Matches,
): Promise<string[]> {
  if (!GITHUB_NUMBERS.test(found)) return [];
  if (!(await matches(subject, found))) {
    const byNames = found.replace(/@\d+/g, "");
    return (await matches(subject, byNames))
      ? [`sub: ${subject.expected} has names only, the token's subject has their numbers: ${found}`]
      : [];
  }
  const others = found.replace(/@\d+/g, "@0");
  return subject.isPattern && (await matches(subject, others))
    ? [`sub: ${subject.expected} matches whoever takes these names: write the numbers, too`]
    : [];
}
