import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wharf } from "./support/command.ts";
import { eventually, fails, fileWith, ids, json, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";

describe("roles, role bindings and invites", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    await site.make("organizations", "beta");
    await site.make("folders", "platform", "--parent", "acme");
    for (const name of ["one", "two", "three"]) {
      await site.ok(
        ...["iam", "identities", "create", name, "--parent", "acme"],
        ...["--issuer", "https://ci.example.com", "--subject", name],
      );
    }
  });
  after(() => site.stop());

  const role = (name: string, parent: string, capabilities: string) =>
    json(site, "iam", "roles", "create", name, "--parent", parent, "--capabilities", capabilities);

  test("roles are listed, also by capability", async () => {
    const [table, managed, pulling, custom] = await Promise.all([
      site.ok("iam", "roles", "list"),
      json(site, "iam", "roles", "list", "--managed"),
      json(site, "iam", "role", "ls", "--capabilities", "repo.blobs.get,role_bindings.create"),
      site.run("iam", "roles", "list", "--custom", "--parent", "beta"),
    ]);
    assert.match(table, /^registry\.pull +yes +Registry Pull Role \(built-in\) +10$/m);
    assert.ok(managed.items.length > 20);
    const names = pulling.items.map(({ name }: { name: string }) => name);
    assert.ok(names.includes("owner") && !names.includes("viewer"));
    assert.deepEqual([custom.stdout, custom.stderr], ["", "wharf: no roles\n"]);
  });

  test("roles are created, described, updated and deleted", async () => {
    const made = await role("deployer", "acme", "repo.list,CAP_TAG_LIST");
    assert.deepEqual(made.capabilities, ["CAP_REPO_LIST", "CAP_TAG_LIST"]);
    const update = (...args: string[]) => json(site, "iam", "roles", "update", "deployer", ...args);
    const grown = await update("--add", "repo.blobs.get", "--remove", "tag.list");
    assert.deepEqual(grown.capabilities.sort(), ["CAP_REPO_BLOBS_GET", "CAP_REPO_LIST"]);
    const exact = await update("--capabilities", "groups.list", "--description", "less");
    assert.deepEqual(exact.capabilities, ["CAP_IAM_GROUPS_LIST"]);
    assert.match(
      await site.ok("iam", "roles", "describe", "acme/deployer"),
      /^Capabilities: +groups\.list$/m,
    );
    const cases: [number, RegExp, ...string[]][] = [
      [2, /unknown capability "repo.lst"\n.*did you mean repo.list/, "--add", "repo.lst"],
      [2, /no capabilities left/, "--remove", "groups.list"],
      [2, /--capabilities excludes/, "--capabilities", "tag.list", "--add", "repo.list"],
    ];
    for (const [code, message, ...args] of cases) {
      await fails(site, code, message, "iam", "roles", "update", "deployer", ...args);
    }
    await fails(
      site,
      6,
      /built-in roles cannot be changed/,
      "iam",
      "roles",
      "delete",
      "owner",
      "-y",
    );
    await site.ok("iam", "roles", "delete", "deployer", "-y");
    await fails(site, 5, /no role is named/, "iam", "roles", "describe", "deployer");
  });

  test("ambiguous role names are rejected, unless only one role applies", async () => {
    const [inAcme, inBeta] = await Promise.all([
      role("same", "acme", "repo.list"),
      role("same", "beta", "repo.list"),
    ]);
    const both = await fails(
      site,
      2,
      /2 roles are named "same"/,
      "iam",
      "roles",
      "describe",
      "same",
    );
    assert.match(both.stderr, new RegExp(`${inAcme.uid}  acme/same`));
    assert.match(both.stderr, new RegExp(`${inBeta.uid}  beta/same`));
    const bound = await json(
      site,
      ...["iam", "bindings", "create", "--identity", "one", "--role", "same", "--parent", "acme"],
    );
    assert.equal(bound.roleUid, inAcme.uid);
    await fails(site, 6, /cannot delete role/, "iam", "roles", "delete", "acme/same", "-y");
  });

  test("capabilities are listed without a server", async () => {
    const { stdout, code } = await wharf(
      [
        "iam",
        "roles",
        "capabilities",
        "ls",
        "--resources",
        "repo",
        "--actions",
        "list",
        "-o",
        "id",
      ],
      { env: { WHARF_API: "http://127.0.0.1:1" } },
    );
    assert.deepEqual([code, stdout], [0, "repo.list\n"]);
    const csv = await site.ok("iam", "roles", "capabilities", "list", "-o", "csv");
    assert.match(csv, /^repo\.blobs\.get,repo\.blobs,get\r$/m);
  });

  test("role bindings are created, listed, updated and deleted", async () => {
    const made = await json(
      site,
      ...["iam", "role-bindings", "create", "--identity", "two", "--role", "viewer"],
      ...["--parent", "acme/platform"],
    );
    assert.equal(made.group.name, "platform");
    const table = await site.ok("iam", "rolebindings", "ls", "--identity", "two");
    assert.match(table, /^two +viewer +acme\/platform +20\S+Z$/m);
    assert.equal(
      await site.ok("iam", "role-bindings", "list", "--identity", "two", "-o", "tree"),
      "acme\n└── platform\n    └── two: viewer\n",
    );
    const yaml = await site.ok("iam", "role-bindings", "describe", made.uid, "-o", "yaml");
    assert.match(yaml, /^ {2}name: viewer$/m);
    const updated = await json(
      site,
      "iam",
      "role-bindings",
      "update",
      made.uid,
      "--role",
      "editor",
    );
    assert.equal(updated.role.name, "editor");
    assert.equal(updated.identity.name, "two");
    await fails(site, 2, /expected a UID/, "iam", "role-bindings", "describe", "two");
    await site.ok("iam", "role-bindings", "delete", made.uid, "-y");
    assert.deepEqual(await ids(site, "iam", "role-bindings", "list", "--identity", "two"), []);
  });

  test("role bindings are created from a file, atomically", async () => {
    const entries = ["viewer", "editor", "registry.pull"].map((name) => ({
      identity: "three",
      role: name,
    }));
    const all = Array.from({ length: 10 }, () => entries).flat();
    const args = ["iam", "role-bindings", "create", "--parent", "acme", "-f"];
    const wrong = fileWith(JSON.stringify([...all, { identity: "nobody", role: "viewer" }]));
    await fails(site, 5, /no identity is named "nobody"/, ...args, wrong);
    assert.deepEqual(await ids(site, "iam", "role-bindings", "list", "--identity", "three"), []);
    const { items } = await json(site, ...args, fileWith(JSON.stringify(all)));
    assert.equal(items.length, 30);
    await fails(site, 2, /entry 1 needs an identity and a role/, ...args, fileWith("- x: y"));
    await fails(site, 2, /neither YAML nor JSON/, ...args, fileWith("a: [b"));
  });

  test("creating bindings without permission is denied", async () => {
    const [viewer] = await ids(site, "iam", "identities", "list", "--name", "one");
    const refused = await runAs(
      site,
      viewer as string,
      ...["iam", "role-bindings", "create", "--identity", viewer as string, "--role"],
      ...["c60786c4b6ef95b9099535c5b447dc0a7cc7881e", "--parent", acme],
    );
    assert.equal(refused.code, 4, refused.stderr);
    assert.match(refused.stderr, /needs groups\.list/);
    await site.ok(
      ...["iam", "bindings", "create", "--identity", "one", "--role", "viewer", "--parent", "acme"],
    );
    const denied = await runAs(
      site,
      viewer as string,
      ...["iam", "bindings", "create", "--identity", "one", "--role", "owner", "--parent", "acme"],
    );
    assert.equal(denied.code, 4, denied.stderr);
    assert.equal(denied.stdout, "");
  });

  test("invites print only their code on stdout, once", async () => {
    const made = await site.run(
      "iam",
      "invites",
      "create",
      "acme",
      "--role",
      "viewer",
      "--single-use",
    );
    assert.equal(made.code, 0, made.stderr);
    const code = made.stdout.trim();
    assert.match(made.stdout, /^\S+\n$/);
    assert.ok(made.stderr.includes(`${site.server.url}/oauth?invite=${encodeURIComponent(code)}`));
    const [uid] = await ids(site, "iam", "invites", "list", "--parent", "acme");
    const shown = await site.ok("iam", "invite", "describe", uid as string, "-o", "json");
    assert.ok(!shown.includes(code));
    const { keyId, singleUse } = JSON.parse(shown);
    assert.equal(singleUse, true);
    const updated = await json(
      site,
      ...["iam", "invites", "update", keyId, "--role", "editor", "--email", "dev@example.com"],
      ...["--ttl", "1h"],
    );
    assert.deepEqual([updated.role.name, updated.email], ["editor", "dev@example.com"]);
    const left = Date.parse(updated.expirationTime) - Date.now();
    assert.ok(left > 3_500_000 && left <= 3_600_000);
    await site.ok("iam", "invites", "delete", keyId, "-y");
    await fails(site, 5, /no invite has the UID or key ID/, "iam", "invites", "describe", keyId);
    const json2 = await json(
      site,
      ...["iam", "invites", "create", "acme", "--role", "viewer", "--email", "a@b.example"],
    );
    assert.ok(json2.code.length > 20);
    await fails(site, 2, /--ttl must be a duration/, "iam", "invites", "create", "--ttl", "soon");
  });

  test("invites that have expired are listed and deleted", async () => {
    await site.ok("iam", "invites", "create", "beta", "--role", "viewer", "--ttl", "1s");
    await site.ok("iam", "invites", "create", "beta", "--role", "viewer");
    const expired = () => ids(site, "iam", "invites", "list", "--expired", "--parent", "beta");
    await eventually(async () => (await expired()).length > 0);
    const { stderr } = await site.run(
      ...["iam", "invites", "delete", "--expired", "--parent", "beta", "-y"],
    );
    assert.match(stderr, /deleted invite key \S+: viewer/);
    assert.equal((await ids(site, "iam", "invites", "list", "--parent", "beta")).length, 1);
    await fails(site, 2, /either INVITES or --expired/, "iam", "invites", "delete", "-y");
  });
});
