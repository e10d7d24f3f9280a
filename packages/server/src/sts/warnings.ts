import { StepBudget } from "../lib/pattern/step-budget.ts";
import type { Check } from "./verify/checks.ts";
import { type Matcher, wouldMatch } from "./verify/matcher.ts";
import type { Rule } from "./verify/rule.ts";

/** Step budget for probing the patterns of a rule. Once it is used up, there are no more warnings. */
const MAX_STEPS = 100_000;

/** A value that no rule intends to match. A pattern that matches it matches anything. */
const PROBE = "c4q-unintended-value-7zx";
const ISSUER_PROBE = "https://c4q-unintended-value.example";

/** GitHub subjects with numeric ids, which survive renames and are never reused. */
const GITHUB_NUMBERS = /^repo:[^/@:]+@\d+\/[^/@:]+@\d+:/;

/**
 * Warns where a rule accepts more than its author may intend. Patterns are probed with values that are
 * derived from the tested token and should not match.
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
    warnings.push(...(await matchesAnything(claim, matcher, PROBE, matches)));
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

async function matchesAnything(claim: string, matcher: Matcher, probe: string, matches: Matches) {
  const { isPattern, expected } = matcher;
  return isPattern && (await matches(matcher, probe))
    ? [`${claim}: ${expected} matches every value`]
    : [];
}

async function issuerWarnings(issuer: Matcher, found: string, matches: Matches): Promise<string[]> {
  const any = await matchesAnything("iss", issuer, ISSUER_PROBE, matches);
  if (any.length > 0 || !issuer.isPattern || !(await matches(issuer, found))) return any;
  if (await matches(issuer, `${found}.evil.example`))
    return [`iss: ${issuer.expected} also matches hosts that merely start with the token's issuer`];
  if (await matches(issuer, found.replaceAll(".", "x")))
    return [`iss: ${issuer.expected} has a dot that matches any character: write \\.`];
  return [];
}

/** Someone else can register an abandoned name; numeric ids are never reused. */
async function githubWarnings(
  subject: Matcher,
  found: string,
  matches: Matches,
): Promise<string[]> {
  if (!GITHUB_NUMBERS.test(found)) return [];
  if (!(await matches(subject, found))) {
    const byNames = found.replace(/@\d+/g, "");
    return (await matches(subject, byNames))
      ? [
          `sub: ${subject.expected} has names only, but the token's subject includes numeric ids: ${found}`,
        ]
      : [];
  }
  const others = found.replace(/@\d+/g, "@0");
  return subject.isPattern && (await matches(subject, others))
    ? [
        `sub: ${subject.expected} also matches a later owner of these names: include the numeric ids`,
      ]
    : [];
}
