import assert from "node:assert/strict";
import { test } from "node:test";
import { gitlab } from "./gitlab.ts";
import { problemsOf, trustOf, type Values } from "./platform.ts";

const JOB = { projectPath: "acme/app", ref: "main" };
const KEYS = '{"keys":[{"kty":"EC"}]}';

test("a branch is an exact subject, without one a pattern of the project", () => {
  const exact = {
    issuer: "https://gitlab.com",
    subject: "project_path:acme/app:ref_type:branch:ref:main",
  };
  assert.deepEqual(trustOf(gitlab, JOB).relationship, { claimMatch: exact });
  assert.deepEqual(trustOf(gitlab, JOB).warnings, []);
  const all = {
    projectPath: "acme/sub/a.b",
    refType: "tag",
    host: "Git.Example:8443",
    audience: "x",
  };
  assert.deepEqual(trustOf(gitlab, all).relationship.claimMatch, {
    issuer: "https://git.example:8443",
    subjectPattern: "project_path:acme/sub/a\\.b:ref_type:tag:ref:.+",
    audience: "x",
  });
  assert.match(trustOf(gitlab, all).warnings.join(), /^every tag of acme\/sub\/a\.b is accepted/);
});

test("keys replace those that the issuer publishes, for an exact ref", () => {
  const keys = { ...JOB, issuerKeys: KEYS, expiration: "2027-01-31", audience: "x" };
  assert.deepEqual(trustOf(gitlab, keys).relationship.staticKeys, {
    issuer: "https://gitlab.com",
    subject: "project_path:acme/app:ref_type:branch:ref:main",
    issuerKeys: KEYS,
    audiences: ["x"],
    expirationTime: "2027-01-31T00:00:00Z",
  });
});

test("values that would never match, or trust more than they say, have problems", () => {
  const fields = (values: Values) => Object.keys(problemsOf(gitlab, values));
  for (const projectPath of [
    "acme",
    "acme/",
    "/app",
    "a b/c",
    "acme/app:x",
    "acme//app",
    "acme/.+*",
  ]) {
    assert.deepEqual(fields({ ...JOB, projectPath }), ["projectPath"], projectPath);
  }
  for (const ref of ["refs/heads/main", "v*", "a b"]) {
    assert.deepEqual(fields({ ...JOB, ref }), ["ref"], ref);
  }
  assert.deepEqual(fields({ projectPath: "acme/app", issuerKeys: KEYS }), ["ref"]);
  assert.deepEqual(fields({ ...JOB, issuerKeys: "{}", host: "https://gitlab.com" }), [
    "host",
    "issuerKeys",
  ]);
  assert.deepEqual(fields({ projectPath: "acme/app" }), []);
});
