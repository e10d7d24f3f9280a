import assert from "node:assert/strict";
import { test } from "node:test";
import { github } from "./github.ts";
import { previewOf, problemsOf, trustOf, type Values } from "./platform.ts";

const JOB = { repo: "acme/app", ref: "main" };
const match = (values: Values) => trustOf(github, values).relationship.claimMatch;
const accepts = (values: Values, subject: string) =>
  new RegExp(`^(?:${match(values)?.subjectPattern})$`, "s").test(subject);

test("the issuer follows from the host", () => {
  const issuer = (host: string) => match({ ...JOB, host })?.issuer;
  const cloud = "https://token.actions.githubusercontent.com";
  assert.equal(match(JOB)?.issuer, cloud);
  assert.equal(issuer("github.com"), cloud);
  assert.equal(issuer("GitHub.com"), cloud);
  assert.equal(issuer("acme.ghe.com"), "https://token.actions.acme.ghe.com");
  assert.equal(issuer("git.acme.example"), "https://git.acme.example/_services/token");
});

test("values that would never match, or trust more than they say, have problems", () => {
  const fields = (values: Values) => Object.keys(problemsOf(github, values));
  const repos = [
    "acme",
    "acme/",
    "/app",
    "acme/app/extra",
    "acme/*",
    "acme/a b",
    "acme/..",
    "a:b/c",
  ];
  for (const repo of [...repos, "https://github.com/acme/app", "acme/app\nx", "-acme/app"]) {
    assert.deepEqual(fields({ ...JOB, repo }), ["repo"], repo);
    assert.throws(() => trustOf(github, { ...JOB, repo }), TypeError, repo);
  }
  for (const ref of [
    "v*",
    "a b",
    "a:b",
    "a..b",
    "a^",
    "a~1",
    "[a]",
    "a/",
    "/a",
    "a\nb",
    "a.lock",
  ]) {
    assert.deepEqual(fields({ ...JOB, ref }), ["ref"], ref);
  }
  for (const host of [
    "https://github.com",
    "git/hub",
    "api.github.com",
    "a b",
    "git..com",
    "x@y",
  ]) {
    assert.deepEqual(fields({ ...JOB, host }), ["host"], host);
  }
  assert.deepEqual(fields({ ...JOB, repoId: "4x", ownerId: "-1" }), ["repoId", "ownerId"]);
  assert.deepEqual(fields({ ...JOB, trigger: "push" }), ["trigger"]);
  assert.deepEqual(fields({}), ["repo", "ref"]);
  assert.deepEqual(fields({ repo: "acme/app", trigger: "environment" }), ["environment"]);
  assert.deepEqual(fields({ repo: "acme/app", trigger: "any" }), []);
  assert.deepEqual(problemsOf(github, { repo: "acme", ref: "" }), {
    repo: 'must be OWNER/NAME, such as acme/app, not "acme"',
    ref: "is required: a branch such as main, or a full ref such as refs/tags/v1",
  });
});

test("subjects with names and with IDs are accepted, of this repository only", () => {
  const ids = { ...JOB, repo: "acme/app.io", repoId: "42", ownerId: "7" };
  assert.deepEqual(match(ids)?.claims, { repository_id: "42", repository_owner_id: "7" });
  assert.ok(accepts(ids, "repo:acme/app.io:ref:refs/heads/main"));
  assert.ok(accepts(ids, "repo:acme@7/app.io@42:ref:refs/heads/main"));
  for (const subject of [
    "repo:acme/appXio:ref:refs/heads/main",
    "repo:acme@8/app.io@42:ref:refs/heads/main",
    "repo:acme@7/app.io@421:ref:refs/heads/main",
    "repo:acme/app.io/extra:ref:refs/heads/main",
    "repo:acme/app.io:ref:refs/heads/main2",
    "repo:acme/app.io:ref:refs/heads/main\n",
    "repo:acme/app.io:ref:refs/tags/main",
    "xrepo:acme/app.io:ref:refs/heads/main",
  ]) {
    assert.ok(!accepts(ids, subject), subject);
  }
});

test("triggers are exact, with metacharacters as they are", () => {
  const environment = { repo: "acme/app", trigger: "environment", environment: "prod (eu): a+b" };
  assert.ok(accepts(environment, "repo:acme/app:environment:prod (eu)%3A a+b"));
  assert.ok(accepts(environment, "repo:acme/app:environment:prod (eu): a+b"));
  assert.ok(!accepts(environment, "repo:acme/app:environment:prod eu: aab"));
  const ref = { repo: "acme/app", ref: "refs/tags/v1.0+(x|y)" };
  assert.ok(accepts(ref, "repo:acme/app:ref:refs/tags/v1.0+(x|y)"));
  assert.ok(!accepts(ref, "repo:acme/app:ref:refs/tags/v1.00x"));
  const pull = { repo: "acme/app", trigger: "pull_request", ref: "main" };
  assert.ok(accepts(pull, "repo:acme/app:pull_request"));
  assert.ok(!accepts(pull, "repo:acme/app:ref:refs/heads/main"), "the ref does not apply");
});

test("warns of names without IDs, and of pull requests", () => {
  const warnings = (values: Values) => trustOf(github, values).warnings.join("\n");
  const ids = { repoId: "42", ownerId: "7" };
  assert.equal(warnings({ ...JOB, ...ids }), "");
  assert.match(warnings({ ...JOB, repoId: "42" }), /only names.*gh api repos\/acme\/app/);
  assert.match(warnings({ ...JOB, ...ids, trigger: "any" }), /^every branch.*\npull requests/);
  assert.match(warnings({ ...JOB, ...ids, trigger: "pull_request" }), /^pull requests/);
});

test("a preview has examples for missing and invalid values, and a name", () => {
  assert.deepEqual(previewOf(github, { repo: "acme" }), trustOf(github, JOB));
  assert.equal(trustOf(github, { ...JOB, repo: "Acme/App.io" }).name, "github-acme-app.io");
});
