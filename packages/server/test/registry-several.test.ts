import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { notificationSecret } from "../src/app/admin.ts";
import { readSettings } from "../src/config/settings.ts";
import { TestRegistry } from "./support/registry/distribution.ts";
import { RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { freePort } from "./support/server/free-port.ts";
import { until } from "./support/world/tracked-registry.ts";
import { World } from "./support/world/world.ts";

describe("two registries with the same paths", () => {
  let world: World;
  let registries: TestRegistry[];
  let storages: RegistryStorage[];
  before(async () => {
    const hosts = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const urls = hosts.map((host) => `${host}=http://${host}`).join();
    const flags = ["--registry-urls", urls, "--reconcile-minutes", "0"];
    world = await World.start({ registry: hosts[0] as string, flags });
    registries = [];
    for (const host of hosts) {
      const secret = await notificationSecret(
        await readSettings(world.server.storeFlags, {}),
        host,
      );
      registries.push(await TestRegistry.start(world.server.url, host, { secret }));
    }
    storages = registries.map(({ storage }) => new RegistryStorage(storage));
  });
  after(async () => {
    for (const registry of registries) await registry.stop();
    await world.stop();
  });

  const look = async (at: number) => {
    const { host } = registries[at] as TestRegistry;
    const path = "/registry/v2beta1/registries";
    assert.equal((await world.http.post(`${path}:reconcile`, { host })).status, 200);
    await until(async () => {
      const { body } = await world.http.get(path);
      const one = body.registries.find((registry: { host: string }) => registry.host === host);
      assert.equal(one.problem, "");
      return !one.pending;
    });
  };
  const tags = async () => {
    const { body } = await world.http.get("/registry/v2beta1/tags?orderBy=name");
    return (body.tags ?? []).map(({ name }: { name: string }) => name);
  };

  test("a configuration is read from the available one", async () => {
    const image = storages.map((storage) => {
      const stored = storage.image("configured");
      storage.tag("acme/configured", "1", stored);
      return stored;
    })[0] as StoredImage;
    await look(0);
    await look(1);
    const { body } = await world.http.get("/registry/v2beta1/repos?name=configured");
    const at = `/registry/v2beta1/repos/${body.repos[0].uid}/digests/${image.digest}/config`;
    for (const registry of registries) {
      await registry.down();
      const { status, body: config } = await world.http.get(at);
      await registry.up();
      assert.deepEqual([status, config.labels], [200, { name: "configured" }]);
    }
    for (const storage of storages) storage.remove("acme/configured");
    await look(0);
    await look(1);
  });

  test("an unavailable one does not block the other", async () => {
    const [here, there] = storages as [RegistryStorage, RegistryStorage];
    here.tag("acme/app", "here", here.image("one"));
    here.tag("acme/app", "both", here.image("one"));
    there.tag("acme/app", "both", there.image("two"));
    await look(0);
    await look(1);
    assert.deepEqual(await tags(), ["both", "here"]);
    await (registries[1] as TestRegistry).down();
    here.tag("acme/app", "more", here.image("three"));
    here.untag("acme/app", "both");
    await look(0);
    assert.deepEqual(await tags(), ["both", "here", "more"], "the other may have it still");
    await (registries[1] as TestRegistry).up();
    there.untag("acme/app", "both");
    here.untag("acme/app", "here");
    await look(0);
    assert.deepEqual(await tags(), ["more"]);
  });

  test("content of a detached one is removed", async () => {
    for (const storage of storages) storage.tag("acme/left", "1", storage.image("left"));
    await look(1);
    await look(0);
    const known = async () =>
      (await world.http.get("/registry/v2beta1/repos?name=left")).body.repos?.length ?? 0;
    assert.equal(await known(), 1);
    const { host } = registries[0] as TestRegistry;
    await world.server.terminate();
    const attached = ["--registry-host", host, "--registry-urls", `${host}=http://${host}`];
    await world.server.restart([...attached, "--reconcile-minutes", "0"]);
    storages[0]?.remove("acme/left");
    await look(0);
    assert.equal(await known(), 0);
  });
});
