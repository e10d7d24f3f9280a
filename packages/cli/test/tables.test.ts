import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { widthOf } from "../src/terminal/width.ts";
import { clientOf, ids, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

const DIGEST = `sha256:0123456789ab${"c".repeat(52)}`;

/** A uid, or a part of one that was cut. */
const UID_TEXT = /[0-9a-f]{16}/;

describe("default tables", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    const platform = await site.make("folders", "platform", "--parent", "acme");
    await site.ok(
      ...["iam", "identities", "create", "ci", "--parent", "acme/platform", "--role", "viewer"],
      ...["--issuer", "https://ci.example.com", "--subject", "s", "-q"],
    );
    await site.ok("iam", "invites", "create", "acme", "--role", "viewer", "-q");
    await site.ok("iam", "orgs", "update", "acme", "--verified", "yes", "-q");
    await site.ok(
      ...["iam", "identity-providers", "create", "sso", "--parent", "acme", "--client-id", "c"],
      ...["--issuer", "https://login.example.com", "--pkce", "--default-role", "viewer", "-q"],
    );
    await site.ok(
      ...["iam", "group-mappings", "create", "--provider", "sso", "--external-group", "ops"],
      ...["--role", "viewer", "-q"],
    );
    await site.ok(
      ...["events", "subscriptions", "create", "http://127.0.0.1:9/hook", "--parent", "acme"],
      ...["--name", "hook", "-q"],
    );
    const { repos, tags } = await clientOf(site);
    for (const [parent, name] of [
      [platform, "tools"],
      [acme, "app"],
    ] as const) {
      const { uid } = await repos.create({ parent, repo: { name } });
      for (const tag of ["2.0", "latest", "1.10", "2.0-rc1", "1.9"]) {
        await tags.create({ parent: uid, tag: { name: tag, digest: DIGEST } });
      }
    }
  });
  after(() => site.stop());

  const LISTS: readonly [line: string, row: RegExp][] = [
    ["iam organizations list", /^acme/m],
    ["iam folders list", /^platform +acme/m],
    ["iam identities list", /^ci +acme\/platform +claim_match +s +never$/m],
    ["iam roles list --custom --parent acme", /no roles/],
    ["iam role-bindings list", /^ci +viewer +acme\/platform +\d+[sm] ago$/m],
    ["iam invites list", /^ +viewer +acme +no +in 6d$/m],
    ["iam identity-providers list", /^sso +acme +https:\/\/login\.example\.com/m],
    ["iam group-mappings list", /^ops +viewer +sso$/m],
    ["events subscriptions list", /^hook +acme +http:\/\/127\.0\.0\.1:9\/hook +active/m],
    ["events list --parent acme", /iam\.identity\.created\.v1 +acme\/platform\/ci +operator$/m],
    ["events list --parent acme", /registry\.tag\.created\.v1 +acme\/app:1\.9 +operator$/m],
    ["audit list --resource acme", /^\d+ .* CreateIdentity +acme\/platform\/ci +OK$/m],
    ["repos list", /^tools +acme\/platform/m],
    ["tags list", /^acme\/platform\/tools +2\.0-rc1 +0123456789ab +\d+[sm] ago +no$/m],
    ["auth status", /^\* .* operator +valid/m],
  ];

  for (const [line, row] of LISTS) {
    test(`\`wharf ${line}\` fits 80 columns, with names and without uids`, async () => {
      const terminal = wharfAtTerminal([...line.split(" "), "--no-pager"], {
        env: site.env,
        columns: 80,
      });
      assert.equal(await terminal.end(), 0, terminal.text);
      assert.match(terminal.text, row);
      assert.doesNotMatch(terminal.text, UID_TEXT);
      for (const one of terminal.text.split(/\r?\n/)) assert.ok(widthOf(one) <= 80, one);
    });
  }

  test("-o wide has the uids and whole digests", async () => {
    const [binding = ""] = await ids(site, "iam", "role-bindings", "list");
    assert.ok((await site.ok("iam", "role-bindings", "list", "-o", "wide")).includes(binding));
    assert.ok((await site.ok("tags", "list", "-o", "wide")).includes(DIGEST));
    const events = await site.ok("events", "list", "--parent", "acme", "-o", "wide");
    assert.match(
      events,
      new RegExp(`dev\\.chainguard\\.api\\.iam\\.group\\.created\\.v1 +${acme}`),
    );
  });

  test("tags are sorted by repo and version, also within --limit; --sort replaces it", async () => {
    const names = async (...args: string[]) =>
      (await site.ok("tags", "list", "--jq", ".items[].name", ...args)).trim().split("\n");
    const versions = ["1.9", "1.10", "2.0-rc1", "2.0", "latest"];
    assert.deepEqual(await names(), [...versions, ...versions]);
    assert.deepEqual(await names("--limit", "3"), versions.slice(0, 3));
    assert.deepEqual(await names("--repo", "acme/app", "--sort", "name", "--limit", "2"), [
      ...["1.10", "1.9"],
    ]);
    const repos = (await site.ok("tags", "list")).split("\n").slice(1, -1);
    assert.deepEqual(
      [...new Set(repos.map((line) => line.split(" ")[0]))],
      ["acme/app", "acme/platform/tools"],
    );
  });

  test("names that the caller may not list are left out, and the list is complete", async () => {
    const role = ["iam", "roles", "create", "reader", "--parent", "acme", "-q", "-o", "id"];
    await site.ok(...role, "--capabilities", "audit.list");
    const [reader = ""] = await ids(
      site,
      ...["iam", "identities", "create", "reader", "--parent", "acme", "--role", "reader"],
      ...["--issuer", "https://ci.example.com", "--subject", "reader"],
    );
    const { code, stdout, stderr } = await runAs(site, reader, "audit", "list", "--resource", acme);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /CreateIdentity +…\/…\/ci +OK$/m);
  });
});
