import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type PushedImage, sha256 } from "./support/registry/oci-client.ts";
import type { InsteadAnswer } from "./support/registry/proxy.ts";
import { NAME, REMOTE, UpstreamWorld } from "./support/registry/upstream-world.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";

for (const store of STORES) {
  describe(`an upstream that fails, on ${store}`, () => {
    let world: UpstreamWorld;
    let image: PushedImage;
    before(async () => {
      world = await UpstreamWorld.start({ store });
      image = await world.pusher.image(REMOTE, "1.0", "content");
      await world.add();
      assert.equal((await world.puller.get(manifest("1.0"))).status, 200);
    });
    after(() => world.stop());

    const manifest = (reference: string, name = NAME) => `/v2/${name}/manifests/${reference}`;
    const blob = (digest: string, name = NAME) => `/v2/${name}/blobs/${digest}`;

    /** The digests of the files that the storage has, each with the digest of its content. */
    const stored = (): [name: string, digest: string][] => {
      const folder = join(world.world.server.data, "registry", "blobs", "sha256");
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [
          `sha256:${name}`,
          sha256(readFileSync(join(parentPath, name))),
        ]);
    };

    const faults = {
      "429": () => ({ status: 429, headers: { "retry-after": "1" } }),
      "500": () => ({ status: 500 }),
      "a reset": () => ({ status: 200, isReset: true }),
      "a stall": () => "stall" as const,
    };
    for (const [name, fault] of Object.entries(faults)) {
      test(`a stored tag is served during ${name}, with Warning and Age`, async () => {
        const tag = name.replaceAll(" ", "-");
        await world.pusher.image(REMOTE, tag, name);
        assert.equal((await world.puller.get(manifest(tag))).status, 200);
        await world.expire();
        world.fails(fault);
        const { status, headers } = await world.puller.get(manifest(tag));
        assert.equal(status, 200);
        assert.match(headers.warning ?? "", /^110 - "Response is Stale: .+"$/);
        assert.ok(Number(headers.age) >= 3600, `${headers.age}`);
        // Until it is tried again, without a request for each pull.
        await until(async () => {
          world.paths();
          await world.puller.get(manifest(tag));
          return world.paths().length === 0;
        });
        world.fails();
      });

      test(`a tag that is not stored is an error with a reason during ${name}`, async () => {
        world.fails(fault);
        const { status, body } = await world.puller.get(manifest(`unknown-${name.length}`));
        assert.equal(status, name === "a stall" ? 504 : 503);
        assert.match(body.errors[0].message, /^the upstream 127\.0\.0\.1:\d+: /);
        world.fails();
      });
    }

    test("its state has the error", async () => {
      const { status } = await world.world.operator().upstreams.get(world.hub);
      assert.match(status.lastError, /the upstream 127\.0\.0\.1/);
    });

    test("a rate limit is counted", async () => {
      const tag = { headers: { "ratelimit-remaining": "42;w=21600" }, status: 404 };
      world.fails(() => tag);
      await world.puller.get(manifest("limited"));
      const metrics = await (await fetch(`${world.world.server.url}/metrics`)).text();
      assert.match(metrics, /wharf_registry_upstream_rate_limit_remaining 42/);
      world.fails();
    });

    test("a manifest with other content is not served and not kept", async () => {
      await world.pusher.image(REMOTE, "wrong", "wrong");
      const other = Buffer.from(
        image.bytes.toString().replace('"schemaVersion":2', '"schemaVersion":2 '),
      );
      world.fails(({ url }) =>
        url.includes("/manifests/wrong")
          ? {
              status: 200,
              headers: {
                "content-type": "application/vnd.oci.image.manifest.v1+json",
                "docker-content-digest": image.digest,
              },
              body: other.toString(),
            }
          : undefined,
      );
      assert.equal((await world.puller.get(manifest("wrong"))).status, 502);
      world.fails();
      assert.equal((await world.puller.get(manifest(sha256(other)))).status, 404);
    });

    for (const [name, body] of Object.entries<Partial<InsteadAnswer>>({
      "other bytes": { body: "CONTENT" },
      "a truncated body": { headers: { "content-length": "7" }, body: "con", isReset: true },
      "a body that is longer": { body: "content and more" },
      "a body without an end": {
        headers: { "transfer-encoding": "chunked" },
        body: "content and more",
      },
    })) {
      test(`a blob with ${name} never counts as pulled, and is not kept`, async () => {
        const { layer } = await world.pusher.image(REMOTE, "broken", "content");
        assert.equal((await world.puller.get(manifest("broken"))).status, 200);
        world.fails(({ url }) => (url.includes("/blobs/") ? { status: 200, ...body } : undefined));
        const pulled = await world.puller.get(blob(layer)).catch(() => undefined);
        assert.ok(pulled === undefined || pulled.status !== 200 || pulled.bytes.length < 7);
        world.fails();
        for (const [digest, actual] of stored()) assert.equal(actual, digest);
        assert.ok(!stored().some(([digest]) => digest === layer));
      });
    }

    test("and the next request gets it", async () => {
      const { layer } = await world.pusher.image(REMOTE, "broken", "content");
      const { status, bytes } = await world.puller.get(blob(layer));
      assert.deepEqual([status, bytes.toString()], [200, "content"]);
    });

    test("a client that goes away does not end the download", async () => {
      const large = "y".repeat(4 * 1024 * 1024);
      const { layer } = await world.pusher.image(REMOTE, "left", large);
      await world.puller.get(manifest("left"));
      const leaving = new AbortController();
      const token = await world.world.signer.token(
        await world.world.registry.holder("leaver", "registry.pull"),
      );
      const response = await fetch(`${world.world.server.url}${blob(layer)}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: leaving.signal,
      });
      assert.equal(response.status, 200);
      leaving.abort();
      await until(async () => stored().some(([digest]) => digest === layer));
      world.paths();
      assert.equal((await world.puller.get(blob(layer))).bytes.length, large.length);
      assert.deepEqual(world.paths(), []);
    });
  });
}
