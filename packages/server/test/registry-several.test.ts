import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { notificationSecret } from "../src/app/admin.ts";
import { TestRegistry } from "./support/registry/distribution.ts";
import { RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { freePort } from "./support/server/free-port.ts";
import { STORES } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

for (const store of STORES) {
  describe(`two registries with the same paths, on ${store}`, () => {
    let world: World;
    let registries: TestRegistry[];
    let storages: RegistryStorage[];
    let secrets: string[];
    before(async () => {
      const hosts = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
      const urls = hosts.map((host) => `${host}=http://${host}`).join();
      const flags = ["--registry-urls", urls, "--reconcile-minutes", "0"];
      world = await World.start({ store, registry: hosts[0] as string, flags });
      registries = [];
      secrets = [];
      for (const host of hosts) {
        const secret = await notificationSecret(await testSettings(world.server.storeFlags), host);
        secrets.push(secret);
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

    test("a tag that one of them deletes stays as long as another has it", async () => {
      const [here, there] = storages as [RegistryStorage, RegistryStorage];
      const path = "acme/shared";
      const [one, two] = [here.image("shared one"), here.image("shared two")];
      for (const storage of storages) {
        for (const name of ["shared one", "shared two"]) storage.image(name);
        storage.tag(path, "same", one);
        storage.tag(path, "second", one);
      }
      here.tag(path, "moves", one);
      there.tag(path, "moves", two);
      here.tag(path, "only-here", one);
      await look(1);
      await look(0);
      const { body } = await world.http.get("/registry/v2beta1/repos?name=shared");
      const repo = body.repos[0].uid;
      const shown = async () => {
        const query = `uidp.childrenOf=${repo}&orderBy=name`;
        const found = await world.http.get(`/registry/v2beta1/tags?${query}`);
        const tagsOf = (found.body.tags ?? []) as { name: string; digest: string }[];
        return tagsOf.map(({ name, digest }) => [name, digest === one.digest ? "one" : "two"]);
      };
      /** Reports a deletion in a registry. */
      const deleted = async (at: number, target: object) => {
        const event = {
          id: randomUUID(),
          timestamp: new Date(Date.now() + 1_000).toISOString(),
          action: "delete",
          target: { repository: path, ...target },
          request: {},
          actor: {},
        };
        const { status } = await fetch(`${world.server.url}/registry/notifications`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${secrets[at]}`,
            "content-type": "application/vnd.docker.distribution.events.v1+json",
          },
          body: JSON.stringify({ events: [event] }),
        });
        assert.equal(status, 200);
      };
      here.untag(path, "same");
      await deleted(0, { tag: "same" });
      const all = ["moves", "only-here", "same", "second"];
      assert.deepEqual(
        (await shown()).map(([name]) => name),
        all,
      );
      await (registries[1] as TestRegistry).down();
      here.untag(path, "second");
      await deleted(0, { tag: "second" });
      assert.deepEqual(
        (await shown()).map(([name]) => name),
        all,
        "the other does not answer",
      );
      await (registries[1] as TestRegistry).up();
      for (const tag of ["moves", "only-here"]) here.untag(path, tag);
      here.forget(path, one.digest);
      await deleted(0, { digest: one.digest });
      assert.deepEqual(await shown(), [
        ["moves", "two"],
        ["same", "one"],
        ["second", "one"],
      ]);
      there.untag(path, "same");
      await deleted(1, { tag: "same" });
      assert.deepEqual(
        (await shown()).map(([name]) => name),
        ["moves", "second"],
      );
      for (const storage of storages) storage.remove(path);
      await look(0);
      await look(1);
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
}
