import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { World } from "../../server/test/support/world/world.ts";
import type { Command, Node } from "../src/command/definition.ts";
import { tree } from "../src/tree.ts";
import { wharf } from "./support/command.ts";

/** Verbs of commands that only read, or act on this machine. */
const OTHERS =
  /^(list|describe|get|show|check|status|lookup|export|import|watch|verify|tail|listen)$/;

describe("--dry-run", () => {
  let world: World;
  let env: Record<string, string>;
  let org: string;
  before(async () => {
    world = await World.start();
    env = { WHARF_API: world.server.url, WHARF_TOKEN: await world.server.token() };
    org = await world.organization("acme");
  });
  after(() => world.stop());

  const run = async (...args: string[]) => {
    const done = await wharf([...args, "--dry-run"], { env });
    return { ...done, groups: (await world.operator().groups.list({})).totalCount };
  };

  test("shows what a create would make, and makes nothing", async () => {
    const before = (await world.operator().groups.list({})).totalCount;
    const { code, stdout, stderr, groups } = await run(
      ...["iam", "folders", "create", "web", "--parent", "acme", "-o", "json"],
    );
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).name, "web");
    assert.match(stderr, /dry run, nothing changed: created folder web/);
    assert.equal(groups, before);
  });

  test("needs no confirmation to try a deletion, and shows what prevents it", async () => {
    const folder = await world.group(org, "full");
    await world.group(folder);
    const full = await run("iam", "folders", "delete", "acme/full");
    assert.deepEqual([full.code, full.stdout], [6, ""]);
    await world.group(org, "empty");
    const empty = await run("iam", "folders", "delete", "acme/empty");
    assert.equal(empty.code, 0, empty.stderr);
    assert.match(empty.stderr, /dry run, nothing changed: deleted folder/);
    assert.ok((await wharf(["iam", "folders", "describe", "acme/empty"], { env })).code === 0);
  });

  test("tries an identity with its roles, updates, and requests of `wharf api`", async () => {
    const issuer = ["--issuer", "https://ci.example.com", "--subject", "ci"];
    const made = await run(
      ...["iam", "identities", "create", "ci", "--parent", "acme", "--role", "viewer", ...issuer],
    );
    assert.equal(made.code, 0, made.stderr);
    const updated = await run("iam", "organizations", "update", "acme", "--description", "x");
    assert.equal(updated.code, 0, updated.stderr);
    assert.match(updated.stdout, /Description: +x/);
    const group = await world.operator().groups.get(org);
    assert.equal(group.description, "");
    const called = await run("api", "POST", `/iam/v2beta1/groups/${org}`, "--field", "name=tried");
    assert.equal(JSON.parse(called.stdout).name, "tried");
    const { totalCount } = await world.operator().groups.list({ name: "tried" });
    assert.equal(totalCount, "0");
  });

  test("is an option of commands that write, and of no others", async () => {
    const reading = await wharf(["iam", "roles", "list", "--dry-run"], { env });
    assert.equal(reading.code, 2);
    const leaves = (node: Node): Command[] =>
      node.kind === "group" ? node.commands.flatMap(leaves) : [node];
    const iam = tree.commands.find(({ name }) => name === "iam") as Node;
    for (const { name, options = {}, summary } of leaves(iam)) {
      const isOther = OTHERS.test(name) || name === "test" || name === "capabilities";
      assert.equal(Object.hasOwn(options, "dry-run"), !isOther, `${name}: ${summary}`);
    }
  });
});
