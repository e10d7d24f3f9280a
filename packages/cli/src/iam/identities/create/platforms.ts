import type { Run } from "../../../command/types.ts";
import { usageError } from "../../../errors.ts";
import { given } from "../../../resource/values.ts";
import { keysOf } from "../relationship.ts";
import type { githubDefinition, gitlabDefinition, kubernetesDefinition } from "./commands.ts";
import { createIdentity, escapeRegex, nameFrom } from "./run.ts";

/**
 * GitHub has two formats of subjects: `repo:acme/app:…` and, since July 2026, `repo:acme@7/app@42:…`
 * with immutable IDs. Both are accepted; given IDs must match in either.
 */
export const createGithub: Run<typeof githubDefinition> = async (context, args) => {
  const { repo, repoId, ownerId, audience, parent, role, description, host } = args;
  const [owner, project, ...more] = repo.split("/");
  if (!owner || !project || more.length > 0) {
    throw usageError(`--repo must be OWNER/NAME, not "${repo}"`, "such as --repo acme/app");
  }
  for (const [option, id] of Object.entries({ "--repo-id": repoId, "--owner-id": ownerId })) {
    if (id !== undefined && !/^\d+$/.test(id)) throw usageError(`${option} must be a number`);
  }
  const part = (name: string, id: string | undefined) =>
    `${escapeRegex(name)}(@${id ?? "[0-9]+"})?`;
  const repository = `repo:${part(owner, ownerId)}/${part(project, repoId)}`;
  const trigger = triggerPattern(args);
  if (trigger === undefined) {
    context.err.warn(
      `every branch, tag and pull request of ${repo} is accepted; restrict it with --ref`,
    );
  }
  if (repoId === undefined || ownerId === undefined) {
    context.err.warn(
      `only names are checked, which can be reused: give --repo-id and --owner-id, as \`gh api repos/${repo} --jq '.id, .owner.id'\` prints them`,
    );
  }
  const value = {
    iss: { case: "issuer", value: githubIssuer(host) },
    sub: { case: "subjectPattern", value: `${repository}:${trigger ?? ".+"}` },
    claims: given({ repository_id: repoId, repository_owner_id: ownerId }) as Record<
      string,
      string
    >,
    ...(audience === undefined ? {} : { aud: { case: "audience", value: audience } as const }),
  } as const;
  const identity = {
    name: args.name ?? nameFrom("github", owner, project),
    description: description ?? `GitHub Actions of ${repo}`,
    relationship: { case: "claimMatch", value } as const,
  };
  await createIdentity(context, { parent, roles: role, identity });
};

function githubIssuer(host: string): string {
  return host === "github.com"
    ? "https://token.actions.githubusercontent.com"
    : `https://${host}/_services/token`;
}

/** The pattern for the part of the subject that says what triggered the job. */
function triggerPattern({
  ref,
  environment,
  pullRequest,
}: Pick<Parameters<typeof createGithub>[1], "ref" | "environment" | "pullRequest">):
  | string
  | undefined {
  const given = [ref !== undefined, environment !== undefined, pullRequest].filter(Boolean);
  if (given.length > 1) {
    throw usageError("--ref, --environment and --pull-request are mutually exclusive");
  }
  if (pullRequest) return "pull_request";
  if (environment !== undefined) return `environment:${escapeRegex(environment)}`;
  if (ref === undefined) return undefined;
  return `ref:${escapeRegex(ref.startsWith("refs/") ? ref : `refs/heads/${ref}`)}`;
}

export const createGitlab: Run<typeof gitlabDefinition> = async (context, args) => {
  const { projectPath, refType, ref, host, parent, role, description } = args;
  if (!/^[^/\s:]+(\/[^/\s:]+)+$/.test(projectPath)) {
    throw usageError(`--project-path must be GROUP/PROJECT, not "${projectPath}"`);
  }
  if (ref === undefined) {
    context.err.warn(`every ${refType} of ${projectPath} is accepted; restrict it with --ref`);
  }
  const prefix = `project_path:${projectPath}:ref_type:${refType}:ref:`;
  const identity = {
    name: args.name ?? nameFrom("gitlab", ...projectPath.split("/")),
    description: description ?? `GitLab CI of ${projectPath}`,
    relationship: subjectMatch({
      ...args,
      issuer: `https://${host}`,
      subject: ref === undefined ? undefined : `${prefix}${ref}`,
      subjectPattern: `${escapeRegex(prefix)}.+`,
    }),
  };
  await createIdentity(context, { parent, roles: role, identity });
};

/** The default issuer of a cluster. */
const CLUSTER_ISSUER = "https://kubernetes.default.svc.cluster.local";

export const createKubernetes: Run<typeof kubernetesDefinition> = async (context, args) => {
  const { namespace, serviceAccount, issuerKeys, parent, role, description } = args;
  if (args.issuer === undefined && issuerKeys === undefined) {
    throw usageError(
      "give --issuer, or --issuer-keys for a cluster that the server cannot reach",
      "`kubectl get --raw /openid/v1/jwks` prints the keys",
    );
  }
  for (const [option, text] of Object.entries({
    "--namespace": namespace,
    "--service-account": serviceAccount,
  })) {
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text)) {
      throw usageError(`${option} must be a Kubernetes name, not "${text}"`);
    }
  }
  const identity = {
    name: args.name ?? nameFrom("kubernetes", namespace, serviceAccount),
    description: description ?? `Service account ${namespace}/${serviceAccount}`,
    relationship: subjectMatch({
      ...args,
      issuer: args.issuer ?? CLUSTER_ISSUER,
      subject: `system:serviceaccount:${namespace}:${serviceAccount}`,
      subjectPattern: "",
    }),
  };
  await createIdentity(context, { parent, roles: role, identity });
};

interface SubjectTrust {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** Applies without an exact subject. */
  readonly subjectPattern: string;
  readonly audience: string | undefined;
  readonly issuerKeys: string | undefined;
  readonly expiration: string | undefined;
}

/** Trusts a subject of an issuer: by the given keys, or by those that the issuer publishes. */
function subjectMatch(trust: SubjectTrust) {
  const { issuer, subject, subjectPattern, audience, issuerKeys, expiration } = trust;
  if (issuerKeys === undefined) {
    if (expiration !== undefined) throw usageError("--expiration requires --issuer-keys");
    const value = given({
      iss: { case: "issuer", value: issuer } as const,
      sub:
        subject === undefined
          ? ({ case: "subjectPattern", value: subjectPattern } as const)
          : ({ case: "subject", value: subject } as const),
      aud: audience === undefined ? undefined : ({ case: "audience", value: audience } as const),
    });
    return { case: "claimMatch", value } as const;
  }
  if (subject === undefined) {
    throw usageError("--issuer-keys requires an exact subject", "give --ref");
  }
  return { case: "staticKeys", value: keysOf(trust) } as const;
}
