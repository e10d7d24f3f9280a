import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ran } from "./support/registry/distribution.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

interface EventRow {
  readonly type: string;
  readonly subject: string;
  readonly group_uid: string;
  readonly actor: string;
  readonly body: string;
}

for (const store of STORES) {
  describe(`notifications of a real registry, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let pusher: string;
    let puller: string;
    before(async () => {
      tracked = await TrackedRegistry.start({ store, flags: ["--reconcile-minutes", "0"] });
      pusher = await tracked.world.registry.holder("pusher", "registry.push");
      puller = await tracked.world.registry.holder("puller", "registry.pull");
    });
    after(() => tracked.stop());

    const worked = ({ ok, output }: Ran) => assert.ok(ok, output);
    const events = async (repo: string, type: string) => {
      const sql = `SELECT type, subject, group_uid, actor, body FROM events
        WHERE subject = '${repo}' AND type = '${type}' ORDER BY id`;
      return (await tracked.rows<EventRow>(sql)).map(({ body, ...rest }) => ({
        ...rest,
        body: JSON.parse(body),
      }));
    };
    const get = async (path: string) => (await tracked.world.http.get(path)).body;

    test("a push to a new path creates the repo, the tag and the image metadata", async () => {
      const { digest, source } = tracked.image(["amd64", "arm64"]);
      worked(await tracked.push(pusher, source, "acme/first:1.0"));
      const tag = await tracked.tagged("first", "1.0", digest);
      const repo = (await tracked.repo("first")) as string;
      const { body } = await tracked.world.http.get(`/registry/v2beta1/repos/${repo}`);
      assert.equal(body.name, "first");
      const at = `/registry/v2beta1/repos/${repo}/digests/${digest}`;
      assert.deepEqual((await get(`${at}/architectures`)).architectures, ["amd64", "arm64"]);
      const { size, architecture } = await get(`${at}/size?architecture=arm64`);
      assert.ok(Number(size) > 100);
      assert.equal(architecture, "arm64");
      const [made] = await tracked.rows<{ actor: string }>(
        `SELECT actor FROM audit WHERE resource = '${repo}' AND method LIKE '%CreateRepo'`,
      );
      assert.equal(made?.actor, pusher);
      const pushes = await events(repo, "registry.push.v1");
      const last = pushes.find(({ body }) => body.tag === "1.0");
      assert.equal(last?.actor, pusher);
      assert.equal(last?.group_uid, tracked.world.registry.organization);
      const { when, user_agent, ...rest } = last?.body ?? {};
      assert.deepEqual(rest, {
        repository: "acme/first",
        repo_id: repo,
        tag: "1.0",
        digest,
        type: "manifest",
        display_name: "first",
        location: "",
        registry: tracked.registry.host,
        remote_address: "127.0.0.1",
      });
      assert.match(when, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+$/);
      assert.match(user_agent, /skopeo/);
      assert.equal(Date.parse(`${when}Z`), Date.parse(tag.updateTime));
    });

    test("notification latency has a metric", async (context) => {
      const delay = "wharf_registry_notice_delay_seconds";
      const before = await tracked.metric(`${delay}_count`);
      const { digest, source } = tracked.image();
      worked(await tracked.push(pusher, source, "acme/timed:1"));
      await tracked.tagged("timed", "1", digest);
      const count = await until(async () => {
        const now = await tracked.metric(`${delay}_count`);
        return now > before && now;
      });
      const mean = (await tracked.metric(`${delay}_sum`)) / count;
      assert.ok(mean >= 0);
      context.diagnostic(`known ${Math.round(mean * 1000)} ms after it happened, on average`);
    });

    test("a tag that is pushed again moves", async () => {
      const [one, two] = [tracked.image(), tracked.image()];
      worked(await tracked.push(pusher, one.source, "acme/moving:latest"));
      const before = await tracked.tagged("moving", "latest", one.digest);
      worked(await tracked.push(pusher, two.source, "acme/moving:latest"));
      const after = await tracked.tagged("moving", "latest", two.digest);
      assert.equal(after.uid, before.uid);
      const repo = (await tracked.repo("moving")) as string;
      const pushes = await events(repo, "registry.push.v1");
      const tagged = pushes.filter(({ body }) => body.tag === "latest");
      assert.deepEqual(
        tagged.map(({ body }) => body.tag_previous_digest),
        [undefined, one.digest],
      );
    });

    test("a pull leaves an event, an audit row and the pull time", async () => {
      const { digest, source } = tracked.image();
      worked(await tracked.push(pusher, source, "acme/pulled:1"));
      await tracked.tagged("pulled", "1", digest);
      const repo = (await tracked.repo("pulled")) as string;
      worked(await tracked.pull(puller, "acme/pulled:1"));
      const pulls = await until(async () => {
        const all = await events(repo, "registry.pull.v1");
        return all.some(({ body }) => body.type === "manifest" && body.method === "GET") && all;
      });
      const manifest = pulls.find(({ body }) => body.type === "manifest");
      assert.equal(manifest?.actor, puller);
      assert.equal(manifest?.body.digest, digest);
      assert.ok(
        pulls.every(({ actor }) => actor === puller),
        "our own reads are no pulls",
      );
      const audits = await tracked.rows<{ actor: string; detail: string; remote_address: string }>(
        `SELECT actor, detail, remote_address FROM audit
         WHERE resource = '${repo}' AND method = 'registry pull'`,
      );
      assert.equal(audits[0]?.actor, puller);
      assert.equal(audits[0]?.remote_address, "127.0.0.1");
      assert.equal(JSON.parse(audits[0]?.detail ?? "").digest, digest);
      const [row] = await tracked.rows<{ pulled: string | number; pushed: string | number }>(
        `SELECT pulled, pushed FROM manifests WHERE repo = '${repo}' AND digest = '${digest}'`,
      );
      assert.ok(Number(row?.pulled) >= Number(row?.pushed));
    });

    test("a push creates missing folders if the caller can", async () => {
      const owner = await tracked.world.registry.holder("owner", "owner");
      const { digest, source } = tracked.image();
      worked(await tracked.push(owner, source, "acme/team/inner/deepest/app:1"));
      await tracked.tagged("app", "1", digest);
      const { body } = await tracked.world.http.get("/iam/v2beta1/groups?name=deepest");
      assert.equal(body.groups.length, 1);
      assert.ok(body.groups[0].uid.startsWith(`${tracked.world.registry.team}/`));
      const [made] = await tracked.rows<{ actor: string }>(
        `SELECT actor FROM audit WHERE resource = '${body.groups[0].uid}'`,
      );
      assert.equal(made?.actor, owner);
      const bindings = await get(`/iam/v2beta1/roleBindings?uidp.childrenOf=${body.groups[0].uid}`);
      assert.deepEqual(bindings.roleBindings ?? [], [], "nothing is granted by it");
    });

    test("deletions in the registry are applied", async () => {
      const editor = await tracked.world.registry.holder("deleter", "owner");
      const { digest, source } = tracked.image();
      worked(await tracked.push(pusher, source, "acme/gone:1"));
      worked(await tracked.push(pusher, source, "acme/gone:2"));
      await tracked.tagged("gone", "2", digest);
      const repo = (await tracked.repo("gone")) as string;
      worked(await tracked.skopeo("delete", editor, "acme/gone:1"));
      await until(async () => (await tracked.tags(repo)).length === 0);
      const { status } = await tracked.world.http.get(
        `/registry/v2beta1/repos/${repo}/digests/${digest}/size`,
      );
      assert.equal(status, 404);
      const audits = await tracked.rows<{ actor: string }>(
        `SELECT actor FROM audit WHERE resource = '${repo}' AND method = 'registry delete'`,
      );
      // One of the manifest, and those of the tags that the registry reported before it.
      assert.ok(audits.length >= 1 && audits.length <= 3);
      assert.ok(audits.every(({ actor }) => actor === editor));
    });

    test("deleting the binding denies the next push, without an event", async () => {
      const name = await tracked.world.registry.identity("leaver");
      const binding = await tracked.world.bind(
        tracked.world.registry.organization,
        name,
        "registry.push",
      );
      const { digest, source } = tracked.image();
      worked(await tracked.push(name, source, "acme/left:1"));
      await tracked.tagged("left", "1", digest);
      await tracked.world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
      const refused = await tracked.push(name, tracked.image().source, "acme/left:2");
      assert.ok(!refused.ok);
      assert.match(refused.output, /denied|unauthorized|forbidden/i);
      const repo = (await tracked.repo("left")) as string;
      assert.deepEqual(
        (await tracked.tags(repo)).map((tag) => tag.name),
        ["1"],
      );
    });
  });
}
