/** The commonest failures of workloads, and what to do about them. */
import { CommandError, usageError } from "../errors.ts";
import { problemOf } from "../problem.ts";
import type { Environment } from "../settings.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { WorkloadTokenInput } from "./workload-token.ts";

/** The error for a job without a token of its platform, with the missing setting. */
export function noWorkloadToken(environment: Environment, issuer: string): CommandError {
  if (environment.GITHUB_ACTIONS === "true") {
    return usageError(
      "this job of GitHub Actions may not request an OIDC token: ACTIONS_ID_TOKEN_REQUEST_URL is not set",
      lines(
        "add the permission to the job, and to the workflow that calls it, if any:",
        "permissions:",
        "  contents: read",
        "  id-token: write",
        "pull requests from forks never get a token",
      ),
    );
  }
  if (environment.GITLAB_CI === "true") {
    return usageError(
      "this job of GitLab CI has no OIDC token: WHARF_ID_TOKEN is not set",
      lines(
        "add the token to the job:",
        "id_tokens:",
        "  WHARF_ID_TOKEN:",
        `    aud: ${audienceOf(issuer)}`,
      ),
    );
  }
  return usageError(
    "no workload token found (looked for GitHub Actions, GitLab CI, Kubernetes)",
    "in GitHub Actions, add `permissions: id-token: write`; elsewhere, give --identity-token",
  );
}

/** The default audience of identities. */
export function audienceOf(issuer: string): string {
  return new URL(issuer).hostname;
}

interface Tested {
  readonly identity: string;
  readonly api: string;
  readonly issuer: string;
}

/** The command line that tells why an identity does not accept the token of a workload. */
export function testCommand(
  from: WorkloadTokenInput,
  { identity, api, issuer }: Tested,
  environment: Environment = process.env,
): string {
  const test = (token: string) =>
    `wharf iam identities test ${identity} --token ${token} --api ${api}`;
  if (from.kind === "file") return test(shellWord(from.path));
  if (from.kind === "value") return test("FILE");
  if (environment.ACTIONS_ID_TOKEN_REQUEST_URL) {
    const query = `$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${audienceOf(issuer)}`;
    const header = "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN";
    return `curl -sH "${header}" "${query}" | jq -r .value | ${test("-")}`;
  }
  if (environment.GITLAB_CI) return `printenv WHARF_ID_TOKEN | ${test("-")}`;
  return test("/var/run/secrets/tokens/wharf");
}

const REJECTIONS: readonly (string | undefined)[] = [
  "PERMISSION_DENIED",
  "UNAUTHENTICATED",
  "INVALID_ARGUMENT",
  "NOT_FOUND",
];

/** The rejection of a workload's token, with the command line that tells why; other errors as they are. */
export function explainRejection(thrown: unknown, command: string): unknown {
  const problem = problemOf(thrown);
  if (!REJECTIONS.includes(problem.code)) return thrown;
  const hint = lines("see which check fails, as someone who may list the identity:", command);
  return new CommandError({ ...problem, hint }, thrown);
}

/** A hint of several lines. */
function lines(first: string, ...more: readonly string[]): string {
  return [first, ...more].join("\n    ");
}
