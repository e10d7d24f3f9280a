import type { Run } from "../../../command/types.ts";
import { usageError } from "../../../errors.ts";
import { given } from "../../../resource/given.ts";
import type { githubDefinition } from "./commands.ts";
import { makeIdentity } from "./make.ts";
import { nameFrom, quoted } from "./name.ts";

/**
 * GitHub writes subjects in two ways: `repo:acme/app:…`, and since July 2026 `repo:acme@7/app@42:…`
 * with the numbers that stay when names change hands. Both are let in; the numbers, when given, must
 * be right in either.
 */
export const run: Run<typeof githubDefinition> = async (context, args) => {
  const { repo, repoId, ownerId, audience, parent, role, description, host } = args;
  const [owner, project, ...more] = repo.split("/");
  if (!owner || !project || more.length > 0) {
    throw usageError(`--repo must be OWNER/NAME, not "${repo}"`, "such as --repo acme/app");
  }
  for (const [option, id] of Object.entries({ "--repo-id": repoId, "--owner-id": ownerId })) {
    if (id !== undefined && !/^\d+$/.test(id)) throw usageError(`${option} must be a number`);
  }
  const of = (name: string, id: string | undefined) => `${quoted(name)}(@${id ?? "[0-9]+"})?`;
  const who = `repo:${of(owner, ownerId)}/${of(project, repoId)}`;
  const claims = given({ repository_id: repoId, repository_owner_id: ownerId });
  const what = contextOf(args);
  if (what === undefined) {
    context.err.warn(`every branch, tag and pull request of ${repo} is let in: --ref narrows it`);
  }
  if (repoId === undefined || ownerId === undefined) {
    context.err.warn(
      `only names are checked, and names change hands: give --repo-id and --owner-id, as \`gh api repos/${repo} --jq '.id, .owner.id'\` prints them`,
    );
  }
  const value = {
    iss: { case: "issuer", value: issuerOf(host) },
    sub: { case: "subjectPattern", value: `${who}:${what ?? ".+"}` },
    claims: claims as Record<string, string>,
    ...(audience === undefined ? {} : { aud: { case: "audience", value: audience } as const }),
  } as const;
  const identity = {
    name: args.name ?? nameFrom("github", owner, project),
    description: description ?? `GitHub Actions of ${repo}`,
    relationship: { case: "claimMatch", value } as const,
  };
  await makeIdentity(context, { parent, roles: role, identity });
};

function issuerOf(host: string): string {
  return host === "github.com"
    ? "https://token.actions.githubusercontent.com"
    : `https://${host}/_services/token`;
}

/** The part of the subject that says what runs, as a pattern; undefined for anything. */
function contextOf({
  ref,
  environment,
  pullRequest,
}: {
  ref: string | undefined;
  environment: string | undefined;
  pullRequest: boolean;
}): string | undefined {
  const said = [ref !== undefined, environment !== undefined, pullRequest].filter(Boolean);
  if (said.length > 1)
    throw usageError("--ref, --environment and --pull-request exclude each other");
  if (pullRequest) return "pull_request";
  if (environment !== undefined) return `environment:${quoted(environment)}`;
  if (ref === undefined) return undefined;
  return `ref:${quoted(ref.startsWith("refs/") ? ref : `refs/heads/${ref}`)}`;
}
