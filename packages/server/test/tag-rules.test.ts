/** Tag rules: immutable tags never move, and protected ones are never deleted, whichever way a caller tries. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { INDEX, OciClient } from "./support/registry/oci-client.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore(
  "tag rules",
  (world) => {
    let client: OciClient;
    let api: ApiClient;
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      api = world.operator();
    });

    const rule = (parent: string, more: object) =>
      api.tagRules.create(parent, { name: "releases", tags: ["v*"], ...more });
    const folder = async () => {
      const name = world.name("folder");
      return { uid: await world.group(world.registry.organization, name), path: `acme/${name}` };
    };
    const tagOf = async (path: string, name: string): Promise<Answer> => {
      const digest = (await client.get(`/v2/${path}/manifests/${name}`)).headers[
        "docker-content-digest"
      ];
      const { tags } = await api.tags.list({ name, digest });
      const repos = await api.repos.list({ name: path.slice(path.lastIndexOf("/") + 1) });
      const uids = repos.repos.map(({ uid }: Answer) => uid);
      return tags.find(({ uid }: Answer) =>
        uids.some((repo: string) => uid.startsWith(`${repo}/`)),
      );
    };
    const repoOf = ({ uid }: Answer): string => uid.slice(0, uid.lastIndexOf("/"));
    const typeOf = async (call: Promise<unknown>) => (await rejected(call)).violations[0];

    test("an immutable tag moves in no way, and is pushed again as it is", async () => {
      const { uid, path } = await folder();
      await rule(uid, { immutable: true });
      const app = `${path}/app`;
      const first = await client.image(app, "v1", "first");
      const other = await client.image(app, "edge", "second");
      const refused = await client.putManifest(app, "v1", other.bytes);
      assert.deepEqual([refused.status, refused.code], [409, "DENIED"]);
      assert.match(refused.body.errors[0].message, new RegExp(`"releases" of ${path}`));
      const query = `/v2/${app}/manifests/${other.digest}?tag=v1`;
      const headers = { "content-type": "application/vnd.oci.image.manifest.v1+json" };
      assert.equal((await client.send("PUT", query, { headers, body: other.bytes })).status, 409);
      const tag = await tagOf(app, "v1");
      const moved = { name: "v1", digest: other.digest };
      assert.equal(await typeOf(api.tags.create(repoOf(tag), moved)), "TAG_IMMUTABLE");
      const v1 = api.v1.registry;
      assert.equal(
        await typeOf(v1.createTag({ repoId: repoOf(tag), tag: moved })),
        "TAG_IMMUTABLE",
      );
      assert.equal(await typeOf(v1.updateTag({ id: tag.uid, ...moved })), "TAG_IMMUTABLE");
      assert.equal((await tagOf(app, "v1")).digest, first.digest);
      await client.image(app, "v1", "first");
      await client.image(app, "edge", "third");
      // Deleting and creating it would move it, too.
      assert.equal((await client.send("DELETE", `/v2/${app}/manifests/v1`)).status, 202);
      assert.equal((await client.putManifest(app, "v1", other.bytes)).status, 409);
      await client.image(app, "v1", "first");
    });

    test("of 16 concurrent pushes of an immutable tag, one succeeds", async () => {
      const { uid, path } = await folder();
      await rule(uid, { immutable: true });
      const app = `${path}/app`;
      const manifests = [];
      for (let at = 0; at < 16; at++) manifests.push(await client.manifestOf(app, `image ${at}`));
      const answers = await Promise.all(manifests.map((one) => client.putManifest(app, "v1", one)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array.from({ length: 15 }, () => 409)]);
      const repo = repoOf(await tagOf(app, "v1"));
      const history = await rawRows(
        world.server,
        `SELECT digest FROM tag_history WHERE repo = '${repo}' AND name = 'v1'`,
      );
      assert.equal(history.length, 1);
    });

    test("a protected tag is deleted in no way, with its image and its index", async () => {
      const { uid, path } = await folder();
      await rule(uid, { protected: true });
      const app = `${path}/app`;
      const { digest } = await client.image(app, "v1", "one");
      const child = await client.image(app, "edge", "part");
      const manifests = [
        {
          mediaType: "application/vnd.oci.image.manifest.v1+json",
          digest: child.digest,
          size: child.bytes.length,
        },
      ];
      const index = { schemaVersion: 2, mediaType: INDEX, manifests };
      assert.equal((await client.putManifest(app, "v2", index, INDEX)).status, 201);
      for (const reference of ["v1", digest, child.digest]) {
        const answer = await client.send("DELETE", `/v2/${app}/manifests/${reference}`);
        assert.deepEqual([reference, answer.status, answer.code], [reference, 409, "DENIED"]);
        assert.match(answer.body.errors[0].message, new RegExp(`"releases" of ${path}`));
      }
      const tag = await tagOf(app, "v1");
      const repo = repoOf(tag);
      assert.equal(await typeOf(api.tags.delete(tag.uid)), "TAG_PROTECTED");
      assert.equal(await typeOf(api.v1.registry.deleteTag({ id: tag.uid })), "TAG_PROTECTED");
      assert.equal(
        await typeOf(api.images.deleteImage({ repoUid: repo, digest })),
        "TAG_PROTECTED",
      );
      assert.equal(await typeOf(api.repos.delete(repo)), "TAG_PROTECTED");
      assert.equal(await typeOf(api.v1.registry.deleteRepo({ id: repo })), "TAG_PROTECTED");
      assert.equal((await client.get(`/v2/${app}/manifests/v1`)).status, 200);
      assert.equal((await client.send("DELETE", `/v2/${app}/manifests/edge`)).status, 202);
      // Protection says nothing about moves.
      await client.image(app, "v1", "another");
    });

    test("rules of groups and repos all apply, to the repos that they name", async () => {
      const { uid, path } = await folder();
      const inner = await world.group(uid, "inner");
      await rule(uid, { immutable: true, tags: ["stable"], repos: ["inner/a*"] });
      await rule(inner, { immutable: true, tags: ["v?"] });
      const moves = async (app: string, name: string) => {
        await client.image(`${path}/${app}`, name, "first");
        const manifest = await client.manifestOf(`${path}/${app}`, "second");
        return (await client.putManifest(`${path}/${app}`, name, manifest)).status === 201;
      };
      assert.equal(await moves("inner/app", "stable"), false);
      assert.equal(await moves("inner/app", "v1"), false);
      assert.equal(await moves("inner/app", "v10"), true);
      assert.equal(await moves("inner/web", "stable"), true);
      assert.equal(await moves("web", "v1"), true);
      const { tags } = await api.tags.list({ name: "v10" });
      const repo = tags.map(repoOf).find((one: string) => one.startsWith(inner));
      await rule(repo, { immutable: true, tags: ["v10"] });
      const manifest = await client.manifestOf(`${path}/inner/app`, "third");
      assert.equal((await client.putManifest(`${path}/inner/app`, "v10", manifest)).status, 409);
    });

    test("invalid rules are rejected, and only members with the right write them", async () => {
      const { uid } = await folder();
      const repo = (await api.repos.create(uid, { name: "app" })).uid;
      await rejectedWith(3, rule(uid, {}));
      await rejectedWith(3, rule(uid, { immutable: true, tags: [] }));
      await rejectedWith(3, rule(uid, { immutable: true, tags: ["a/b"] }));
      await rejectedWith(3, rule(uid, { immutable: true, tags: ["x".repeat(129)] }));
      await rejectedWith(3, rule(repo, { immutable: true, repos: ["*"] }));
      await rejectedWith(5, rule("f".repeat(40), { immutable: true }));
      const { uid: kept } = await rule(uid, { immutable: true });
      const pusher = await world.member({ [uid]: "registry.push" });
      const foreigner = await world.member({ [await world.organization()]: "owner" });
      for (const { token } of [pusher, foreigner]) {
        const as = api.as(token);
        await rejectedWith(7, as.tagRules.create(uid, { name: "x", tags: ["*"], protected: true }));
        await rejectedWith(7, as.tagRules.update(kept, { immutable: false, protected: true }));
        await rejectedWith(7, as.tagRules.delete(kept));
        await rejectedWith(7, as.tagRules.get(kept));
        const listed = await as.tagRules.list({ uidp: { descendantsOf: uid } });
        assert.deepEqual(listed.tagRules ?? [], []);
      }
      const viewer = await world.member({ [uid]: "viewer" });
      assert.equal((await api.as(viewer.token).tagRules.get(kept)).name, "releases");
      await rejectedWith(7, api.as(viewer.token).tagRules.delete(kept));
      // The rules of a repo go with it.
      await rule(repo, { protected: true });
      await api.repos.delete(repo);
      const left = await api.tagRules.list({ uidp: { descendantsOf: uid } });
      assert.deepEqual(
        left.tagRules.map((one: Answer) => one.uid),
        [kept],
      );
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);

async function rejectedWith(code: number, call: Promise<unknown>): Promise<void> {
  assert.equal((await rejected(call)).code, code);
}
