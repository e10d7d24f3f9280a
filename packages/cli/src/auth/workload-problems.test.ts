import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wharfError } from "@wharf/client";
import { explainRejection, noWorkloadToken, testCommand } from "./workload-problems.ts";

const ISSUER = "https://wharf.example.com";

/** Variables of jobs, as the platforms set them. */
const GITHUB = {
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_WORKFLOW: "build",
  GITHUB_JOB: "image",
  GITHUB_REPOSITORY: "acme/app",
  GITHUB_REF: "refs/heads/main",
  GITHUB_EVENT_NAME: "push",
  RUNNER_OS: "Linux",
};
const GITHUB_ALLOWED = {
  ...GITHUB,
  ACTIONS_ID_TOKEN_REQUEST_URL:
    "https://run-actions-1-azure-eastus.actions.githubusercontent.com/1//idtoken/1/1?api-version=2.0",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "job-secret",
};
const GITLAB = {
  CI: "true",
  GITLAB_CI: "true",
  CI_JOB_NAME: "image",
  CI_PROJECT_PATH: "acme/app",
  CI_SERVER_URL: "https://gitlab.com",
};

describe("errors of jobs without a token say what to add", () => {
  for (const [where, environment, message, hint] of [
    [
      "GitHub Actions",
      GITHUB,
      /ACTIONS_ID_TOKEN_REQUEST_URL is not set/,
      /\n {6}id-token: write\n/,
    ],
    ["GitLab CI", GITLAB, /WHARF_ID_TOKEN is not set/, /\n {8}aud: wharf\.example\.com$/],
    ["elsewhere", { CI: "true" }, /no workload token found/, /--identity-token/],
  ] as const) {
    test(where, () => {
      const error = noWorkloadToken(environment, ISSUER);
      assert.match(error.message, message);
      assert.match(error.problem.hint ?? "", hint);
      assert.equal(error.problem.exitCode, 2);
    });
  }
});

describe("a rejected exchange names the command that tells why", () => {
  const tested = { identity: "abc/def", api: "https://wharf.example.com", issuer: ISSUER };
  const test_ = "wharf iam identities test abc/def --token";
  for (const [what, from, environment, expected] of [
    [
      "in GitHub Actions",
      { kind: "ambient" },
      GITHUB_ALLOWED,
      'curl -sH "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" ' +
        '"$ACTIONS_ID_TOKEN_REQUEST_URL&audience=wharf.example.com" | jq -r .value | ' +
        `${test_} - --api https://wharf.example.com`,
    ],
    [
      "in GitLab CI",
      { kind: "ambient" },
      { ...GITLAB, WHARF_ID_TOKEN: "x" },
      `printenv WHARF_ID_TOKEN | ${test_} - --api https://wharf.example.com`,
    ],
    [
      "in Kubernetes",
      { kind: "ambient" },
      {},
      `${test_} /var/run/secrets/tokens/wharf --api https://wharf.example.com`,
    ],
    [
      "with a file",
      { kind: "file", path: "/run/it's mine" },
      {},
      `${test_} '/run/it'\\''s mine' --api https://wharf.example.com`,
    ],
    [
      "with a token that was given",
      { kind: "value", token: "secret" },
      {},
      `${test_} FILE --api https://wharf.example.com`,
    ],
  ] as const) {
    test(what, () => assert.equal(testCommand(from, tested, environment), expected));
  }

  test("but a server that cannot be reached is another problem", () => {
    const unavailable = wharfError("UNAVAILABLE", "connection refused");
    assert.equal(explainRejection(unavailable, "x"), unavailable);
    const denied = explainRejection(
      wharfError("PERMISSION_DENIED", 'invalid "sub"'),
      "the command",
    );
    const { problem } = denied as Error & { problem: { hint: string; exitCode: number } };
    assert.equal(problem.exitCode, 4);
    assert.match(problem.hint, /\n {4}the command$/);
  });
});
