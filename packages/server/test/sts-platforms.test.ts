import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { JWTPayload } from "jose";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore } from "./support/world/world.ts";

/** The claims of a platform's tokens, and the identity that trusts one of its workloads. */
interface Platform {
  readonly name: string;
  /** The parameters of their tokens' headers beside the key and the algorithm. */
  readonly header: Record<string, unknown>;
  readonly claims: JWTPayload;
  readonly match: object;
  /** Workloads that are not meant. */
  readonly others: readonly JWTPayload[];
}

/** A job of GitHub Actions, with what tells one repository of a name from the next. */
function githubJob(sub: string): JWTPayload {
  return {
    jti: "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0",
    sub,
    aud: "127.0.0.1",
    ref: "refs/heads/main",
    sha: "0123456789abcdef0123456789abcdef01234567",
    repository: "acme/app",
    repository_owner: "acme",
    repository_id: "42",
    repository_owner_id: "7",
    run_id: "1000000001",
    run_number: "10",
    run_attempt: "2",
    repository_visibility: "private",
    workflow: "release",
    workflow_ref: "acme/app/.github/workflows/release.yml@refs/heads/main",
    job_workflow_ref: "acme/app/.github/workflows/release.yml@refs/heads/main",
    actor: "someone",
    event_name: "push",
    ref_type: "branch",
    ref_protected: "true",
    runner_environment: "github-hosted",
  };
}

const byNames = githubJob("repo:acme/app:ref:refs/heads/main");
const byNumbers = githubJob("repo:acme@7/app@42:ref:refs/heads/main");

const gitlabJob: JWTPayload = {
  namespace_id: "72",
  namespace_path: "group",
  project_id: "20",
  project_path: "group/project",
  user_id: "1",
  user_login: "someone",
  pipeline_id: "574",
  pipeline_source: "push",
  job_id: "302",
  ref: "main",
  ref_type: "branch",
  ref_path: "refs/heads/main",
  ref_protected: "true",
  environment_protected: "false",
  runner_id: 1,
  runner_environment: "gitlab-hosted",
  sha: "0123456789abcdef0123456789abcdef01234567",
  jti: "235b3a54-b797-45c7-ae9a-f72d7bc6ef5b",
  sub: "project_path:group/project:ref_type:branch:ref:main",
  aud: "https://gitlab.test",
};

const pod: JWTPayload = {
  aud: ["127.0.0.1"],
  sub: "system:serviceaccount:builds:ci",
  "kubernetes.io": {
    namespace: "builds",
    node: { name: "node-1", uid: "646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1" },
    pod: { name: "ci-0", uid: "5e0bd49b-f040-43b0-99b7-22765a53f7f3" },
    serviceaccount: { name: "ci", uid: "49bc06c6-d2b7-4a3e-9f22-4c3a3a2b8a0d" },
  },
};

const PLATFORMS: readonly Platform[] = [
  {
    name: "GitHub Actions",
    header: { typ: "JWT", x5t: "hFt3cXVtNjVWZ0Y" },
    claims: byNames,
    match: {
      subject: "repo:acme/app:ref:refs/heads/main",
      claims: { repository_id: "42", ref_protected: "true" },
    },
    others: [
      { ...byNames, sub: "repo:acme/app:pull_request" },
      { ...byNames, repository_id: "43" },
      byNumbers,
    ],
  },
  {
    name: "GitHub Actions with subjects that have numbers",
    header: { typ: "JWT", x5t: "hFt3cXVtNjVWZ0Y" },
    claims: byNumbers,
    match: { subjectPattern: "repo:acme@7/app@42:.*" },
    others: [
      { ...byNumbers, sub: "repo:acme@8/app@42:ref:refs/heads/main" },
      { ...byNumbers, sub: "repo:acme@7/app@421:ref:refs/heads/main" },
      byNames,
    ],
  },
  {
    name: "GitLab",
    header: { typ: "JWT" },
    claims: gitlabJob,
    match: {
      subjectPattern: "project_path:group/project:ref_type:(branch|tag):ref:.*",
      audience: "https://gitlab.test",
      claims: { ref_protected: "true", runner_id: "1" },
      claimPatterns: { ref: "main|release-\\d+" },
    },
    others: [
      { ...gitlabJob, aud: "127.0.0.1" },
      { ...gitlabJob, ref: "main2" },
      { ...gitlabJob, ref_protected: "false" },
      { ...gitlabJob, sub: "project_path:group/project2:ref_type:branch:ref:main" },
    ],
  },
  {
    name: "Kubernetes",
    header: {},
    claims: pod,
    match: { subject: "system:serviceaccount:builds:ci" },
    others: [
      { ...pod, sub: "system:serviceaccount:other:ci" },
      { ...pod, aud: ["127.0.0.1", "https://kubernetes.default.svc"] },
    ],
  },
];

onEachStore("tokens of platforms", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
  });
  after(() => issuer.stop());

  for (const { name, header, claims, match, others } of PLATFORMS) {
    world.rule(`${name}: only the intended workload`, async (api) => {
      const claimMatch = { issuer: issuer.url, ...match };
      const { uid } = await api.identities.create(org, { name: world.name(), claimMatch });
      const ask = async (of: JWTPayload) => {
        const token = await issuer.sign({ nbf: Math.floor(Date.now() / 1000), ...of }, header);
        const { allowed } = await api.identities.testIdentity({ uid, token });
        const made = await exchange(api.url, token, { aud: api.url, identity: uid });
        assert.equal(allowed, made.status === 200, "test and exchange agree");
        return made;
      };
      const made = await ask(claims);
      assert.equal(made.status, 200, made.message);
      assert.deepEqual(made.claims.act, { iss: issuer.url, sub: claims.sub, aud: claims.aud });
      for (const other of others) assert.equal((await ask(other)).code, 7, JSON.stringify(other));
    });
  }
});
