import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORMS, type PlatformName, trustOf, type Values } from "@wharf/trust";
import { platformTexts } from "../../texts/platforms.ts";
import { commandFor, platformOf } from "./platforms.ts";
import { expectedOf, matches } from "./trust.ts";
import { patternWarnings } from "./warnings.ts";

const ENTERED = {
  github: { repo: "acme/app", ref: "main", repoId: "42", ownerId: "7" },
  gitlab: { projectPath: "acme/app", ref: "main" },
  kubernetes: { namespace: "prod", serviceAccount: "app", issuer: "https://cluster.example" },
  aws: { awsAccount: "123456789012", awsName: "deployer", userId: "AROAEXAMPLE" },
} as const;

test("of the samples, an identity accepts its own subject, and no other", () => {
  for (const [name, values] of Object.entries(ENTERED)) {
    const { relationship, samples, warnings } = trustOf(PLATFORMS[name as PlatformName], values);
    const { subject } = expectedOf(relationship);
    assert.ok(subject);
    const accepted = samples.filter((sample) => matches(subject, sample.subject) === true);
    assert.deepEqual(accepted, [samples[0]], name);
    assert.deepEqual([...warnings, ...patternWarnings(relationship)], [], name);
    assert.equal(platformOf(relationship), name);
  }
});

test("every field of a form has a rule, and every choice a label", () => {
  for (const [name, { fields }] of Object.entries(platformTexts)) {
    const rules: Readonly<Record<string, { readonly choices?: readonly string[] }>> =
      PLATFORMS[name as PlatformName].fields;
    for (const [field, { choices }] of Object.entries(fields)) {
      assert.ok(rules[field], `${name} ${field}`);
      assert.deepEqual(choices && Object.keys(choices), rules[field].choices, `${name} ${field}`);
    }
  }
});

test("the command has the entered values, quoted, and examples for missing ones", () => {
  const command = (platform: PlatformName, values: Values, name?: string) =>
    commandFor(platform, values, { name, parent: "acme", role: undefined }).replace(
      /^wharf iam identities create | --parent acme$/g,
      "",
    );
  assert.equal(
    command("github", ENTERED.github, "ci"),
    "github ci --repo acme/app --ref main --repo-id 42 --owner-id 7",
  );
  assert.equal(command("github", { repo: "acme" }), "github --repo acme/app --ref main");
  assert.equal(
    command("github", { repo: "acme/app", trigger: "pull_request" }),
    "github --pull-request --repo acme/app",
  );
  assert.equal(
    command("github", { repo: "a/b", trigger: "environment", environment: "it's" }),
    `github --repo a/b --environment 'it'\\''s'`,
  );
  assert.equal(
    command("aws", { principal: "user", awsAccount: "123456789012", awsName: "me" }),
    "aws user --aws-account 123456789012 --aws-user me",
  );
  const keys = { issuerKeys: '{"keys":[{"kty":"EC"}]}', ref: "v1", refType: "tag" };
  assert.equal(
    command("gitlab", { projectPath: "acme/app", ...keys }),
    "gitlab --project-path acme/app --ref-type tag --ref v1 --issuer-keys jwks.json",
  );
  const claims = {
    issuer: "https://ci.example",
    match: "pattern",
    subject: "a.+",
    claims: "a=b\nc=d e",
  };
  assert.equal(
    command("any", claims, "ci"),
    "generic ci --issuer https://ci.example --subject-pattern a.+ --claim a=b --claim 'c=d e'",
  );
});
