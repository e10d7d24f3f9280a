import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORMS } from "../src/screens/identities/platforms.ts";
import { expectedOf, matches } from "../src/screens/identities/trust.ts";
import { patternWarnings } from "../src/screens/identities/warnings.ts";

const warningsOf = (subjectPattern: string, issuer: object = { issuer: "https://ci.example" }) =>
  patternWarnings({ claimMatch: { ...issuer, subjectPattern } });

test("warns of patterns that accept more than their author may intend", () => {
  assert.deepEqual(warningsOf("repo:acme(@7)?/app(@42)?:ref:refs/heads/main"), []);
  assert.match(warningsOf(".*").join(), /subject matches every value/);
  assert.match(warningsOf(".+:main").join(), /begins with anything/);
  assert.match(warningsOf("repo:acme/.+").join(), /Every repository of acme.*Pull requests/);
  assert.match(
    warningsOf("repo:acme/[^:]+:ref:refs/heads/main").join(),
    /Every repository of acme/,
  );
  assert.match(warningsOf("repo:acme/app:.+").join(), /Pull requests/);
  assert.match(warningsOf("repo:acme/app:pull_request").join(), /Pull requests/);
  assert.match(
    warningsOf("project_path:acme/[^:]+:ref_type:branch:ref:main").join(),
    /project of acme/,
  );
  assert.match(warningsOf("project_path:acme/app:ref_type:branch:ref:.+").join(), /Every branch/);
  assert.match(warningsOf("(").join(), /cannot be evaluated/);
  const issuer = (issuerPattern: string) => warningsOf("app", { issuerPattern }).join();
  assert.match(issuer(".*"), /issuer matches every value/);
  assert.match(issuer("https://ci.example"), /dot that stands for any character/);
  assert.equal(issuer("https://ci\\.example"), "");
});

test("drafts of platforms accept their own subject, and no other", () => {
  const given = {
    github: { repo: "acme/app", ref: "main", repoId: "42", ownerId: "7" },
    gitlab: { project: "acme/app", ref: "main" },
    kubernetes: { namespace: "prod", account: "app", issuer: "https://cluster.example" },
    aws: { account: "123456789012", awsName: "deployer", userId: "AROAEXAMPLE" },
  } as const;
  for (const [name, values] of Object.entries(given)) {
    const { relationship, samples, warnings } = PLATFORMS[name as keyof typeof given].draft(values);
    const { subject } = expectedOf(relationship);
    assert.ok(subject);
    const accepted = samples.filter((sample) => matches(subject, sample.subject) === true);
    assert.deepEqual(
      accepted.map(({ what }) => what),
      [samples[0]?.what],
      name,
    );
    assert.deepEqual([...warnings, ...patternWarnings(relationship)], [], name);
  }
});

test("a draft of GitHub is what the command creates", () => {
  const { relationship, command } = PLATFORMS.github.draft({
    repo: "acme/app",
    ref: "main",
    repoId: "42",
    ownerId: "7",
  });
  assert.deepEqual(relationship.claimMatch, {
    issuer: "https://token.actions.githubusercontent.com",
    subjectPattern: "repo:acme(@7)?/app(@42)?:ref:refs/heads/main",
    claims: { repository_id: "42", repository_owner_id: "7" },
  });
  assert.equal(command.join(" "), "github --repo acme/app --ref main --repo-id 42 --owner-id 7");
});
