import type { Check } from "./checks.ts";
import type { Matcher } from "./matcher.ts";
import type { Rule } from "./rule.ts";

/** A value that nobody means. Patterns that match it match anything. */
const NONSENSE = "c4q-nobody-means-this-7zx";

/** The same as an issuer. */
const ANYBODY = "https://c4q-nobody-means-this.example";

/** GitHub's subjects with the numbers that stay when an owner or a repository is renamed or made anew. */
const GITHUB_NUMBERS = /^repo:[^/@:]+@\d+\/[^/@:]+@\d+:/;

/**
 * Where a rule lets in more than people may think, judged by the token at hand: patterns are tried
 * with values that nobody would want to match.
 *
 * @example warningsOf(rule, checks.done) // ["sub: /.+/ matches every value"]
 */
export function warningsOf(rule: Rule | undefined, checks: readonly Check[]): string[] {
  if (rule === undefined) return [];
  const found = (claim: string) => checks.find((check) => check.claim === claim)?.found ?? "";
  const warnings = rule.claims.flatMap(([claim, matcher]) => everything(claim, matcher, NONSENSE));
  if (rule.kind === "aws") return warnings;
  const subject = rule.claims.find(([claim]) => claim === "sub")?.[1];
  return [
    ...issuerWarnings(rule.issuer, found("iss")),
    ...warnings,
    ...(subject === undefined ? [] : githubWarnings(subject, found("sub"))),
  ];
}

function everything(claim: string, { isPattern, expected, matches }: Matcher, probe: string) {
  return isPattern && matches(probe) ? [`${claim}: ${expected} matches every value`] : [];
}

function issuerWarnings(issuer: Matcher, found: string): string[] {
  const any = everything("iss", issuer, ANYBODY);
  if (any.length > 0 || !issuer.isPattern || !issuer.matches(found)) return any;
  if (issuer.matches(`${found}.evil.example`))
    return [`iss: ${issuer.expected} also matches hosts that only begin like the token's issuer`];
  if (issuer.matches(found.replaceAll(".", "x")))
    return [`iss: ${issuer.expected} has a dot that matches any character: write \\.`];
  return [];
}

/** A name can be given up and taken by somebody else; the numbers cannot. */
function githubWarnings(subject: Matcher, found: string): string[] {
  if (!GITHUB_NUMBERS.test(found)) return [];
  if (!subject.matches(found)) {
    const byNames = found.replace(/@\d+/g, "");
    return subject.matches(byNames)
      ? [`sub: ${subject.expected} has names only, the token's subject has their numbers: ${found}`]
      : [];
  }
  const others = found.replace(/@\d+/g, "@0");
  return subject.isPattern && subject.matches(others)
    ? [`sub: ${subject.expected} matches whoever takes these names: write the numbers, too`]
    : [];
}
