import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";

interface Row {
  readonly who: string;
  readonly role: string;
  readonly group: string;
  readonly via: string;
  readonly sessions?: number;
}

describe("access", () => {
  let world: World;
  let env: Record<string, string>;
  let folder: string;
  before(async () => {
    world = await World.start({ login: true });
    env = { WHARF_API: world.server.url, WHARF_TOKEN: await world.server.token() };
    const {
      http: operator,
      login: { organization, provider },
    } = world;
    const below = await operator.post(`/iam/v2beta1/groups/${organization}`, { name: "platform" });
    folder = below.body.uid;
    await operator.post(`/iam/v2beta1/externalGroupRoleMappings/${provider}`, {
      externalGroupId: "builders",
      roleUid: builtinRole("registry.push")?.uid,
    });
    await ok(
      ...["iam", "identities", "create", "ci", "--parent", folder, "--role", "registry.pull"],
      ...["--issuer", "https://ci.example.com", "--subject", "ci"],
    );
    await world.login.logIn("ada");
    await world.login.logIn("bob");
    await world.login.logIn("bob");
  });
  after(() => world.stop());

  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await wharf(args, { env });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const list = async (...args: string[]): Promise<Row[]> =>
    JSON.parse(await ok("access", "list", ...args, "-o", "json")).items;
  const short = (rows: readonly Row[]) =>
    rows.map(({ who, role, group, via, sessions }) => [who, role, group, via, sessions]);

  test("lists direct, inherited and group-mapped access to a resource", async () => {
    const org = "acme.example";
    assert.deepEqual(short(await list("--resource", "platform")), [
      ["ada@acme.example", "viewer", org, "binding above", 1],
      ["bob@acme.example", "viewer", org, "binding above", 2],
      ["builders", "registry.push", org, "group of acme sso", 1],
      ["ci", "registry.pull", "platform", "binding", undefined],
    ]);
    const top = await list("--resource", world.login.organization);
    assert.deepEqual(
      top.map(({ who }) => who),
      ["ada@acme.example", "bob@acme.example", "builders"],
    );
  });

  test("narrows to a capability", async () => {
    const push = await list("--resource", folder, "--capability", "manifest.create");
    assert.deepEqual(
      push.map(({ who }) => who),
      ["builders"],
    );
    const csv = await ok(
      ...[
        "access",
        "list",
        "--resource",
        "platform",
        "--capability",
        "repo.blobs.get",
        "-o",
        "csv",
      ],
    );
    assert.equal(csv.split("\r\n").length, 6);
    const unknown = await wharf(["access", "list", "--resource", "x", "--capability", "repo.lst"], {
      env,
    });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /did you mean repo.list/);
  });

  test("lists the access of an identity with its sessions", async () => {
    assert.deepEqual(short(await list("--identity", "ADA@acme.example")), [
      ["ada@acme.example", "viewer", "acme.example", "binding", 1],
      ["builders", "registry.push", "acme.example", "group of acme sso", 1],
    ]);
    assert.deepEqual(short(await list("--identity", "bob@acme.example")), [
      ["bob@acme.example", "viewer", "acme.example", "binding", 2],
    ]);
    assert.deepEqual(await list("--identity", "ci", "--resource", world.login.organization), []);
    assert.equal(
      await ok("access", "list", "--identity", "ci", "-o", "tree"),
      "acme.example\n└── platform\n    └── ci: registry.pull (binding)\n",
    );
    const nobody = await wharf(["access", "list", "--identity", "no@acme.example"], { env });
    assert.equal(nobody.code, 5);
    const neither = await wharf(["access", "list"], { env });
    assert.deepEqual([neither.code, neither.stdout], [2, ""]);
  });

  test("checks access, with the reason and an exit code", async () => {
    const allowed = await ok("access", "check", "repo.blobs.get", "platform", "--identity", "ci");
    assert.match(allowed, /allowed by the role registry\.pull at platform/);
    const args = ["access", "check", "repo.delete", folder, "--identity", "ci"];
    const denied = await wharf([...args, "-o", "json"], { env });
    assert.equal(denied.code, 1, denied.stderr);
    const { allowed: isAllowed, reason, roles } = JSON.parse(denied.stdout);
    assert.equal(isAllowed, false);
    assert.match(reason, /^denied: needs repo\.delete at acme\.example\/platform; /);
    assert.ok(roles.includes("owner"));
    const decided = await wharf([...args, "--decision", "-o", "json"], { env });
    assert.equal(decided.code, 1, decided.stderr);
    assert.deepEqual(
      [JSON.parse(decided.stdout).allowed, JSON.parse(decided.stdout).reason],
      [false, ""],
    );
    const decision = await ok("access", "check", "repo.list", "platform", "--decision");
    assert.equal(decision, "Allowed:  yes\n");
    const own = await ok("access", "check", "CAP_TAG_DELETE", "platform");
    assert.match(own, /allowed for the operator/);
    const unknown = await wharf(["access", "check", "repo.lst", "platform"], { env });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /did you mean repo.list/);
    const missing = await wharf(["access", "check", "repo.list", "nowhere"], { env });
    assert.equal(missing.code, 5);
  });
});
