import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { INDEX, MANIFEST, type PushedImage, sha256 } from "./support/registry/oci-client.ts";
import { REMOTE, UpstreamWorld } from "./support/registry/upstream-world.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";

for (const store of STORES) {
  describe(`synchronization of an upstream, on ${store}`, () => {
    let world: UpstreamWorld;
    let image: PushedImage;
    let index: string;
    let signature: string;
    const path = (rest: string) => `/v2/acme/hub/app/${rest}`;
    before(async () => {
      world = await UpstreamWorld.start({ store });
      const { pusher } = world;
      image = await pusher.image(REMOTE, "1.0", "one");
      const arm = await pusher.image(REMOTE, "other", "arm");
      const manifests = [image, arm].map(({ digest, bytes }) => ({
        ...{ mediaType: MANIFEST, digest, size: bytes.length },
      }));
      index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests });
      await pusher.putManifest(REMOTE, "1.0-all", index, INDEX);
      const config = await pusher.blob(REMOTE, "{}");
      signature = JSON.stringify({
        ...{ schemaVersion: 2, mediaType: MANIFEST, layers: [] },
        artifactType: "application/vnd.test.signature",
        config: { mediaType: "application/vnd.oci.empty.v1+json", digest: config, size: 2 },
        subject: { mediaType: INDEX, digest: sha256(index), size: index.length },
      });
      await pusher.putManifest(REMOTE, sha256(signature), signature);
      await pusher.image(REMOTE, "unwanted", "unwanted");
    });
    after(() => world.stop());

    const state = async () => (await world.world.operator().upstreams.get(world.hub)).status;
    const finished = (copied: number) =>
      until(async () => {
        const status = await state();
        const isDone = status.syncState === "UPSTREAM_SYNC_STATE_WAITING" && status.lastSyncTime;
        return isDone && Number(status.syncCopied ?? 0) === copied ? status : undefined;
      });

    test("needs the repositories of a group", async () => {
      const { reason } = await rejected(world.add({ mode: "UPSTREAM_MODE_SYNC" }));
      assert.equal(reason, "INVALID_ARGUMENT");
    });

    test("copies the tags that match, with all platforms and what is attached", async () => {
      await world.add({
        ...{ mode: "UPSTREAM_MODE_SYNC", repositories: [REMOTE], tags: ["1.*"] },
      });
      const status = await finished(2);
      assert.deepEqual([Number(status.syncTags), status.syncError ?? ""], [2, ""]);
      world.proxy.stop();
      const { puller } = world;
      assert.deepEqual((await puller.get(path("manifests/1.0"))).bytes, image.bytes);
      assert.equal((await puller.get(path("manifests/1.0-all"))).bytes.toString(), index);
      assert.equal((await puller.get(path(`blobs/${image.layer}`))).bytes.toString(), "one");
      const { body } = await puller.get(path(`referrers/${sha256(index)}`));
      assert.equal(body.manifests[0].digest, sha256(signature));
      assert.equal((await puller.get(path("manifests/unwanted"))).status, 404);
      const { tags } = (await puller.get(path("tags/list"))).body;
      assert.deepEqual(tags, ["1.0", "1.0-all"]);
    });

    test("its state is that of the public contract", async () => {
      const api = world.world.operator();
      const { repos } = await api.repos.list({ uidp: { childrenOf: world.hub } });
      const { v1 } = api;
      const { status = "UNKNOWN" } = await v1.registry.getSyncStatus({ repoId: repos[0].uid });
      assert.equal(status, "UNKNOWN");
      assert.deepEqual((await v1.registry.listSyncStatuses()).items ?? [], []);
      await api.upstreams.syncUpstream({ uid: world.hub });
      await until(async () => (await state()).syncState === "UPSTREAM_SYNC_STATE_FAILED");
      const failed = await v1.registry.getSyncStatus({ repoId: repos[0].uid });
      assert.equal(failed.status, "FAILED");
      assert.deepEqual((await v1.registry.listSyncStatuses()).items, [{ status: "FAILED" }]);
      const { syncError, nextSyncTime } = await state();
      assert.match(syncError, /the upstream/);
      assert.ok(nextSyncTime, "it is tried again");
    });

    test("copies again only what is new", async () => {
      const again = await world.restartProxy();
      await world.pusher.image(REMOTE, "1.1", "one");
      await world.world
        .operator()
        .upstreams.update(world.hub, { url: again.url, ...world.credentials });
      await finished(1);
      const blobs = again.asked.filter(({ url }) => url.includes("/blobs/"));
      assert.deepEqual(blobs, []);
      assert.equal((await world.puller.get(path("manifests/1.1"))).status, 200);
    });

    test("only its mode is synchronized", async () => {
      const api = world.world.operator();
      const team = world.world.registry.team;
      await world.add({}, team);
      const { reason } = await rejected(api.upstreams.syncUpstream({ uid: team }));
      assert.equal(reason, "NOT_SYNCHRONIZED");
    });
  });
}
