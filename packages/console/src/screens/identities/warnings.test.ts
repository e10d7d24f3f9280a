import assert from "node:assert/strict";
import { test } from "node:test";
import { patternWarnings } from "./warnings.ts";

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
