import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OciClient } from "../../server/test/support/registry/oci-client.ts";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";

describe("retention and protected tags on the command line", () => {
  let world: World;
  let client: OciClient;
  let env: Record<string, string>;
  before(async () => {
    world = await World.start({ registry: true });
    const pusher = await world.registry.holder("pusher", "registry.push");
    client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
    env = { WHARF_API: world.server.url, WHARF_TOKEN: world.operator().token };
    for (const tag of ["v1", "v2", "dev"]) await client.image("acme/app", tag, tag);
  });
  after(() => world.stop());

  const run = (...args: string[]) => wharf(args, { env });
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };

  test("a policy is previewed, created, shown, changed and deleted", async () => {
    const rules = [
      "--keep",
      "releases:tags=v*,newest=1",
      "--keep",
      "pulled:tags=x,tags=y,pulled=30",
    ];
    const preview = await ok("retention", "preview", "acme/app", ...rules, "--untagged-days", "7");
    assert.match(preview.stdout, /^acme\/app +dev +[0-9a-f]{12} +\S.* +no rule matches it/m);
    assert.match(preview.stdout, /^acme\/app +v1 .* releases +not one of the newest 1/m);
    assert.match(preview.stderr, /2 of 3 tags, 2 of 3 images, \d+ B/);
    const days = ["--announce-days", "7", "--restore-days", "1"];
    const created = await ok("retention", "create", "--parent", "acme", ...rules, ...days);
    assert.match(created.stdout, /acme/);
    const { stdout } = await ok("retention", "describe", "acme", "-o", "json");
    const [first, second] = JSON.parse(stdout).keep;
    assert.deepEqual([first.name, first.tags, first.newest], ["releases", ["v*"], 1]);
    assert.deepEqual([second.tags, second.pulledWithinDays], [["x", "y"], 30]);
    await ok("retention", "update", "acme", "--restore-days", "3");
    const { stdout: listed } = await ok("retention", "list");
    assert.match(
      listed,
      /^acme +releases:tags=v\*,newest=1, pulled:tags=x,tags=y,pulled=30 +kept +7 days +3 days/m,
    );
    await ok("retention", "delete", "acme", "-y");
    assert.notEqual((await run("retention", "describe", "acme")).code, 0);
  });

  test("invalid rules are usage errors", async () => {
    for (const rule of ["a:newest=x", "a:oldest=1", "a:deployed=1", "a:"]) {
      const { code, stderr } = await run("retention", "preview", "acme", "--keep", rule);
      assert.deepEqual([rule, code], [rule, 2], stderr);
      assert.match(stderr, /of --keep is no condition/);
    }
  });

  test("a tag is protected, and deleted once it is not; then it is restored", async () => {
    await ok("tags", "protect", "acme/app:dev", "--immutable");
    const refused = await run("tags", "delete", "acme/app:dev", "-y");
    assert.equal(refused.code, 6);
    assert.match(refused.stderr, /protected by the rule "dev" of acme\/app/);
    await ok("tags", "unprotect", "acme/app:dev");
    assert.equal((await run("tags", "unprotect", "acme/app:dev")).code, 5);
    await ok("tags", "delete", "acme/app:dev", "-y");
    assert.match((await ok("tags", "deleted", "acme/app")).stdout, /^dev +[0-9a-f]{12} /m);
    await ok("tags", "restore", "acme/app:dev");
    assert.equal((await client.get("/v2/acme/app/manifests/dev")).status, 200);
  });
});
