/**
 * The catalog of usage errors: each is found before any request, and compared in full. Other tests compare
 * exit codes and the names of options.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wharf } from "./support/command.ts";

const IDENTITY = "iam identities create x --parent acme";
const GITHUB = "iam identities create github --parent acme --repo";
const GITLAB = "iam identities create gitlab --parent acme --project-path acme/app";
const CLAIMS = "--issuer https://issuer.example.com --subject s";
const EVENT = "advisories events add CGA-1 --type";
const PULL_TOKEN = "auth pull-token create x --parent acme";
const DECISION = "decisions create CVE-2026-0001";
const IMPORT = "advisories import --group acme";

/** Command lines, and what they print. */
const TEXTS: readonly [line: string, text: string][] = [
  [
    "iam organizations lsit",
    'unknown command "lsit" of wharf iam organizations\n  → did you mean list?',
  ],
  ["iam organizations list --ouput json", "unknown option --ouput\n  → did you mean --output?"],
  [
    "iam organizations list --output=xml",
    "--output must be one of table, wide, json, yaml, csv, id, tree, not \"xml\"\n  → --jq prints fields, such as --jq '.items[].name', and -o csv all columns; `wharf help formats` has examples",
  ],
  [
    "iam organizations list -o go-template={{.name}}",
    "--output must be one of table, wide, json, yaml, csv, id, tree, not \"go-template={{.name}}\"\n  → --jq prints fields, such as --jq '.items[].name', and -o csv all columns; `wharf help formats` has examples",
  ],
  [
    "iam organizations list --format {{.name}}",
    "--format was removed\n  → --jq prints fields, such as --jq '.items[].name', and -o csv all columns; `wharf help formats` has examples",
  ],
  [
    "iam organizations list --output",
    "--output needs a value\n  → one of table, wide, json, yaml, csv, id, tree",
  ],
  [
    "iam organizations describe",
    "ORGANIZATION is missing\n  → usage: wharf iam organizations describe ORGANIZATION [options]",
  ],
  [
    "config set platform.apo https://x",
    "unknown key platform.apo\n  → did you mean platform.api or platform.issuer or platform.ca-cert?",
  ],
  ["config set auth.mode telepathy", "auth.mode must be one of browser, headless"],
  ["auth login --identity-token x", "--identity-token requires --identity"],
  [
    "auth login --refresh",
    "--refresh requires --identity\n  → logins of people renew automatically",
  ],
  ["auth login --identity x --headless", "--identity and --headless are mutually exclusive"],
  [
    "auth login --identity x --invite-code y",
    "--identity and --invite-code are mutually exclusive",
  ],
  [
    "auth login --identity-provider x --org-name y",
    "--identity-provider and --org-name are mutually exclusive",
  ],
  ["auth login --invite-code -", "--invite-code -: standard input is empty"],
  [
    "auth configure-docker --registry https://cr.example.com/x",
    '--registry must be a host such as cr.example.com, not "https://cr.example.com/x"',
  ],
  [`${PULL_TOKEN} --ttl 8761h`, "--ttl must be positive, and at most 8760h"],
  [`${PULL_TOKEN} --ttl 0s`, "--ttl must be positive, and at most 8760h"],
  [`${PULL_TOKEN} --ttl soon`, '--ttl must be a duration, not "soon"\n  → such as 168h, 7d or 30m'],
  [
    IDENTITY,
    "nothing says which tokens the identity trusts\n  → give --issuer and --subject, --issuer-keys, --aws-account, --service-principal or --file",
  ],
  [
    `${IDENTITY} ${CLAIMS} --subject-pattern y`,
    "--subject and --subject-pattern are mutually exclusive",
  ],
  [
    `${IDENTITY} ${CLAIMS} --arn a`,
    "--arn and --issuer are mutually exclusive\n  → an identity trusts either claims, keys, an AWS principal or a service",
  ],
  [`${GITHUB} acme`, '--repo must be OWNER/NAME, such as acme/app, not "acme"'],
  [`${GITHUB} acme/app/extra`, '--repo must be OWNER/NAME, such as acme/app, not "acme/app/extra"'],
  [`${GITHUB} acme/app --ref=`, "--ref must not be empty"],
  [`${GITHUB} acme/app --ref main --owner-id=`, "--owner-id must not be empty"],
  [`${GITHUB} acme/app --repo-id x`, '--repo-id must be a number, not "x"'],
  [
    `${GITHUB} acme/app --host https://github.com`,
    '--host must be a host name without https://, such as github.example.com, not "https://github.com"',
  ],
  [`${GITLAB} --ref=`, "--ref must not be empty"],
  [
    `${GITLAB} --ref refs/heads/main`,
    '--ref must be a branch or tag, such as main, without refs/heads/ or refs/tags/, not "refs/heads/main"',
  ],
  [`${GITLAB} --expiration 1h`, "--expiration requires --issuer-keys"],
  [
    "iam identities create kubernetes --parent acme --namespace a --service-account b",
    "--issuer is required: the issuer URL of the cluster, unless its public keys are given",
  ],
  [
    "iam identities create aws user --parent acme --aws-account 1 --aws-user x",
    '--aws-account must be an account ID of 12 digits, not "1"',
  ],
  [
    "iam identities create aws user --parent acme --aws-account 123456789012 --aws-user a/b",
    '--aws-user must be the name of a role or user, without its path, not "a/b"',
  ],
  [`${IDENTITY} ${CLAIMS} --claim x`, '--claim must be NAME=VALUE, not "x"'],
  [
    `${IDENTITY} --service-principal nobody`,
    '--service-principal: unknown service "nobody"\n  → one of COSIGNED, INGESTER, CATALOG_SYNCER, APKO_BUILDER, ENTITLEMENT_SYNCER, TENANT_SCANNER, SEDIMENTOLOGY, SKILLUP, MATERIALIZER, MICROFLOW, GUARDENER, MICROVM, SKILLS',
  ],
  [
    `${IDENTITY} ${CLAIMS} --expiration soon`,
    '--expiration must be a time or a duration, not "soon"\n  → such as 2027-01-31, 2027-01-31T12:00:00Z or 720h',
  ],
  [
    `iam identities create x ${CLAIMS}`,
    "--parent is missing\n  → usage: wharf iam identities create generic [NAME] --parent GROUP [options]",
  ],
  [`${EVENT} fixed`, "fixed requires --fixed-version"],
  [`${EVENT} patched`, "patched requires --patched-versions"],
  [`${EVENT} false-positive-determination`, "false-positive-determination requires --reason"],
  [`${EVENT} component-location-changed --from /a`, "component-location-changed requires --to"],
  [`${EVENT} detection --fixed-version 1`, "detection does not take --fixed-version"],
  [`${EVENT} detection --note so`, "detection does not take --note"],
  [
    `${EVENT} detection --time soon`,
    '--time must be a time or a duration, not "soon"\n  → such as 2027-01-31, 2027-01-31T12:00:00Z or 720h',
  ],
  [
    `${EVENT} perhaps`,
    '--type must be one of detection, true-positive-determination, false-positive-determination, fixed, patched, pending-upstream-fix, analysis-not-planned, fix-not-planned, component-location-changed, not "perhaps"',
  ],
  ["exposure list acme/app", '"acme/app" is no image\n  → write REPO:TAG or REPO@DIGEST'],
  ["exposure list acme/app:1 --repo acme/app", "give either an image or --repo"],
  [
    "exposure list --fail-on hgh",
    '--fail-on must be one of negligible, low, medium, high, critical, not "hgh"\n  → did you mean high?',
  ],
  [
    "exposure list --status open",
    '--status must be one of affected, not-affected, fixed, unknown, accepted, not "open"',
  ],
  ["exposure list --as spdx", '--as must be one of sarif, cyclonedx, openvex, not "spdx"'],
  [
    "sbom upload acme/app:1 missing.json",
    "FILE cannot be read: ENOENT: no such file or directory\n  → give a file name, or - for standard input",
  ],
  [
    `${DECISION} --status accepted --parent acme`,
    "--status accepted requires --until\n  → risks are accepted until a time",
  ],
  [`${DECISION} --status fixed`, "give --parent or --repo"],
  [
    "sources create x --kind osw --parent acme",
    '--kind must be one of osv, alpine, secdb, kev, epss, not "osw"\n  → did you mean osv?',
  ],
  [
    "scans get acme/app:1 --scanner clair",
    '--scanner must be one of grype, trivy, osv-scanner, not "clair"',
  ],
  [
    IMPORT,
    "SOURCES is missing\n  → usage: wharf advisories import SOURCES… --parent GROUP [options]",
  ],
  [
    `${IMPORT} nothing.json`,
    "nothing.json cannot be read: ENOENT: no such file or directory\n  → give files, directories, archives, or - for standard input",
  ],
  [`${IMPORT} - -`, "standard input can be read only once\n  → give - once"],
  [
    `${IMPORT} . --input-format yaml`,
    '--input-format must be one of distro, osv, openvex, csaf, cyclonedx, not "yaml"',
  ],
  [
    "registry import acme/app",
    '"acme/app" is not the name of a repository\n  → give HOST/REPO, HOST/REPO:TAG or HOST/PREFIX/*, such as registry.example.com/acme/*',
  ],
  [
    "registry import cr.example.com/app cr.example.com/other:1",
    "DESTINATION is a repository: tags keep their names\n  → leave out the tag",
  ],
  [
    "registry import cr.example.com/app cr.example.com/other/*",
    "only HOST/PREFIX/* can be copied to a prefix\n  → give DESTINATION a name",
  ],
  [
    "registry import cr.example.com/app --concurrency 0",
    "--concurrency must be a number from 1 to 32",
  ],
  [
    "registry import cr.example.com/app --username robot",
    "--username needs a password\n  → set WHARF_SOURCE_PASSWORD",
  ],
  ["admin keys rotate --lost-secret-key -y", "--lost-secret-key requires --all"],
  ["admin keys rotate --now=yes", "--now takes no value"],
  ["admin keys rotate --never", "unknown option --never: see --help"],
];

describe("usage errors", () => {
  /** Nothing answers there: a request would end with another exit code. */
  const env = { WHARF_API: "http://127.0.0.1:9", WHARF_TOKEN: "none" };

  for (const [line, text] of TEXTS) {
    test(line, async () => {
      const { code, stdout, stderr } = await wharf(line.split(" "), { env });
      assert.deepEqual([code, stdout, stderr], [2, "", `wharf: ${text}\n`]);
    });
  }
});
