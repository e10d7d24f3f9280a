import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import type { RegistryProxy } from "./support/registry/proxy.ts";
import { RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

/** The headers of an event of zot. */
interface Said {
  readonly type: string;
  readonly at: number;
  readonly id?: string;
}

/** Recently: the server deletes what it remembers of old notifications in the background. */
const START = Date.now() - 3_600_000;

describe("a registry that sends CloudEvents, as zot does", () => {
  let tracked: TrackedRegistry;
  let proxy: RegistryProxy;
  let storage: RegistryStorage;
  before(async () => {
    tracked = await TrackedRegistry.start({
      proxied: true,
      flags: ["--reconcile-minutes", "0"],
      notifies: false,
    });
    proxy = tracked.proxy;
    storage = new RegistryStorage(tracked.registry.storage);
  });
  after(() => tracked.stop());

  const send = (headers: Record<string, string>, body: object) =>
    fetch(`${tracked.world.server.url}/registry/notifications`, {
      method: "POST",
      headers: { authorization: `Bearer ${tracked.secret}`, ...headers },
      body: JSON.stringify(body),
    });

  /** Sends an event with its attributes in the headers, as zot does. */
  const notify = async ({ type, at, id = randomUUID() }: Said, data: object) => {
    const response = await send(
      {
        "content-type": "application/json",
        "ce-specversion": "1.0",
        "ce-id": id,
        "ce-type": type,
        "ce-source": "zotregistry.dev",
        "ce-time": new Date(START + at).toISOString(),
      },
      data,
    );
    assert.equal(response.status, 200, await response.text());
  };
  const image = (name: string, reference: string, { digest }: StoredImage) => ({
    name,
    reference,
    digest,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    manifest: "{}",
  });
  const [updated, deleted] = ["zotregistry.image.updated", "zotregistry.image.deleted"];
  const names = (repo: string) => tracked.tagNames(repo);
  const isKnown = async (name: string, { digest }: StoredImage) => {
    const repo = await tracked.repo(name);
    const at = `/registry/v2beta1/repos/${repo}/digests/${digest}/size`;
    return (await tracked.world.http.get(at)).status === 200;
  };

  test("pushes create the repo, the tag and the image metadata", async () => {
    const pusher = await tracked.world.registry.holder("pusher", "registry.push");
    const pushed = storage.image("pushed");
    storage.tag("acme/pushed", "1", pushed);
    const who = {
      actor: { name: pusher },
      request: { addr: "192.0.2.7:4711", method: "PUT", useragent: "tests" },
    };
    const id = randomUUID();
    for (const _ of ["once", "twice"]) {
      await notify({ type: updated, at: 1, id }, { ...image("acme/pushed", "1", pushed), ...who });
    }
    const byDigest = image("acme/pushed", pushed.digest, pushed);
    await notify({ type: updated, at: 2 }, { ...byDigest, ...who });
    assert.deepEqual(await names("pushed"), ["1"]);
    assert.ok(await isKnown("pushed", pushed));
    const repo = await tracked.repo("pushed");
    const rows = await tracked.rows<{ actor: string; remote_address: string; user_agent: string }>(
      `SELECT actor, remote_address, user_agent FROM audit
       WHERE resource = '${repo}' AND method = 'registry push'`,
    );
    const row = { actor: pusher, remote_address: "192.0.2.7", user_agent: "tests" };
    assert.deepEqual(
      rows.map((one) => ({ ...one })),
      [row, row],
    );
  });

  test("structured mode and other type prefixes are accepted", async () => {
    const pushed = storage.image("structured");
    storage.tag("acme/structured", "1", pushed);
    const event = {
      specversion: "1.0",
      id: randomUUID(),
      source: "https://registry.example.com",
      type: "com.example.registry.image.updated",
      time: new Date(START).toISOString(),
      data: image("acme/structured", "1", pushed),
    };
    const type = "application/cloudevents+json; charset=utf-8";
    assert.equal((await send({ "content-type": type }, event)).status, 200);
    assert.deepEqual(await names("structured"), ["1"]);
  });

  test("deletions remove the tag, and the image once the registry has it no more", async () => {
    const pushed = storage.image("deleted");
    for (const tag of ["1", "2"]) {
      storage.tag("acme/deleted", tag, pushed);
      await notify({ type: updated, at: 1 }, image("acme/deleted", tag, pushed));
    }
    storage.untag("acme/deleted", "1");
    await notify({ type: deleted, at: 2 }, image("acme/deleted", "1", pushed));
    assert.deepEqual(await names("deleted"), ["2"]);
    assert.ok(await isKnown("deleted", pushed), "the other tag stands for it");
    storage.untag("acme/deleted", "2");
    storage.forget("acme/deleted", pushed.digest);
    await notify({ type: deleted, at: 3 }, image("acme/deleted", "2", pushed));
    assert.deepEqual(await names("deleted"), []);
    assert.ok(!(await isKnown("deleted", pushed)));
  });

  test("a deletion by digest removes all of its tags", async () => {
    const pushed = storage.image("by-digest");
    for (const tag of ["1", "2"]) {
      storage.tag("acme/by-digest", tag, pushed);
      await notify({ type: updated, at: 1 }, image("acme/by-digest", tag, pushed));
    }
    await notify({ type: deleted, at: 2 }, image("acme/by-digest", pushed.digest, pushed));
    assert.deepEqual(await names("by-digest"), []);
  });

  test("other event types and unknown paths are skipped", async () => {
    const pushed = storage.image("other");
    for (const type of [
      "zotregistry.repository.created",
      "zotregistry.image.lint_failed",
      "zotregistry.image.scanned",
      "image",
      "constructor.prototype",
    ]) {
      await notify({ type, at: 1 }, image("acme/other", "1", pushed));
    }
    await notify({ type: updated, at: 1 }, image("nobody/other", "1", pushed));
    await notify({ type: updated, at: 1 }, { name: 7, reference: {}, digest: [] });
    assert.equal(await tracked.repo("other"), undefined);
  });

  test("the catalog scope works for both kinds of registries", async () => {
    proxy.asked.length = 0;
    await tracked.reconcile();
    const asked = proxy.asked.find(({ url }) => url.startsWith("/v2/_catalog"));
    const { access } = decodeJwt(asked?.headers.authorization?.slice("Bearer ".length) ?? "");
    assert.deepEqual(access, [
      { type: "registry", name: "catalog", actions: ["*"] },
      { type: "repository", name: "", actions: ["pull"] },
    ]);
  });
});
