/** Images of the registry of this server, as the API sees and changes them. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";

const digestOf = (bytes: Buffer) => `sha256:${hash("sha256", bytes, "hex")}`;

for (const store of STORES) {
  describe(`images of our own registry on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ store, registry: true });
    });
    after(() => world.stop());

    const send = async (method: string, path: string, body?: Buffer, type?: string) =>
      fetch(`${world.server.url}/v2/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await world.registry.token()}`,
          ...(type && { "content-type": type }),
        },
        ...(body && { body }),
      });

    const pushBlob = async (repository: string, bytes: Buffer) => {
      const digest = digestOf(bytes);
      const made = await send("POST", `${repository}/blobs/uploads/?digest=${digest}`, bytes);
      assert.equal(made.status, 201, await made.text());
      return { digest, size: bytes.length };
    };

    /** Pushes an image, and returns its digest and its repo. */
    const push = async (repository: string, tag: string, content: string) => {
      const run = { Entrypoint: ["/app"], Labels: { content } };
      const config = Buffer.from(
        JSON.stringify({ architecture: "arm64", os: "linux", config: run }),
      );
      const layer = await pushBlob(repository, Buffer.from(content));
      const manifest = {
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: { mediaType: CONFIG, ...(await pushBlob(repository, config)) },
        layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", ...layer }],
      };
      const bytes = Buffer.from(JSON.stringify(manifest));
      const pushed = await send("PUT", `${repository}/manifests/${tag}`, bytes, MANIFEST);
      assert.equal(pushed.status, 201, await pushed.text());
      const name = repository.split("/").at(-1);
      const path = `/registry/v2beta1/repos?name=${name}`;
      const { body } = await world.http.get(path);
      return { digest: digestOf(bytes), repo: body.repos[0].uid as string };
    };

    const statusOf = async (path: string) => (await send("HEAD", path)).status;

    test("are listed with architecture, configuration, manifest and location", async () => {
      const { digest, repo } = await push("acme/app", "1.0", "hello");
      const at = `/registry/v2beta1/repos/${repo}`;
      const { body: images } = await world.http.get(`${at}/images`);
      assert.equal(images.images[0].digest, digest);
      assert.deepEqual(images.images[0].tags, ["1.0"]);
      const config = await world.http.get(`${at}/digests/${digest}/config`);
      assert.deepEqual(config.body.entrypoint, ["/app"], JSON.stringify(config.body));
      assert.equal(config.body.architecture, "arm64");
      const manifest = await world.http.get(`${at}/digests/${digest}/manifest`);
      assert.equal(manifest.body.layers.length, 1, JSON.stringify(manifest.body));
      const { body: locations } = await world.http.get(`${at}/locations`);
      const host = world.registry.host;
      assert.deepEqual(locations.locations, [{ host, path: "acme/app", attached: true }]);
    });

    test("get and lose tags by the API, and clients see it at once", async () => {
      const { digest, repo } = await push("acme/tagged", "1.0", "tagged");
      const missing = await world.http.post(`/registry/v2beta1/tags/${repo}`, {
        name: "stable",
        digest: digestOf(Buffer.from("elsewhere")),
      });
      assert.equal(missing.status, 400, JSON.stringify(missing.body));
      const made = await world.http.post(`/registry/v2beta1/tags/${repo}`, {
        name: "stable",
        digest,
      });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const head = await send("HEAD", "acme/tagged/manifests/stable");
      assert.equal(head.headers.get("docker-content-digest"), digest);
      const gone = await world.http.delete(`/registry/v2beta1/tags/${made.body.uid}`);
      assert.equal(gone.status, 200);
      assert.equal(await statusOf("acme/tagged/manifests/stable"), 404);
      assert.equal(await statusOf(`acme/tagged/manifests/${digest}`), 200);
    });

    test("are deleted by the API, and can be pushed again", async () => {
      const { digest, repo } = await push("acme/deleted", "1.0", "deleted");
      const path = `/registry/v2beta1/repos/${repo}/digests/${digest}`;
      assert.equal((await world.http.delete(path)).status, 200);
      assert.equal(await statusOf(`acme/deleted/manifests/${digest}`), 404);
      assert.equal(await statusOf("acme/deleted/manifests/1.0"), 404);
      await push("acme/deleted", "1.0", "deleted");
      assert.equal(await statusOf("acme/deleted/manifests/1.0"), 200);
    });

    test("go with their repo, whose name is free again", async () => {
      const { digest, repo } = await push("acme/gone", "1.0", "gone");
      const blob = `acme/gone/blobs/${digestOf(Buffer.from("gone"))}`;
      assert.equal(await statusOf(blob), 200);
      assert.equal((await world.http.delete(`/registry/v2beta1/repos/${repo}`)).status, 200);
      for (const path of [`acme/gone/manifests/${digest}`, "acme/gone/manifests/1.0", blob])
        assert.equal(await statusOf(path), 404, path);
      const again = await push("acme/gone", "2.0", "new");
      assert.notEqual(again.repo, repo);
      assert.equal(await statusOf("acme/gone/manifests/1.0"), 404);
      assert.equal(await statusOf(blob), 404);
    });

    test("are denied with an audit entry that names the repo and the identity", async () => {
      const { repo } = await push("acme/secret", "1.0", "secret");
      const stranger = await world.registry.identity("stranger");
      const authorization = `Bearer ${await world.registry.token(stranger)}`;
      const url = `${world.server.url}/v2/acme/secret/manifests/1.0`;
      const denied = await fetch(url, { headers: { authorization } });
      assert.equal(denied.status, 403);
      assert.match(await denied.text(), /you hold none of/);
      const rejected = await fetch(url, { headers: { authorization: "Bearer nonsense" } });
      assert.equal(rejected.status, 401);
      const puller = await world.registry.holder("puller-only", "registry.pull");
      const put = await fetch(url, {
        method: "PUT",
        headers: { authorization: `Bearer ${await world.registry.token(puller)}` },
        body: "{}",
      });
      assert.equal(put.status, 403);
      assert.match(await put.text(), /tag\.create.* at acme\/secret; an owner of acme can grant/);
      const { body } = await world.http.get(`/audit/v2beta1/entries?actor=${puller}`);
      const [entry] = body.entries;
      assert.deepEqual([entry.resource.uid, entry.actor.name], [repo, "puller-only"]);
    });
  });
}
