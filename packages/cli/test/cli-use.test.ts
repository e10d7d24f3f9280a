import assert from "node:assert/strict";
import { test } from "node:test";
import { wharf } from "./support/command.ts";

test("a misspelled command gets a suggestion", async () => {
  const { code, stdout, stderr } = await wharf(["iam", "organizations", "lsit"]);
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.equal(
    stderr,
    'wharf: unknown command "lsit" of wharf iam organizations\n  → did you mean list?\n',
  );
});

test("a misspelled option gets a suggestion", async () => {
  const { code, stderr } = await wharf(["iam", "organizations", "list", "--ouput", "json"]);
  assert.equal(code, 2);
  assert.match(stderr, /unknown option --ouput\n {2}→ did you mean --output\?/);
});

test("a group without a command shows its help as an error", async () => {
  const { code, stdout, stderr } = await wharf(["iam"]);
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /Commands:\n {2}organizations/);
});

test("--help works in any position", async () => {
  const after = await wharf(["iam", "orgs", "create", "--help"]);
  assert.equal(after.code, 0);
  assert.match(after.stdout, /^wharf iam organizations create: /);
  assert.match(after.stdout, /Examples:\n {2}wharf iam organizations create acme/);
  const before = await wharf(["-h", "iam", "orgs", "create"]);
  assert.equal(before.stdout, after.stdout);
  const asked = await wharf(["help", "iam", "organization", "create"]);
  assert.equal(asked.stdout, after.stdout);
});

test("help topics explain formats, exit codes and variables", async () => {
  const { stdout } = await wharf(["help", "exit-codes"]);
  assert.match(stdout, /^ {2}7 {4}The server is unavailable/m);
  assert.match((await wharf(["help", "environment"])).stdout, /WHARF_TOKEN/);
  assert.match((await wharf(["help", "formats"])).stdout, /--jq '\.items\[\]\.name'/);
});

test("the version is printed in both spellings", async () => {
  const { stdout } = await wharf(["--version"]);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  assert.equal((await wharf(["version"])).stdout, stdout);
  const details = JSON.parse((await wharf(["version", "-o", "json"])).stdout);
  assert.equal(`${details.version}\n`, stdout);
  assert.equal(details.nodeVersion, process.versions.node);
  assert.match(details.commit, /^([0-9a-f]{40}(-dirty)?)?$/);
});

test("without a terminal, missing arguments are named", async () => {
  const { code, stderr } = await wharf(["iam", "folders", "create"]);
  assert.equal(code, 2);
  assert.equal(
    stderr,
    "wharf: NAME and --parent are missing\n" +
      "  → usage: wharf iam folders create NAME --parent GROUP [options]\n",
  );
});

test("with -o json, errors are JSON as well", async () => {
  const { code, stdout, stderr } = await wharf(["iam", "orgs", "list", "-o", "json"]);
  assert.equal(code, 3);
  assert.equal(stdout, "");
  const { error } = JSON.parse(stderr);
  assert.equal(error.code, "UNAUTHENTICATED");
  assert.equal(error.exitCode, 3);
  assert.match(error.hint, /wharf auth login/);
});

test("a server that does not answer is exit code 7", async () => {
  const env = { WHARF_TOKEN: "t", WHARF_API: "http://127.0.0.1:9" };
  const { code, stderr } = await wharf(["iam", "orgs", "list"], { env });
  assert.equal(code, 7);
  assert.match(stderr, /wharf config validate/);
});

test("the server's commands keep their own options and their own errors", async () => {
  const wrong = await wharf(["serve", "--nope"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^wharf: unknown option --nope: see --help\n$/);
  const { stdout } = await wharf(["serve", "--help"]);
  assert.match(stdout, /--listen HOST:PORT/);
  assert.doesNotMatch(stdout, /--output/);
});
