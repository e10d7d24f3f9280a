import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OciClient, sha256, sha512 } from "./support/registry/oci-client.ts";
import { World } from "./support/world/world.ts";

const NAME = "acme/app";

for (const http2 of [false, true]) {
  describe(`blobs of the registry, over HTTP/${http2 ? 2 : 1.1}`, () => {
    let world: World;
    let client: OciClient;
    let digest: string;
    before(async () => {
      world = await World.start({ registry: true });
      const pusher = await world.registry.holder("pusher", "registry.push");
      const token = await world.signer.token(pusher);
      client = new OciClient(world.server.url, `Bearer ${token}`, { http2 });
      digest = await client.blob(NAME, "0123456789");
    });
    after(async () => {
      client.close();
      await world.stop();
    });

    const at = (one = digest, name = NAME) => `/v2/${name}/blobs/${one}`;

    test("are pulled whole, with headers that keep browsers from running them", async () => {
      const { status, headers, bytes } = await client.get(at());
      assert.deepEqual([status, bytes.toString()], [200, "0123456789"]);
      assert.equal(headers["content-type"], "application/octet-stream");
      assert.equal(headers["content-length"], "10");
      assert.equal(headers["docker-content-digest"], digest);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
      assert.equal(headers["docker-distribution-api-version"], "registry/2.0");
    });

    test("HEAD has the same headers and no body", async () => {
      const { status, headers, bytes } = await client.send("HEAD", at());
      assert.deepEqual([status, headers["content-length"], bytes.length], [200, "10", 0]);
      assert.equal(headers["docker-content-digest"], digest);
    });

    test("a client that has a blob gets 304", async () => {
      const { status, bytes } = await client.get(at(), { "if-none-match": `"${digest}"` });
      assert.deepEqual([status, bytes.length], [304, 0]);
    });

    test("ranges are served, also to the end and from the end", async () => {
      const ranges: Record<string, [string, string]> = {
        "bytes=0-3": ["0123", "bytes 0-3/10"],
        "bytes=4-": ["456789", "bytes 4-9/10"],
        "bytes=-3": ["789", "bytes 7-9/10"],
        "bytes=-100": ["0123456789", "bytes 0-9/10"],
        "bytes=8-1000": ["89", "bytes 8-9/10"],
        "bytes=9-9": ["9", "bytes 9-9/10"],
      };
      for (const [range, [text, contentRange]] of Object.entries(ranges)) {
        const { status, headers, bytes } = await client.get(at(), { range });
        assert.deepEqual([range, status, bytes.toString()], [range, 206, text]);
        assert.equal(headers["content-range"], contentRange);
        assert.equal(headers["content-length"], String(text.length));
      }
    });

    test("a range outside of the blob is 416; others are ignored", async () => {
      for (const range of ["bytes=10-", "bytes=10-20", "bytes=-0"]) {
        const { status, headers } = await client.get(at(), { range });
        assert.deepEqual([range, status, headers["content-range"]], [range, 416, "bytes */10"]);
      }
      for (const range of ["bytes=5-2", "bytes=-", "bytes=0-1,3-4", "items=0-1", "bytes=a-b"]) {
        const { status, bytes } = await client.get(at(), { range });
        assert.deepEqual([range, status, bytes.length], [range, 200, 10]);
      }
    });

    test("unknown ones are 404, malformed digests 400", async () => {
      const unknown = await client.get(at(sha256("unknown")));
      assert.deepEqual([unknown.status, unknown.code], [404, "BLOB_UNKNOWN"]);
      assert.equal((await client.send("HEAD", at(sha256("unknown")))).status, 404);
      const empty = await client.get(at(digest, "acme/none"));
      assert.deepEqual([empty.status, empty.code], [404, "BLOB_UNKNOWN"]);
      for (const bad of ["sha256:xyz", "sha256:ABC", "md5:d41d8cd98f00b204e9800998ecf8427e", "x"]) {
        const { status, code } = await client.get(at(bad));
        assert.deepEqual([bad, status, code], [bad, 400, "DIGEST_INVALID"]);
      }
    });

    test("colons of digests may be encoded", async () => {
      assert.equal((await client.get(at(digest.replace(":", "%3A")))).status, 200);
    });

    test("sha512 works as sha256 does", async () => {
      const content = "with a long digest";
      const long = sha512(content);
      const location = await client.begin(NAME);
      const put = await client.send("PUT", `${location}?digest=${long}`, { body: content });
      assert.deepEqual([put.status, put.headers["docker-content-digest"]], [201, long]);
      assert.equal((await client.get(at(long))).bytes.toString(), content);
      const wrong = await client.begin(NAME);
      const other = sha512("other");
      const refused = await client.send("PUT", `${wrong}?digest=${other}`, { body: content });
      assert.deepEqual([refused.status, refused.code], [400, "DIGEST_INVALID"]);
    });

    test("are deleted from one repository, and not while a manifest refers to them", async () => {
      const { layer } = await client.image("acme/deleted", "1", "a layer that is referred to");
      const referred = await client.send("DELETE", at(layer, "acme/deleted"));
      assert.deepEqual([referred.status, referred.code], [405, "UNSUPPORTED"]);
      const free = await client.blob("acme/deleted", "free");
      await client.blob(NAME, "free");
      assert.equal((await client.send("DELETE", at(free, "acme/deleted"))).status, 202);
      assert.equal((await client.get(at(free, "acme/deleted"))).status, 404);
      assert.equal((await client.get(at(free))).status, 200);
      const again = await client.send("DELETE", at(free, "acme/deleted"));
      assert.deepEqual([again.status, again.code], [404, "BLOB_UNKNOWN"]);
    });

    test("are mounted from another repository", async () => {
      const mount = (one: string, from: string) =>
        client.send("POST", `/v2/acme/mounted/blobs/uploads/?mount=${one}&from=${from}`);
      const { status, headers } = await mount(digest, NAME);
      assert.deepEqual([status, headers.location], [201, at(digest, "acme/mounted")]);
      assert.equal((await client.get(at(digest, "acme/mounted"))).bytes.toString(), "0123456789");
      for (const [one, from] of [
        [sha256("unknown"), NAME],
        [digest, "acme/none"],
        [digest, ""],
        ["nonsense", NAME],
      ] as const) {
        const answer = await mount(one, from);
        assert.equal(answer.status, 202);
        assert.match(answer.headers.location ?? "", /^\/v2\/acme\/mounted\/blobs\/uploads\//);
      }
    });

    test("an empty blob is a blob", async () => {
      const empty = await client.blob(NAME, "");
      const { status, headers, bytes } = await client.get(at(empty));
      assert.deepEqual([status, headers["content-length"], bytes.length], [200, "0", 0]);
      assert.equal((await client.get(at(empty), { range: "bytes=0-" })).status, 416);
    });

    test("methods that a path does not have are 405", async () => {
      for (const [method, path] of [
        ["PUT", at()],
        ["POST", at()],
        ["PATCH", `/v2/${NAME}/manifests/1`],
        ["DELETE", `/v2/${NAME}/tags/list`],
        ["GET", `/v2/${NAME}/blobs/uploads/`],
      ] as const) {
        const { status, code } = await client.send(method, path);
        assert.deepEqual([method, path, status, code], [method, path, 405, "UNSUPPORTED"]);
      }
    });
  });
}
