import { choice, field, type Platform, quoted, type Values } from "./platform.ts";
import { AUDIENCE, escapePattern, GIT_REF, HOST, nameFrom } from "./subjects.ts";

const HOSTS = HOST("github.example.com");
const ID = field("a number", "", /^\d+$/);

/**
 * GitHub has two formats of subjects: `repo:acme/app:…` and, since July 2026, `repo:acme@7/app@42:…` with immutable IDs.
 * Both are accepted; entered IDs must match in either.
 */
export const github: Platform = {
  fields: {
    repo: {
      ...field("OWNER/NAME, such as acme/app", "acme/app", /^[a-z0-9][\w-]*\/(?!\.\.?$)[\w.-]+$/i),
      isRequired: true,
    },
    trigger: { ...choice("ref", "environment", "pull_request", "any"), option: "" },
    ref: {
      ...field("a branch such as main, or a full ref such as refs/tags/v1", "main", GIT_REF),
      isRequired: true,
      applies: ({ trigger }) => !trigger || trigger === "ref",
    },
    environment: {
      ...field("the name of an environment, such as production", "production", /^\P{Cc}{1,255}$/u),
      isRequired: true,
      applies: ({ trigger }) => trigger === "environment",
    },
    repoId: ID,
    ownerId: ID,
    host: {
      ...HOSTS,
      default: "github.com",
      // Tokens of github.com have one issuer, whichever of its hosts is entered.
      problem: (text, values) =>
        text.toLowerCase().endsWith(".github.com")
          ? `must be github.com or the host of your own GitHub, not ${quoted(text)}`
          : HOSTS.problem?.(text, values),
    },
    audience: AUDIENCE,
  },
  command: ({ trigger }) => ["github", ...(trigger === "pull_request" ? ["--pull-request"] : [])],
  trust(values) {
    const { repo = "", repoId, ownerId, environment = "production", host = "", audience } = values;
    const [owner = "", project = ""] = repo.split("/");
    const part = (name: string, id = "[0-9]+") => `${escapePattern(name)}(@${id})?`;
    const claims = {
      ...(repoId && { repository_id: repoId }),
      ...(ownerId && { repository_owner_id: ownerId }),
    };
    const branch = fullRef(values.ref ?? "main");
    const of = (rest: string, from = repo) => `repo:${from}:${rest}`;
    return {
      name: nameFrom("github", owner, project),
      description: `GitHub Actions of ${repo}`,
      relationship: {
        claimMatch: {
          issuer: issuerOf(host.toLowerCase()),
          subjectPattern: `repo:${part(owner, ownerId)}/${part(project, repoId)}:${triggerPattern(values)}`,
          ...(Object.keys(claims).length > 0 && { claims }),
          ...(audience && { audience }),
        },
      },
      samples: [
        { subject: of(`ref:${branch}`), of: "the branch" },
        { subject: of("ref:refs/heads/feature"), of: "another branch" },
        { subject: of("ref:refs/tags/v1.0.0"), of: "a tag" },
        { subject: of("pull_request"), of: "a pull request" },
        { subject: of(`environment:${environment.replaceAll(":", "%3A")}`), of: "an environment" },
        { subject: of(`ref:${branch}`, `${owner}/other`), of: "another repository of the owner" },
      ],
      warnings: warningsOf(values),
    };
  },
};

function issuerOf(host: string): string {
  if (host === "github.com") return "https://token.actions.githubusercontent.com";
  // GitHub Enterprise Cloud with data residency, or else GitHub Enterprise Server.
  return host.endsWith(".ghe.com")
    ? `https://token.actions.${host}`
    : `https://${host}/_services/token`;
}

/** The part of the subject that says what triggered the job. */
function triggerPattern(values: Values): string {
  if (values.trigger === "any") return ".+";
  if (values.trigger === "pull_request") return "pull_request";
  // GitHub writes %3A for a colon in a name; GitHub Enterprise Server before 3.19 keeps the colon.
  if (values.trigger === "environment")
    return `environment:${escapePattern(values.environment ?? "").replaceAll(":", "(:|%3A)")}`;
  return `ref:${escapePattern(fullRef(values.ref ?? ""))}`;
}

function fullRef(ref: string): string {
  return ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
}

function warningsOf({ repo, trigger, repoId, ownerId }: Values): string[] {
  const found: string[] = [];
  if (trigger === "any") found.push(`every branch, tag and pull request of ${repo} is accepted`);
  if (trigger === "any" || trigger === "pull_request")
    found.push(
      "pull requests are accepted, which run code that nobody has reviewed: grant registry.pull at most",
    );
  if (!repoId || !ownerId)
    found.push(
      `only names are checked, which others can register after you: give the repository ID and the owner ID, which \`gh api repos/${repo} --jq '.id, .owner.id'\` prints`,
    );
  return found;
}
