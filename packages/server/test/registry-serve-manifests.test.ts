import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  INDEX,
  MANIFEST,
  OciClient,
  type PushedImage,
  sha256,
  sha512,
} from "./support/registry/oci-client.ts";
import { World } from "./support/world/world.ts";

const NAME = "acme/app";
const MIB = 1024 * 1024;

for (const http2 of [false, true]) {
  describe(`manifests of the registry, over HTTP/${http2 ? 2 : 1.1}`, () => {
    let world: World;
    let client: OciClient;
    let image: PushedImage;
    before(async () => {
      world = await World.start({ registry: true });
      const pusher = await world.registry.holder("pusher", "registry.push");
      const token = await world.signer.token(pusher);
      client = new OciClient(world.server.url, `Bearer ${token}`, { http2 });
      image = await client.image(NAME, "1.0", "hello");
    });
    after(async () => {
      client.close();
      await world.stop();
    });

    const at = (reference: string, name = NAME) => `/v2/${name}/manifests/${reference}`;

    test("are pulled byte for byte, by tag and by digest", async () => {
      for (const reference of ["1.0", image.digest]) {
        const { status, headers, bytes } = await client.get(at(reference));
        assert.deepEqual([status, bytes], [200, image.bytes]);
        assert.equal(headers["content-type"], MANIFEST);
        assert.equal(headers["docker-content-digest"], image.digest);
        assert.equal(headers["content-length"], String(image.bytes.length));
        const head = await client.send("HEAD", at(reference));
        assert.deepEqual([head.status, head.bytes.length], [200, 0]);
        assert.equal(head.headers["docker-content-digest"], image.digest);
        assert.equal(head.headers["content-length"], String(image.bytes.length));
        const known = await client.get(at(reference), { "if-none-match": `"${image.digest}"` });
        assert.equal(known.status, 304);
      }
    });

    test("unknown ones are 404", async () => {
      for (const reference of ["none", sha256("none"), "-no-tag-", "x".repeat(129)]) {
        const { status, code } = await client.get(at(reference));
        assert.deepEqual([reference, status, code], [reference, 404, "MANIFEST_UNKNOWN"]);
      }
      const { code } = await client.get(at("sha256:short"));
      assert.equal(code, "DIGEST_INVALID");
    });

    test("a push answers with digest and location", async () => {
      const { status, headers } = await client.putManifest(NAME, "again", image.bytes);
      assert.equal(status, 201);
      assert.equal(headers.location, at(image.digest));
      assert.equal(headers["docker-content-digest"], image.digest);
      assert.equal(headers["oci-subject"], undefined);
    });

    test("a push by digest must have that digest; sha512 works", async () => {
      const wrong = await client.putManifest(NAME, sha256("other"), image.bytes);
      assert.deepEqual([wrong.status, wrong.code], [400, "DIGEST_INVALID"]);
      const long = sha512(image.bytes);
      const { status, headers } = await client.putManifest(NAME, long, image.bytes);
      assert.deepEqual([status, headers["docker-content-digest"]], [201, long]);
      assert.deepEqual((await client.get(at(long))).bytes, image.bytes);
    });

    test("a push by digest gets the tags of the query", async () => {
      const path = at(`${image.digest}?tag=a&tag=b&tag=a`);
      const headers = { "content-type": MANIFEST };
      const answer = await client.send("PUT", path, { headers, body: image.bytes });
      assert.deepEqual([answer.status, answer.headers["oci-tag"]], [201, "a, b"]);
      for (const tag of ["a", "b"]) {
        assert.deepEqual((await client.get(at(tag))).bytes, image.bytes);
      }
      for (const bad of ["", "..", "a/b", "%0d%0ax:%20y", "%C3%A9", "x".repeat(129)]) {
        const one = at(`${image.digest}?tag=fine&tag=${bad}`);
        const refused = await client.send("PUT", one, { headers, body: image.bytes });
        assert.deepEqual([bad, refused.status, refused.code], [bad, 400, "MANIFEST_INVALID"]);
      }
      assert.equal((await client.get(at("fine"))).status, 404);
    });

    test("what a manifest refers to must be there, with its size", async () => {
      const manifest = await client.manifestOf(NAME, "referring");
      const [layer] = manifest.layers;
      const without = { ...manifest, layers: [{ ...layer, digest: sha256("not pushed") }] };
      const missing = await client.putManifest(NAME, "missing", without);
      assert.deepEqual([missing.status, missing.code], [404, "MANIFEST_BLOB_UNKNOWN"]);
      const lying = { ...manifest, layers: [{ ...layer, size: 1_000_000 }] };
      const lie = await client.putManifest(NAME, "missing", lying);
      assert.deepEqual([lie.status, lie.code], [400, "MANIFEST_INVALID"]);
      const foreign = {
        mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
        digest: sha256("elsewhere"),
        size: 9,
      };
      const allowed = await client.putManifest(NAME, "foreign", { ...manifest, layers: [foreign] });
      assert.equal(allowed.status, 201);
      assert.equal((await client.get(at("missing"))).status, 404);
    });

    test("indexes need their manifests", async () => {
      const entry = { mediaType: MANIFEST, digest: image.digest, size: image.bytes.length };
      const index = { schemaVersion: 2, mediaType: INDEX, manifests: [entry] };
      assert.equal((await client.putManifest(NAME, "index", index, INDEX)).status, 201);
      assert.equal((await client.get(at("index"))).headers["content-type"], INDEX);
      for (const [changed, status] of [
        [{ ...entry, digest: sha256("none") }, 404],
        [{ ...entry, size: 1 }, 400],
      ] as const) {
        const other = { ...index, manifests: [changed] };
        assert.equal((await client.putManifest(NAME, "other", other, INDEX)).status, status);
      }
    });

    test("Docker's media types are kept", async () => {
      const type = "application/vnd.docker.distribution.manifest.v2+json";
      const { mediaType: _, ...manifest } = await client.manifestOf(NAME, "docker");
      const bytes = Buffer.from(JSON.stringify(manifest, null, 3));
      assert.equal((await client.putManifest(NAME, "docker", bytes, type)).status, 201);
      const { headers, bytes: pulled } = await client.get(at("docker"));
      assert.deepEqual([headers["content-type"], pulled], [type, bytes]);
    });

    test("manifests of 4 MiB are accepted, larger ones are 413", async () => {
      const manifest = await client.manifestOf(NAME, "large");
      const padded = (size: number) => {
        const annotations = { padding: "" };
        const rest = JSON.stringify({ ...manifest, annotations }).length;
        annotations.padding = "x".repeat(size - rest);
        return Buffer.from(JSON.stringify({ ...manifest, annotations }));
      };
      const largest = padded(4 * MIB);
      assert.equal((await client.putManifest(NAME, "large", largest)).status, 201);
      assert.deepEqual((await client.get(at("large"))).bytes, largest);
      const { status, code } = await client.putManifest(NAME, "larger", padded(4 * MIB + 1));
      assert.deepEqual([status, code], [413, "SIZE_INVALID"]);
    });

    test("tags and manifests are deleted", async () => {
      const name = "acme/deleted";
      const { digest } = await client.image(name, "one", "to be deleted");
      await client.image(name, "two", "to be deleted");
      const remove = (reference: string) => client.send("DELETE", at(reference, name));
      assert.equal((await remove("one")).status, 202);
      assert.equal((await client.get(at("one", name))).status, 404);
      assert.equal((await client.get(at(digest, name))).status, 200);
      const again = await remove("one");
      assert.deepEqual([again.status, again.code], [404, "MANIFEST_UNKNOWN"]);
      assert.equal((await remove(digest)).status, 202);
      for (const reference of ["two", digest]) {
        assert.equal((await client.get(at(reference, name))).status, 404);
      }
      assert.equal((await remove(digest)).status, 404);
      // The same image can be pushed again at once.
      await client.image(name, "one", "to be deleted");
      assert.equal((await client.get(at("one", name))).status, 200);
    });
  });
}
