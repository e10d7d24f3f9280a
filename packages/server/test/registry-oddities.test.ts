import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { skopeo } from "./support/registry/distribution.ts";
import type { RegistryProxy } from "./support/registry/proxy.ts";
import { INDEX, MANIFEST, RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

describe("unusual responses of a registry", () => {
  let tracked: TrackedRegistry;
  let proxy: RegistryProxy;
  let storage: RegistryStorage;
  before(async () => {
    const more = { compatibility: { schema1: { enabled: true } }, catalog: { maxentries: 10 } };
    tracked = await TrackedRegistry.start({
      proxied: true,
      flags: ["--reconcile-minutes", "0"],
      notifies: false,
      more,
    });
    proxy = tracked.proxy;
    storage = new RegistryStorage(tracked.registry.storage);
  });
  after(() => tracked.stop());
  afterEach(() => storage.clear());

  const names = (repo: string) => tracked.tagNames(repo);
  const notify = async (
    repository: string,
    tag: string,
    { digest }: StoredImage,
    type = MANIFEST,
  ) => {
    const target = { repository, tag, digest, mediaType: type };
    const event = { id: randomUUID(), timestamp: new Date().toISOString(), action: "push", target };
    return (await tracked.notify([event])).status;
  };

  /** Lets every list of tags hang until it is released, and counts those that do. */
  const holdLists = () => {
    const held = Promise.withResolvers<undefined>();
    const release = () => {
      proxy.instead = () => undefined;
      held.resolve(undefined);
    };
    const lists = { waiting: 0, release };
    proxy.instead = ({ url }) => {
      if (!url.includes("/tags/list")) return undefined;
      lists.waiting++;
      return held.promise;
    };
    return lists;
  };

  test("an oversized image configuration", async () => {
    const image = storage.image("long", "amd64", { long: "x".repeat(9 * 1024 * 1024) });
    storage.tag("acme/long-config", "1", image);
    assert.equal(await notify("acme/long-config", "1", image), 200);
    assert.deepEqual(await names("long-config"), ["1"]);
    storage.tag("acme/long", "1", image);
    storage.tag("acme/longer", "1", storage.image("another"));
    await tracked.reconcile();
    assert.deepEqual([await names("long"), await names("longer")], [["1"], ["1"]]);
    const repo = await tracked.repo("long");
    const { body } = await tracked.world.http.get(
      `/registry/v2beta1/repos/${repo}/digests/${image.digest}/architectures`,
    );
    assert.deepEqual(body.architectures ?? [], [], "its architecture is not known");
  });

  test("an index with the same manifest a hundred times, three levels deep", async () => {
    const image = storage.image("repeated");
    let top = storage.repeated(image, MANIFEST, 100);
    for (const _ of [1, 2]) top = storage.repeated(top, INDEX, 100);
    storage.tag("acme/repeated", "1", top);
    proxy.asked.length = 0;
    assert.equal(await notify("acme/repeated", "1", top, INDEX), 200);
    // Four manifests, and what may be attached to them, which is read in the background.
    assert.ok(proxy.asked.length < 50, `${proxy.asked.length} requests`);
    const repo = await tracked.repo("repeated");
    const known = await tracked.rows(`SELECT digest FROM manifests WHERE repo = '${repo}'`);
    assert.equal(known.length, 4);
  });

  test("images with Docker schema 1 manifests", async () => {
    const owner = await tracked.world.registry.holder("owner", "owner");
    const creds = `_token:${await tracked.world.registry.token(owner)}`;
    const flags = ["--format", "v2s1", "--dest-tls-verify=false", "--dest-creds", creds];
    const { ok, output } = await skopeo(
      "copy",
      ...flags,
      tracked.image().source,
      tracked.at("acme/old:1"),
    );
    assert.ok(ok, output);
    storage.tag("acme/old", "2", storage.image("newer"));
    await tracked.reconcile();
    assert.deepEqual(await names("old"), ["1", "2"]);
    const repo = (await tracked.repo("old")) as string;
    const digest = (await tracked.tag(repo, "1"))?.digest;
    const { body } = await tracked.world.http.get(
      `/registry/v2beta1/repos/${repo}/digests/${digest}/architectures`,
    );
    assert.deepEqual(body.architectures, ["amd64"]);
    assert.equal(await notify("acme/old", "3", { digest } as StoredImage), 200);
  });

  test("an unreadable tag", async () => {
    for (const tag of ["good", "bad", "well"]) {
      storage.tag("acme/partly", tag, storage.image(`partly ${tag}`));
    }
    proxy.instead = ({ url }) => (url.endsWith("/manifests/bad") ? { status: 500 } : undefined);
    await tracked.reconcile();
    assert.deepEqual(await names("partly"), ["good", "well"]);
    proxy.instead = () => undefined;
    await tracked.reconcile();
    assert.deepEqual(await names("partly"), ["bad", "good", "well"]);
    proxy.instead = ({ url }) => (url.endsWith("/manifests/bad") ? { status: 500 } : undefined);
    const { removed } = await tracked.reconcile();
    assert.equal(removed, 0, "what cannot be read is not gone");
    proxy.instead = () => undefined;
  });

  test("rate limiting with Retry-After", async () => {
    storage.tag("acme/busy", "1", storage.image("busy"));
    let refused = 0;
    proxy.instead = ({ url }) => {
      if (!url.includes("acme/busy") || refused++ > 1) return undefined;
      return { status: 429, headers: { "retry-after": refused === 1 ? "0" : "1" } };
    };
    await tracked.reconcile();
    assert.deepEqual(await names("busy"), ["1"]);
    assert.ok(refused > 2);
    proxy.instead = () => undefined;
  });

  test("a registry with a small maximum page size is read to the end", async () => {
    const { status } = await fetch(`${proxy.url}/v2/_catalog?n=1000`);
    assert.equal(status, 401);
    for (let at = 0; at < 30; at++) storage.tag(`acme/many-${at}`, "1", storage.image("many"));
    proxy.asked.length = 0;
    await tracked.reconcile();
    assert.deepEqual(await names("many-29"), ["1"]);
    const pages = proxy.asked.filter(({ url }) => url.startsWith("/v2/_catalog"));
    assert.ok(pages.length > 3, `${pages.length} pages`);
  });

  test("a hanging reconcile pass does not delay notifications", async () => {
    for (let at = 0; at < 12; at++) storage.tag(`acme/slow-${at}`, "1", storage.image("slow"));
    const image = storage.image("quick");
    storage.tag("acme/quick", "1", image);
    const lists = holdLists();
    const looked = tracked.reconcile();
    await until(async () => lists.waiting >= 8);
    assert.equal(await notify("acme/quick", "1", image), 200);
    assert.deepEqual(await names("quick"), ["1"]);
    lists.release();
    await looked;
  });

  test("a malformed list, or one with invalid names", async () => {
    const answer = (body: string) => ({ status: 200, body });
    proxy.instead = ({ url }) =>
      url.startsWith("/v2/_catalog")
        ? answer('{"repositories":[5,null,"acme/busy",{"a":1}]}')
        : url.startsWith("/v2/acme/busy/tags")
          ? answer('{"tags":{"1":2}}')
          : undefined;
    const { refused, elsewhere } = await tracked.reconcile();
    assert.equal(refused, 1, "and it goes on with what it knows");
    assert.equal(elsewhere, 0);
    proxy.instead = () => undefined;
  });

  test("a pass taken over by another replica is not a registry error", async () => {
    const { server } = tracked.world;
    storage.tag("acme/taken-over", "1", storage.image("taken over"));
    const lists = holdLists();
    const looked = tracked.reconcile();
    await until(async () => lists.waiting > 0);
    const direct = await DirectStore.open(server);
    const sql = "UPDATE registry_passes SET holder = 'another', expires = 0";
    await direct.store.write((tx) => tx.run(sql));
    await direct.close();
    lists.release();
    await looked;
    assert.ok(!server.log.includes("reconcile pass failed"), server.log);
  });

  test("an endless list is cut off", async () => {
    storage.tag("acme/busy", "1", storage.image("busy"));
    const link = `</v2/acme/busy/tags/list?n=1000>; rel="next"`;
    proxy.instead = ({ url }) =>
      url.startsWith("/v2/acme/busy/tags") ? { status: 200, headers: { link } } : undefined;
    const { refused } = await tracked.reconcile();
    assert.equal(refused, 1);
    proxy.instead = () => undefined;
  });
});
