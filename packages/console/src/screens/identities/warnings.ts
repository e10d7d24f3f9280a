import type { IdentityJson } from "@wharf/contract/messages";
import { identityTexts } from "../../texts/identities.ts";
import { type Expected, expectedOf, matches } from "./trust.ts";

const words = identityTexts.warnings;

/** A value that no pattern intends to match. */
const PROBE = "c4q-unintended-value-7zx";

/** Where a pattern accepts more than its author may intend. */
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
  const github = /^repo:([^/(@[\\.]+)/.exec(text)?.[1];
  const found: string[] = [];
  const isOpen = /^\(?\.[*+]/.test(text);
  if (isOpen) found.push(words.openStart);
  if (github !== undefined) {
    const other = (rest: string) => matches(subject, `repo:${github}/${PROBE}:${rest}`) === true;
    if (other("ref:refs/heads/main")) found.push(words.anyRepository(github));
  }
  const repository = /^(repo:.+?):/.exec(text)?.[1];
  if (repository !== undefined && /:(\.[*+]|\(?.*pull_request)/.test(text)) {
    found.push(words.pullRequests);
  }
  const project = /^project_path:([^/]+)\//.exec(text)?.[1];
  if (project !== undefined) {
    const name = project.replaceAll("\\", "");
    const of = `project_path:${name}/${PROBE}:ref_type:branch:ref:main`;
    if (matches(subject, of) === true) found.push(words.anyProject(name));
    else if (/:ref:\.[*+]$/.test(text)) found.push(words.anyRef);
  }
  return found;
}
