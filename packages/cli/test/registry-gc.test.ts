import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { endLeases } from "../../server/test/support/registry/collecting.ts";
import { OciClient } from "../../server/test/support/registry/oci-client.ts";
import { DirectStore } from "../../server/test/support/server/direct-store.ts";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";

describe("wharf registry gc", () => {
  let world: World;
  let env: Record<string, string>;
  before(async () => {
    world = await World.start({ registry: true, flags: ["--registry-gc-minutes", "0"] });
    env = { WHARF_API: world.server.url, WHARF_TOKEN: await world.server.token() };
    const pusher = await world.registry.holder("pusher", "registry.push");
    const client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
    await client.image("acme/app", "1", "kept");
    await client.blob("acme/app", "g".repeat(1500));
    const direct = await DirectStore.open(world.server);
    await endLeases(direct.store);
    await direct.close();
    await client.blob("acme/app", "leased");
  });
  after(() => world.stop());

  const gc = async (...args: string[]) => {
    const { code, stdout, stderr } = await wharf(["registry", "gc", ...args], { env });
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test("shows what would be deleted, and then deletes it", async () => {
    const preview = await gc("--dry-run");
    assert.match(preview, /^Examined: +4 blobs, 1\.6 kB$/m);
    assert.match(preview, /^Would delete: +1 blob, 1\.5 kB$/m);
    assert.match(preview, /^Leased: +1 blob, 6 B$/m);
    assert.match(preview, /^Last lease ends: +\d{4}-/m);
    assert.match(await gc(), /^Deleted: +1 blob, 1\.5 kB$/m);
    const { last } = JSON.parse(await gc("-o", "json"));
    assert.deepEqual([last.blobs, last.freedBlobs, last.leasedBlobs], ["3", "0", "1"]);
    assert.equal(await gc("-o", "id"), "0\n");
  });

  test("needs the operator", async () => {
    const { token } = await world.member();
    const run = await wharf(["registry", "gc"], { env: { ...env, WHARF_TOKEN: token } });
    assert.equal(run.code, 4);
  });
});
