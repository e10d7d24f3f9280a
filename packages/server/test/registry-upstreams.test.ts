import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { INDEX, type PushedImage, sha256 } from "./support/registry/oci-client.ts";
import { NAME, REMOTE, UpstreamWorld } from "./support/registry/upstream-world.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";

for (const store of STORES) {
  describe(`a cache of an upstream, on ${store}`, () => {
    let world: UpstreamWorld;
    let image: PushedImage;
    before(async () => {
      world = await UpstreamWorld.start({ store });
      image = await world.pusher.image(REMOTE, "1.0", "content of the layer");
      await world.add();
    });
    after(() => world.stop());

    const manifest = (reference: string, name = NAME) => `/v2/${name}/manifests/${reference}`;
    const blob = (digest: string, name = NAME) => `/v2/${name}/blobs/${digest}`;

    test("keeps an image on its first pull, and then asks for nothing", async () => {
      const { puller } = world;
      const first = await puller.get(manifest("1.0"));
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual(first.bytes, image.bytes);
      assert.equal(first.headers["docker-content-digest"], image.digest);
      const layer = await puller.get(blob(image.layer));
      assert.deepEqual([layer.status, layer.bytes.toString()], [200, "content of the layer"]);
      await until(async () => (await puller.send("HEAD", blob(image.layer))).status === 200);
      world.paths();
      for (const reference of ["1.0", image.digest]) {
        assert.equal((await puller.get(manifest(reference))).status, 200);
        assert.equal((await puller.send("HEAD", manifest(reference))).status, 200);
      }
      for (const digest of [image.layer, image.config]) {
        assert.equal((await puller.get(blob(digest))).status, 200);
      }
      const ranged = await puller.get(blob(image.layer), { range: "bytes=0-6" });
      assert.deepEqual([ranged.status, ranged.bytes.toString()], [206, "content"]);
      assert.deepEqual(world.paths(), []);
    });

    test("creates the repo on behalf of the upstream, with its audit entry", async () => {
      const api = world.world.operator();
      const { repos } = await api.repos.list({ uidp: { childrenOf: world.hub } });
      assert.deepEqual(
        repos.map(({ name }: { name: string }) => name),
        ["app"],
      );
      const { body } = await world.world.http.get(
        `/audit/v2beta1/entries?resource=${encodeURIComponent(repos[0].uid)}`,
      );
      const { entries } = body;
      const created = entries.find(({ method }: { method: string }) => /CreateRepo$/.test(method));
      assert.match(created?.actor?.name ?? "", /^upstream 127\.0\.0\.1:\d+$/);
      const { images } = await api.images.list({ repoUid: repos[0].uid });
      assert.equal(images[0].architecture, "amd64");
    });

    test("revalidates a tag with one HEAD when it is due, and follows it when it moves", async () => {
      const { puller, pusher } = world;
      await puller.get(manifest("1.0"));
      world.paths();
      await world.expire();
      // A client does not wait long for it.
      await until(async () => (await puller.get(manifest("1.0"))).headers.warning === undefined);
      await puller.get(manifest("1.0"));
      assert.deepEqual(world.paths(), [`HEAD ${manifest("1.0", REMOTE)}`]);
      const moved = await pusher.image(REMOTE, "1.0", "another layer");
      const digest = async () =>
        (await puller.get(manifest("1.0"))).headers["docker-content-digest"];
      assert.equal(await digest(), image.digest);
      await world.expire();
      await until(async () => (await digest()) === moved.digest);
      assert.equal((await puller.get(blob(moved.layer))).bytes.toString(), "another layer");
    });

    test("one request for each digest, however many clients wait", async () => {
      const large = "x".repeat(3 * 1024 * 1024);
      const { layer } = await world.pusher.image(REMOTE, "large", large);
      world.paths();
      const all = <T>(one: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, one));
      const manifests = await all(() => world.puller.get(manifest("large")));
      assert.deepEqual([...new Set(manifests.map(({ status }) => status))], [200]);
      const blobs = await all(() => world.puller.get(blob(layer)));
      for (const { status, bytes } of blobs) {
        assert.deepEqual([status, sha256(bytes)], [200, layer]);
      }
      const requests = world.paths();
      const count = (path: string) => requests.filter((one) => one === `GET ${path}`).length;
      assert.equal(count(manifest("large", REMOTE)), 1);
      assert.equal(count(blob(layer, REMOTE)), 1);
    });

    test("gets only the platforms that are asked for", async () => {
      const { pusher, puller } = world;
      const children = await Promise.all(
        ["amd64", "arm64"].map(async (architecture) => {
          const { digest, bytes } = await pusher.image(REMOTE, architecture, architecture);
          return { digest, size: bytes.length, platform: { os: "linux", architecture } };
        }),
      );
      const manifests = children.map((child) => ({
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        ...child,
      }));
      const index = { schemaVersion: 2, mediaType: INDEX, manifests };
      assert.equal((await pusher.putManifest(REMOTE, "both", index, INDEX)).status, 201);
      world.paths();
      const { status, body } = await puller.get(manifest("both"));
      assert.deepEqual([status, body.manifests.length], [200, 2]);
      assert.deepEqual(world.paths(), [`GET ${manifest("both", REMOTE)}`]);
      const [wanted = { digest: "" }] = children;
      assert.equal((await puller.get(manifest(wanted.digest))).status, 200);
      assert.ok(world.paths().every((one) => !one.includes(children[1]?.digest ?? "")));
    });

    test("lists the tags and the referrers of the upstream", async () => {
      const { pusher, puller } = world;
      const { bytes, digest } = await pusher.image(REMOTE, "signed", "signed");
      const config = await pusher.blob(REMOTE, "{}");
      const signature = {
        schemaVersion: 2,
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        artifactType: "application/vnd.test.signature",
        config: { mediaType: "application/vnd.oci.empty.v1+json", digest: config, size: 2 },
        layers: [],
        subject: {
          mediaType: "application/vnd.oci.image.manifest.v1+json",
          ...{ digest, size: bytes.length },
        },
      };
      const text = JSON.stringify(signature);
      assert.equal((await pusher.putManifest(REMOTE, sha256(text), text)).status, 201);
      const { body: tags } = await puller.get(`/v2/${NAME}/tags/list?n=2`);
      assert.deepEqual([tags.name, tags.tags.length], [NAME, 2]);
      const { body: all } = await puller.get(`/v2/${NAME}/tags/list`);
      assert.ok(all.tags.includes("signed"));
      const { body } = await puller.get(`/v2/${NAME}/referrers/${digest}`);
      assert.deepEqual(
        body.manifests.map((one: { digest: string }) => one.digest),
        [sha256(text)],
      );
      assert.equal((await puller.get(manifest(sha256(text)))).status, 200);
    });

    test("what the upstream does not have is 404, and creates no repo", async () => {
      for (const path of [manifest("none"), manifest("1.0", "acme/hub/nothing")]) {
        const { status, code } = await world.puller.get(path);
        assert.deepEqual([status, code], [404, "MANIFEST_UNKNOWN"]);
      }
      assert.equal((await world.puller.get(blob(sha256("nothing")))).status, 404);
      const { repos } = await world.world
        .operator()
        .repos.list({ uidp: { childrenOf: world.hub } });
      assert.equal(repos.length, 1);
    });

    test("nothing can be pushed to it", async () => {
      const pusher = await world.world.registry.holder("local pusher", "registry.push");
      const client = world.puller.as(`Bearer ${await world.world.signer.token(pusher)}`);
      for (const name of [NAME, "acme/hub/other"]) {
        const { status, code, body } = await client.send("POST", `/v2/${name}/blobs/uploads/`);
        assert.deepEqual([status, code], [405, "UNSUPPORTED"]);
        assert.match(body.errors[0].message, /come from the upstream 127\.0\.0\.1/);
      }
      assert.equal((await client.image("acme/own", "1.0", "own")).digest.length, 71);
    });

    test("the API shows when the upstream answered, and never the password", async () => {
      const api = world.world.operator();
      await until(async () => {
        const { status } = await api.upstreams.get(world.hub);
        return status?.lastSuccessTime !== undefined;
      });
      const found = await api.upstreams.get(world.hub);
      assert.deepEqual([found.hasPassword, found.password ?? ""], [true, ""]);
      const request = { uid: world.hub, repository: REMOTE, tag: "signed" };
      const ok = await api.upstreams.checkUpstream(request);
      assert.match(ok.digest, /^sha256:/);
    });
  });
}
