/** Restoring of deleted tags: for how long, and what cannot be restored. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { type RetainedRepo, Retention } from "./support/registry/retention.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore(
  "restoring of tags",
  (world) => {
    let retention: Retention;
    before(async () => {
      retention = await Retention.open(world);
    });
    after(() => retention.close());

    const push = (repo: RetainedRepo, tag: string, content = tag) =>
      retention.client.image(repo.path, tag, content);

    test("a deleted tag can be restored for some days, and its image stays as long", async () => {
      const repo = await retention.repo();
      const { digest } = await push(repo, "1.0");
      await retention.policy(repo.uid, { untaggedDays: 1, restoreDays: 5 });
      await retention.api.tags.delete((await retention.tag(repo, "1.0")).uid);
      await retention.pass();
      await retention.pass(4);
      const { deletedTags } = retention.api;
      const { tags } = await deletedTags.listDeletedTags({ repoUid: repo.uid });
      assert.deepEqual(
        tags.map(({ name, digest: of }: Answer) => [name, of]),
        [["1.0", digest]],
      );
      const restored = await deletedTags.restoreTag({ repoUid: repo.uid, name: "1.0" });
      assert.equal(restored.digest, digest);
      assert.equal((await retention.client.get(`/v2/${repo.path}/manifests/1.0`)).status, 200);
      await rejectedWith(5, deletedTags.restoreTag({ repoUid: repo.uid, name: "1.0" }));
      await retention.client.send("DELETE", `/v2/${repo.path}/manifests/1.0`);
      await push(repo, "1.0", "another");
      await rejectedWith(6, deletedTags.restoreTag({ repoUid: repo.uid, name: "1.0" }));
      await retention.client.send("DELETE", `/v2/${repo.path}/manifests/1.0`);
      await retention.pass();
      await retention.pass(7);
      assert.deepEqual((await deletedTags.listDeletedTags({ repoUid: repo.uid })).tags ?? [], []);
      assert.deepEqual(await retention.digests(repo), []);
    });

    test("what was deleted with its image cannot be restored", async () => {
      const repo = await retention.repo();
      const first = await push(repo, "1.0", "first");
      await retention.client.send("DELETE", `/v2/${repo.path}/manifests/${first.digest}`);
      const { deletedTags } = retention.api;
      await rejectedWith(5, deletedTags.restoreTag({ repoUid: repo.uid, name: "1.0" }));
      await push(repo, "2.0", "first");
      await retention.client.send("DELETE", `/v2/${repo.path}/manifests/2.0`);
      await retention.client.send("DELETE", `/v2/${repo.path}/manifests/${first.digest}`);
      const error = await rejected(deletedTags.restoreTag({ repoUid: repo.uid, name: "2.0" }));
      assert.deepEqual(error.violations, ["IMAGE_NOT_FOUND"]);
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);

async function rejectedWith(code: number, call: Promise<unknown>): Promise<void> {
  assert.equal((await rejected(call)).code, code);
}
