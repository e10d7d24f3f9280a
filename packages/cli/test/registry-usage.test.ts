import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OciClient } from "../../server/test/support/registry/oci-client.ts";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";

describe("wharf registry usage", () => {
  let world: World;
  let env: Record<string, string>;
  before(async () => {
    world = await World.start({ registry: true });
    const pusher = await world.registry.holder("pusher", "registry.push");
    const client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
    await client.image("acme/team/large", "1", "x".repeat(900_000));
    await client.image("acme/small", "1", "small");
    const resourceLimits = { registry_mb: 4, tags: 2 };
    await world.operator().groups.update(world.registry.organization, { resourceLimits });
    env = { WHARF_API: world.server.url, WHARF_TOKEN: await world.server.token() };
  });
  after(() => world.stop());

  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await wharf(["registry", "usage", ...args], { env });
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test("shows a group with bars for its quotas, folders and repos", async () => {
    const output = await ok("acme");
    assert.match(output, /^Stored: +1\.8 MB$/m);
    assert.match(output, /^Repos: +2$/m);
    assert.match(output, /^Quota bytes of acme: +█{9}░{11} 1\.8 MB of 4\.0 MB \(45%\)$/m);
    assert.match(output, /^Quota tags of acme: +█{20} 2 of 2 \(100%\)$/m);
    assert.match(output, /^Folder team: +█{20} 1\.8 MB$/m);
    assert.match(output, /^Repo team\/large: +█{20} 1\.8 MB$/m);
    assert.match(output, /^Repo small: +░{20} \d+(\.\d)? k?B$/m);
    assert.doesNotMatch(await ok("acme/team"), /small/);
  });

  test("prints the numbers for scripts", async () => {
    const usage = JSON.parse(await ok("acme", "-o", "json"));
    assert.deepEqual([usage.repos, usage.tags, usage.contents], ["2", "2", "6"]);
    assert.deepEqual(usage.quotas[0], {
      quota: "registry_mb",
      groupUid: world.registry.organization,
      groupPath: "acme",
      used: usage.bytes,
      allowed: "4000000",
    });
  });

  test("lists organizations", async () => {
    const output = await ok();
    assert.match(output, /^ORGANIZATION +STORED +PUSHED +REPOS +TAGS +QUOTA$/m);
    assert.match(
      output,
      /^acme +1\.8 MB +1\.8 MB +2 +2 +█+░+ 1\.8 MB of 4\.0 MB \(45%\), █+ 2 of 2/m,
    );
    const items = JSON.parse(await ok("-o", "json")).items;
    assert.ok(items.some(({ bytes }: { bytes: string }) => Number(bytes) > 1_800_000));
  });
});
