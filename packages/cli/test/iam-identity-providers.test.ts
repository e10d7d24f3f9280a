import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wharf } from "./support/command.ts";
import { fails, fileWith, ids, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

const SECRET = "s3cret-of-the-provider";
const IDP = ["iam", "identity-providers"];

describe("identity providers", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
    await site.make("organizations", "acme");
    await site.ok(...IDP, "create", "sso", ...how("sso"), "--pkce");
  });
  after(() => site.stop());

  /** The options that every provider needs. */
  const how = (client: string) => [
    ...["--parent", "acme", "--issuer", "https://login.example.com", "--client-id", client],
    ...["--default-role", "viewer"],
  ];

  test("are created with a secret from a file, standard input or a prompt, and never show it", async () => {
    const fromFile = await site.run(
      ...[
        ...IDP,
        "create",
        "from file",
        ...how("file"),
        "--client-secret",
        fileWith(`${SECRET}\n`),
      ],
      ...["--scopes", "groups,email", "--groups-claim", "groups", "-v", "-o", "json"],
    );
    assert.equal(fromFile.code, 0, fromFile.stderr);
    assert.ok(!(fromFile.stdout + fromFile.stderr).includes(SECRET));
    const made = JSON.parse(fromFile.stdout);
    assert.deepEqual(made.oidc.additionalScopes, ["groups", "email"]);
    // An issuer that is to be trusted is not the one that issues our tokens.
    assert.ok(fromFile.stderr.includes(`${site.server.url}/oauth/callback`));
    const fromInput = await wharf(
      [...IDP, "create", "from-input", ...how("input"), "--client-secret", "-"],
      { env: site.env, input: SECRET },
    );
    assert.equal(fromInput.code, 0, fromInput.stderr);
    const terminal = wharfAtTerminal([...IDP, "create", "asked", ...how("asked"), "-o", "id"], {
      env: site.env,
    });
    await terminal.until(/Client secret/);
    terminal.type(`${SECRET}\r`);
    assert.equal(await terminal.end(), 0);
    assert.ok(!terminal.text.includes(SECRET));
    const typed = await fails(
      site,
      2,
      /--client-secret cannot be read: ENOENT/,
      ...[...IDP, "create", "typed", ...how("typed"), "--client-secret", SECRET],
    );
    assert.ok(!typed.stderr.includes(SECRET));
    await fails(site, 2, /--client-secret is missing/, ...IDP, "create", "none", ...how("none"));
  });

  test("are listed, described, updated and deleted", async () => {
    await site.ok(...IDP, "create", "changing", ...how("one"), "--pkce");
    assert.match(
      await site.ok("iam", "idp", "ls"),
      /^changing +acme +https:\/\/login\.example\.com +one/m,
    );
    const updated = await json(
      site,
      ...[...IDP, "update", "changing", "--client-id", "two", "--default-role", "editor"],
    );
    assert.deepEqual([updated.oidc.clientId, updated.oidc.pkceEnabled], ["two", true]);
    const shown = await site.ok(...IDP, "describe", "acme/changing");
    assert.match(shown, /^Provisioning: +off$/m);
    await fails(site, 2, /nothing to change/, ...IDP, "update", "changing");
    await fails(site, 2, /secret/i, ...IDP, "update", "changing", "--pkce", "off");
    await site.ok(...IDP, "delete", "changing", "-y");
    await fails(site, 5, /no identity provider is named/, ...IDP, "describe", "changing");
  });

  test("enable and disable provisioning, with tokens that are shown once", async () => {
    const scim = [...IDP, "scim"];
    assert.match(await site.ok(...scim, "status", "sso"), /^Token: +not issued$/m);
    const first = await site.ok(...scim, "token", "generate", "sso", "--expiration", "24h");
    assert.match(first, /^\S+\n$/);
    const second = await json(site, ...scim, "token", "regenerate", "sso", "--never-expires");
    assert.ok(second.token.length > 20 && second.token !== first.trim());
    assert.match(await site.ok(...scim, "status", "sso"), /^Token: +rotating$/m);
    await fails(site, 6, /owner/, ...scim, "enable", "sso");
    for (const name of ["first", "second"]) {
      await site.ok(
        ...["iam", "identities", "create", name, "--parent", "acme", "--role", "owner"],
        ...["--issuer", "https://ci.example.com", "--subject", name],
      );
    }
    await site.ok(...scim, "enable", "sso");
    assert.match(await site.ok(...scim, "status", "sso"), /^Enabled: +yes$/m);
    await site.ok(...scim, "disable", "sso");
    await fails(site, 2, /-y skips/, ...scim, "token", "revoke", "sso");
    await site.ok(...scim, "token", "revoke", "sso", "-y");
    const status = await json(site, ...scim, "status", "sso");
    assert.deepEqual([status.enabled, status.credentialState], [false, "CREDENTIAL_STATE_REVOKED"]);
    await fails(
      site,
      2,
      /mutually exclusive/,
      ...[...scim, "token", "generate", "sso", "--expiration", "1h", "--never-expires"],
    );
  });

  test("have mappings of groups to roles, under each of their names", async () => {
    const create = (group: string) =>
      json(
        site,
        ...["iam", "group-mappings", "create", "--provider", "sso"],
        ...["--external-group", group, "--role", "viewer"],
      );
    const [devs, ops] = await Promise.all([create("the devs"), create("ops")]);
    const table = await site.ok("iam", "external-group-role-mappings", "list", "--provider", "sso");
    assert.match(table, /^the devs +viewer +sso$/m);
    const nested = await ids(site, ...IDP, "group-mappings", "ls", "--parent", "acme");
    assert.deepEqual(nested.sort(), [devs.uid, ops.uid].sort());
    const shown = await site.ok("iam", "group-mappings", "describe", ops.uid);
    assert.match(shown, /^External group: +ops$/m);
    await fails(
      site,
      6,
      /Already exists/,
      ...["iam", "group-mappings", "create", "--provider", "sso", "--group", "ops"],
      ...["--role", "viewer"],
    );
    await fails(site, 2, /--all with --provider/, "iam", "group-mappings", "delete", "--all", "-y");
    await site.ok("iam", "group-mappings", "delete", ops.uid, "-y");
    const all = await site.run(
      ...["iam", "group-mappings", "delete", "--all", "--provider", "sso", "-y"],
    );
    assert.deepEqual([all.code, all.stderr], [0, "wharf: deleted 1 mapping\n"]);
  });
});
