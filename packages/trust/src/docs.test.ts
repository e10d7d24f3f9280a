import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PLATFORMS, type PlatformName, trustOf, type Values } from "./index.ts";

const EXAMPLES: readonly (readonly [label: string, platform: PlatformName, values: Values])[] = [
  ["GitHub, branch", "github", { repo: "acme/app", ref: "main", repoId: "42", ownerId: "7" }],
  ["GitHub, any job, names only", "github", { repo: "acme/app", trigger: "any" }],
  ["GitLab, branch", "gitlab", { projectPath: "acme/app", ref: "main" }],
  ["GitLab, any tag", "gitlab", { projectPath: "acme/app", refType: "tag" }],
  [
    "Kubernetes",
    "kubernetes",
    { namespace: "prod", serviceAccount: "app", issuer: "https://oidc.example.com/cluster" },
  ],
  ["AWS role", "aws", { awsAccount: "123456789012", awsName: "deployer", userId: "AROAEXAMPLE" }],
];

/** A row of the table: the issuer or account, and the subject or ARN. */
function rowOf([label, platform, values]: (typeof EXAMPLES)[number]): string {
  const { claimMatch, awsIdentity } = trustOf(PLATFORMS[platform], values).relationship;
  const issuer = claimMatch?.issuer ?? `account ${awsIdentity?.awsAccount}`;
  const subject =
    claimMatch?.subject ?? `/${claimMatch?.subjectPattern ?? awsIdentity?.arnPattern}/`;
  return `| ${label} | \`${issuer}\` | \`${subject}\` |`;
}

test("the table of docs/security.md has what the rules make", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/security.md"), "utf8");
  const table = ["| workload | issuer | subject |", "|---|---|---|", ...EXAMPLES.map(rowOf)];
  assert.ok(text.includes(`\n${table.join("\n")}\n`), `expected:\n${table.join("\n")}`);
});
