import type { IdentityJson } from "@wharf/contract/messages";
import { identityTexts } from "../../texts/identities.ts";
import { type Expected, expectedOf, matches } from "./trust.ts";

const words = identityTexts.warnings;

/** A value that no pattern intends to match. */
const PROBE = "c4q-unintended-value-7zx";

/** Warnings about patterns that accept more than their author may intend. */
export function patternWarnings(identity: IdentityJson): string[] {
  const { issuer, subject, audience } = expectedOf(identity);
  const claims = Object.entries(identity.claimMatch?.claimPatterns ?? {});
  return [
    ...(issuer ? issuerWarnings(issuer) : []),
    ...(subject ? subjectWarnings(subject) : []),
    ...(audience && matchesAnything(audience) ? [words.anything(words.audience)] : []),
    ...claims
      .filter(([, text]) => matchesAnything({ text, isPattern: true }))
      .map(([name]) => words.anything(name)),
  ];
}

function matchesAnything(expected: Expected): boolean {
  return expected.isPattern && matches(expected, PROBE) === true;
}

function issuerWarnings(issuer: Expected): string[] {
  if (!issuer.isPattern) return [];
  if (matches(issuer, `https://${PROBE}.example`) === true) return [words.anything(words.issuer)];
  // An unescaped dot between letters also stands for any other character.
  if (/[a-z0-9-]\.[a-z]/i.test(issuer.text)) return [words.dot];
  return /\.[*+]\)?$/.test(issuer.text) ? [words.longerHost] : [];
}

function subjectWarnings(subject: Expected): string[] {
  if (!subject.isPattern) return [];
  const { text } = subject;
  if (matches(subject, text) === undefined) return [words.notEvaluated];
  if (matchesAnything(subject)) return [words.anything(words.subject)];
  const found: string[] = [];
  if (/^\(?\.[*+]/.test(text)) found.push(words.openStart);
  const owner = /^repo:([^/(@[\\.]+)/.exec(text)?.[1];
  const ofOther = (rest: string) => matches(subject, `repo:${owner}/${PROBE}:${rest}`) === true;
  if (owner !== undefined && ofOther("ref:refs/heads/main")) found.push(words.anyRepository(owner));
  const acceptsPullRequests =
    /^repo:.+:(\.[*+]|.*pull_request)/.test(text) || ofOther("pull_request");
  if (owner !== undefined && acceptsPullRequests) found.push(words.pullRequests);
  const project = /^project_path:([^/]+)\//.exec(text)?.[1];
  if (project !== undefined) {
    const name = project.replaceAll("\\", "");
    const of = `project_path:${name}/${PROBE}:ref_type:branch:ref:main`;
    if (matches(subject, of) === true) found.push(words.anyProject(name));
    else if (/:ref:\.[*+]$/.test(text)) found.push(words.anyRef);
  }
  return found;
}
