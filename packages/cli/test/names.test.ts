import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wharf } from "./support/command.ts";
import { fails, ids, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

describe("names", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    await site.make("folders", "platform", "--parent", "acme");
    await site.ok("repos", "create", "app", "--parent", "acme", "-q");
    await createIdentity("deployer");
  });
  after(() => site.stop());

  const claims = ["--issuer", "https://ci.example.com", "--subject", "job"];
  const createIdentity = (name: string) =>
    site.run("iam", "identities", "create", name, "--parent", "acme", ...claims);

  test("that are mistyped are suggested, from what the caller may list", async () => {
    for (const [line, expected] of [
      ["iam orgs describe amce", /no organization is named "amce"\n {2}→ did you mean acme\?/],
      ["iam folders describe plattform", /"plattform"\n {2}→ did you mean platform\?/],
      ["iam folders describe amce/platform", /no organization is named "amce"\n {2}→ did you mean/],
      ["iam identities describe acme/deploier", /\n {2}→ did you mean acme\/deployer\?/],
      ["iam identities describe deploier", /\n {2}→ did you mean deployer\?/],
      ["iam roles describe viewr", /no role is named "viewr"\n {2}→ did you mean viewer\?/],
      ["repos describe acme/ap", /no repo is named "acme\/ap"\n {2}→ did you mean acme\/app\?/],
      ["iam roles describe frobnicate", /"frobnicate"\n {2}→ `wharf iam roles list` lists all/],
    ] as const) {
      await fails(site, 5, expected, ...line.split(" "));
    }
    // Nothing is revealed to someone without a role.
    const [uid] = await ids(site, "iam", "identities", "describe", "deployer");
    const stranger = await runAs(site, uid as string, "iam", "orgs", "describe", "amce");
    assert.match(stranger.stderr, /no organization is named "amce"\n {2}→ `wharf iam org/);
  });

  test("of siblings are warned of, and asked about at a terminal", async () => {
    const twin = await site.run("iam", "folders", "create", "platform", "--parent", "acme");
    assert.equal(twin.code, 0);
    assert.match(twin.stderr, /warning: acme has a folder platform already/);
    const identity = await createIdentity("deployer");
    assert.match(identity.stderr, /warning: acme has an identity deployer already/);
    assert.doesNotMatch((await createIdentity("tester")).stderr, /warning/);
    const bind = ["iam", "role-bindings", "create", "--identity", "tester", "--parent", "acme"];
    const roles = ["--role", "viewer,editor"];
    assert.doesNotMatch((await site.run(...bind, ...roles)).stderr, /warning/);
    const again = await site.run(...bind, "--role", "viewer");
    assert.match(again.stderr, /warning: acme has role binding tester: viewer already/);

    const folders = () => ids(site, "iam", "folders", "list", "acme", "--filter", "name=platform");
    const before = await folders();
    const args = ["iam", "folders", "create", "platform", "--parent", "acme"];
    const terminal = wharfAtTerminal(args, { env: site.env });
    await terminal.until(/acme has a folder platform already\. Create another\?/);
    terminal.type("n");
    assert.equal(await terminal.end(), 1);
    assert.deepEqual(await folders(), before);
  });

  test("are in messages of deletions; what never existed cannot be deleted", async () => {
    const list = ["iam", "role-bindings", "list", "--identity", "tester", "--role", "editor"];
    const [uid] = (await ids(site, ...list)) as [string];
    const { stderr } = await site.run("iam", "role-bindings", "delete", "-y", uid);
    assert.match(stderr, /deleted role binding tester: editor\n/);
    const remove = ["iam", "role-bindings", "delete", "-y"];
    await fails(site, 5, /does not exist/, ...remove, `${acme}/0123456789abcdef`);
    await fails(site, 5, /does not exist/, ...remove, uid);
  });

  test("of what the caller will lose are in the question", async () => {
    const [caller, other] = (await ids(
      site,
      "iam",
      "identities",
      "list",
      "--parent",
      "acme",
    )) as string[];
    const bind = async (identity = "") => {
      const args = [
        "--identity",
        identity,
        "--role",
        "owner",
        "--parent",
        "acme",
        "-q",
        "-o",
        "id",
      ];
      return (await site.ok("iam", "role-bindings", "create", ...args)).trim();
    };
    const [own, theirs] = [await bind(caller), await bind(other)];
    const env = { ...site.env, WHARF_TOKEN: await site.server.token(caller) };
    const asks = async (uid: string, question: RegExp) => {
      const terminal = wharfAtTerminal(["iam", "role-bindings", "delete", uid], { env });
      await terminal.until(question);
      terminal.type("n");
      assert.equal(await terminal.end(), 1);
    };
    await asks(own, /You will lose access to acme, unless another role grants it\. Delete role/);
    await asks(theirs, /(?<!it\. )Delete role binding/);
  });

  test("nobody is waited for in a CI job", async () => {
    const env = { ...site.env, CI: "true" };
    const login = await wharf(["auth", "login"], { env });
    assert.equal(login.code, 3);
    assert.match(login.stderr, /nobody can sign in with a browser here: .*\n {2}→ give --identity/);
    const github = { ...env, GITHUB_ACTIONS: "true" };
    const { code, stderr } = await wharf(["auth", "login", "--identity", acme], { env: github });
    assert.equal(code, 2);
    assert.match(stderr, /ACTIONS_ID_TOKEN_REQUEST_URL is not set\n[\s\S]*id-token: write/);
  });
});
