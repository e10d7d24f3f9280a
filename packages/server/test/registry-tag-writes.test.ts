import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Http } from "./support/client/http.ts";
import type { RegistryProxy } from "./support/registry/proxy.ts";
import { RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

/** The content of a registry under a name. */
interface Had {
  readonly status: number;
  readonly type: string | null;
  readonly digest: string | null;
  readonly text: string;
}

for (const store of STORES) {
  describe(`tags written to a registry through the API, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let proxy: RegistryProxy;
    let storage: RegistryStorage;
    let writer: Http;
    let writerUid: string;
    before(async () => {
      tracked = await TrackedRegistry.start({
        proxied: true,
        flags: ["--reconcile-minutes", "0"],
        store,
      });
      proxy = tracked.proxy;
      storage = new RegistryStorage(tracked.registry.storage);
      writerUid = await tracked.world.registry.holder("writer", "owner");
      const { server } = tracked.world;
      writer = new Http(server.url, await server.token(writerUid));
    });
    after(() => tracked.stop());

    /** The only repo that the registry has now, and a look has found. */
    const repoWith = async (name: string, tags: Readonly<Record<string, StoredImage>>) => {
      storage.clear();
      for (const [tag, image] of Object.entries(tags)) storage.tag(`acme/${name}`, tag, image);
      await tracked.reconcile();
      return (await tracked.repo(name.slice(name.lastIndexOf("/") + 1))) as string;
    };
    const had = async (name: string, reference: string): Promise<Had> => {
      const scope = `repository:acme/${name}:pull`;
      const password = await tracked.world.registry.token(writerUid);
      const { body } = await tracked.world.registry.ask({ user: "_token", password, scope });
      const at = `http://${tracked.registry.host}/v2/acme/${name}/manifests/${reference}`;
      const accept =
        "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json";
      const headers = { authorization: `Bearer ${body.token}`, accept };
      const answer = await fetch(at, { headers });
      return {
        status: answer.status,
        type: answer.headers.get("content-type"),
        digest: answer.headers.get("docker-content-digest"),
        text: await answer.text(),
      };
    };
    const post = (repo: string, tag: object, as = writer) =>
      as.post(`/registry/v2beta1/tags/${repo}`, tag);
    const shown = async (repo: string) =>
      (await tracked.tags(repo)).map(({ name, digest }) => [name, digest]);
    const asked = (...methods: string[]) =>
      proxy.asked.filter(({ method }) => methods.includes(method)).map(({ method }) => method);

    test("a new tag is in the registry, byte for byte, and a reconcile pass changes nothing", async () => {
      const image = storage.index("made", ["amd64", "arm64"]);
      const repo = await repoWith("made", { one: image });
      const { status, body } = await post(repo, { name: "two", digest: image.digest });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.digest, image.digest);
      assert.deepEqual(await had("made", "two"), await had("made", "one"));
      assert.equal((await had("made", "two")).digest, image.digest);
      const { created, moved, removed } = await tracked.reconcile();
      assert.deepEqual([created, moved, removed], [0, 0, 0]);
      const [tag] = await tracked.rows<{ actor: string; count: number }>(
        `SELECT actor, count(*) AS count FROM audit WHERE resource = '${body.uid}' GROUP BY actor`,
      );
      assert.deepEqual([tag?.actor, Number(tag?.count)], [writerUid, 1]);
      const push = await until(async () => {
        const [row] = await tracked.rows<{ actor: string }>(
          `SELECT actor FROM audit WHERE resource = '${repo}' AND method = 'registry push'`,
        );
        return row;
      });
      assert.equal(push.actor, writerUid, "the registry tells of it as theirs");
      const { body: history } = await writer.get(`/registry/v2beta1/tags/${body.uid}/history`);
      assert.equal(history.entries.length, 1);
    });

    test("a tag moves in the registry, by both versions", async () => {
      const [one, two] = [storage.image("moved one"), storage.image("moved two")];
      const repo = await repoWith("moved", { one, two, moving: one });
      assert.equal((await post(repo, { name: "moving", digest: two.digest })).status, 200);
      assert.equal((await had("moved", "moving")).digest, two.digest);
      const id = (await tracked.tag(repo, "moving"))?.uid;
      const given = { name: "moving", digest: one.digest, deprecated: true };
      const { status, body } = await writer.send("PUT", `/registry/v1/tags/${id}`, given);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await had("moved", "moving")).digest, one.digest);
      assert.equal((await tracked.reconcile()).moved, 0);
      const { body: tag } = await writer.get(`/registry/v2beta1/tags/${id}`);
      assert.deepEqual([tag.digest, tag.deprecated], [one.digest, true]);
    });

    test("an unchanged tag is not pushed", async () => {
      const image = storage.image("marked");
      const repo = await repoWith("marked", { one: image });
      proxy.asked.length = 0;
      const given = { name: "one", digest: image.digest, deprecated: true };
      assert.equal((await post(repo, given)).body.deprecated, true);
      assert.deepEqual(asked("PUT"), []);
      storage.tag("acme/marked", "found", image);
      assert.equal((await post(repo, { ...given, name: "found" })).status, 200);
      assert.deepEqual(asked("PUT"), [], "it was there, unknown to us");
    });

    test("without a digest, a tag has the image that it has in the registry", async () => {
      const [one, two] = [storage.image("current one"), storage.image("current two")];
      const repo = await repoWith("current", { one });
      storage.tag("acme/current", "unknown", two);
      proxy.asked.length = 0;
      const create = (tag: object) => writer.post(`/registry/v1/tags/${repo}`, tag);
      const { status, body } = await create({ name: "unknown", bundles: ["fips"] });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.digest, body.bundles], [two.digest, ["fips"]]);
      const none = await create({ name: "none" });
      assert.deepEqual([none.status, none.body.code], [400, 3]);
      assert.deepEqual(
        none.body.details[1].fieldViolations.map(({ field }: { field: string }) => field),
        ["digest"],
      );
      assert.deepEqual(asked("PUT"), []);
      await tracked.reconcile();
      assert.deepEqual(await shown(repo), [
        ["one", one.digest],
        ["unknown", two.digest],
      ]);
    });

    test("an update without a digest does not move a tag back", async () => {
      const [one, two] = [storage.image("kept one"), storage.image("kept two")];
      const repo = await repoWith("kept-digest", { moving: one });
      const id = (await tracked.tag(repo, "moving"))?.uid;
      storage.tag("acme/kept-digest", "moving", two);
      proxy.asked.length = 0;
      const given = { name: "moving", bundles: ["ai"] };
      const { body } = await writer.send("PUT", `/registry/v1/tags/${id}`, given);
      assert.deepEqual([body.digest, body.bundles], [one.digest, ["ai"]], "as known so far");
      // The packages of pushed images are read meanwhile.
      const writes = proxy.asked.filter(({ method }) => method !== "GET");
      assert.deepEqual(writes, []);
      assert.equal((await had("kept-digest", "moving")).digest, two.digest);
      assert.equal((await tracked.reconcile()).moved, 1);
      const { body: tag } = await writer.get(`/registry/v2beta1/tags/${id}`);
      assert.deepEqual([tag.digest, tag.bundles], [two.digest, ["ai"]]);
    });

    test("an unknown image is rejected", async () => {
      const image = storage.image("there");
      const repo = await repoWith("there", { one: image });
      const { digest } = storage.image("not there");
      const { status, body } = await post(repo, { name: "two", digest });
      const description = `no registry that the repo is in has the image ${digest}`;
      assert.equal(status, 400);
      assert.deepEqual(body.details[1].violations, [{ type: "IMAGE_NOT_FOUND", description }]);
      assert.equal((await had("there", "two")).status, 404);
      assert.deepEqual(await shown(repo), [["one", image.digest]]);
    });

    test("an unavailable registry is reported, and nothing changes", async () => {
      const image = storage.image("down");
      const repo = await repoWith("down", { one: image });
      const uid = (await tracked.tag(repo, "one"))?.uid;
      await tracked.registry.down();
      const made = await post(repo, { name: "two", digest: image.digest });
      const gone = await writer.delete(`/registry/v2beta1/tags/${uid}`);
      await tracked.registry.up();
      assert.deepEqual([made.status, made.body.code], [503, 14]);
      assert.deepEqual([gone.status, gone.body.code], [503, 14]);
      assert.deepEqual(await shown(repo), [["one", image.digest]]);
      assert.equal((await had("down", "two")).status, 404);
    });

    test("a rejection by the registry is reported", async () => {
      const image = storage.image("read only");
      const repo = await repoWith("read-only", { one: image });
      proxy.instead = ({ method }) => (method === "PUT" ? { status: 405 } : undefined);
      const { status, body } = await post(repo, { name: "two", digest: image.digest });
      proxy.instead = () => undefined;
      const at = "PUT /v2/acme/read-only/manifests/two";
      const said = `the registry ${tracked.registry.host} answers 405 to ${at}`;
      assert.equal(status, 400);
      assert.equal(body.message, `Precondition failed: ${said}`);
      assert.deepEqual(await shown(repo), [["one", image.digest]]);
    });

    test("Distribution 2 cannot delete a single tag: that is reported, and the image stays", async () => {
      const image = storage.image("kept");
      const repo = await repoWith("kept", { one: image, two: image });
      const uid = (await tracked.tag(repo, "two"))?.uid;
      for (const path of ["registry/v2beta1/tags", "registry/v1/tags"]) {
        const { status, body } = await writer.delete(`/${path}/${uid}`);
        const { host } = tracked.registry;
        const description = `the registry ${host} cannot delete a tag without its image: delete the image in the registry, or move the tag`;
        assert.equal(status, 400, JSON.stringify(body));
        assert.deepEqual(body.details[1].violations, [{ type: "TAG_NOT_DELETABLE", description }]);
      }
      for (const reference of ["one", "two", image.digest]) {
        assert.equal((await had("kept", reference)).status, 200);
      }
      const tags = await shown(repo);
      assert.deepEqual(tags, [
        ["one", image.digest],
        ["two", image.digest],
      ]);
    });

    test("a registry that can delete a tag deletes it, and the image stays", async () => {
      const image = storage.image("untagged");
      const repo = await repoWith("untagged", { one: image, two: image });
      const uid = (await tracked.tag(repo, "two"))?.uid;
      proxy.instead = ({ method, url }) => {
        if (method !== "DELETE") return undefined;
        assert.equal(url, "/v2/acme/untagged/manifests/two");
        storage.untag("acme/untagged", "two");
        return { status: 202 };
      };
      const { status, body } = await writer.delete(`/registry/v2beta1/tags/${uid}`);
      proxy.instead = () => undefined;
      assert.deepEqual([status, body], [200, {}]);
      assert.deepEqual(await shown(repo), [["one", image.digest]]);
      assert.equal((await had("untagged", image.digest)).status, 200);
      assert.equal((await writer.delete(`/registry/v2beta1/tags/${uid}`)).status, 404);
      const { created, removed } = await tracked.reconcile();
      assert.deepEqual([created, removed], [0, 0]);
    });

    test("a tag missing in the registry is deleted here only", async () => {
      const image = storage.image("gone");
      const repo = await repoWith("gone", { one: image, two: image });
      const uid = (await tracked.tag(repo, "two"))?.uid;
      storage.untag("acme/gone", "two");
      proxy.asked.length = 0;
      assert.equal((await writer.delete(`/registry/v2beta1/tags/${uid}`)).status, 200);
      assert.deepEqual(asked("DELETE"), []);
      assert.deepEqual(await shown(repo), [["one", image.digest]]);
    });

    test("moving a tag requires tag.update, creating one does not", async () => {
      const [one, two] = [storage.image("right one"), storage.image("right two")];
      const repo = await repoWith("right", { one, two });
      const { world } = tracked;
      const maker = await world.registry.identity("maker");
      const capabilities = ["CAP_TAG_CREATE"];
      const role = await world.post(`roles/${world.registry.organization}`, {
        name: "maker",
        capabilities,
      });
      const binding = { identityUid: maker, roleUid: role.uid };
      await world.post(`roleBindings/${world.registry.organization}`, binding);
      const rest = new Http(world.server.url, await world.server.token(maker));
      assert.equal((await post(repo, { name: "new", digest: one.digest }, rest)).status, 200);
      // Known to the registry alone.
      storage.tag("acme/right", "unknown", one);
      for (const name of ["one", "unknown"]) {
        const { status, body } = await post(repo, { name, digest: two.digest }, rest);
        assert.deepEqual([status, body.code], [403, 7]);
        assert.equal((await had("right", name)).digest, one.digest);
      }
      const deprecated = { name: "one", digest: one.digest, deprecated: true };
      assert.equal((await post(repo, deprecated, rest)).status, 403);
      const fresh = { name: "old", digest: one.digest, deprecated: true };
      assert.equal((await post(repo, fresh, rest)).body.deprecated, true);
    });

    test("immutable tags do not move, not even unseen ones", async () => {
      const [one, two] = [storage.image("unique one"), storage.image("unique two")];
      const repo = await repoWith("team/unique", { one, two });
      const settings = `/registry/v2beta1/settings/${tracked.world.registry.team}`;
      const { http: operator } = tracked.world;
      assert.equal((await operator.patch(settings, { uniqueTags: true })).status, 200);
      storage.tag("acme/team/unique", "unknown", one);
      for (const name of ["one", "unknown"]) {
        const { status, body } = await post(repo, { name, digest: two.digest });
        assert.equal(status, 400);
        assert.equal(body.details[1].violations[0].type, "TAG_NOT_MOVABLE");
        assert.equal((await had("team/unique", name)).digest, one.digest);
      }
      assert.equal((await post(repo, { name: "new", digest: one.digest })).status, 200);
      storage.untag("acme/team/unique", "new");
      const uid = (await tracked.tag(repo, "new"))?.uid;
      assert.equal((await writer.delete(`/registry/v2beta1/tags/${uid}`)).status, 200);
      const again = await post(repo, { name: "new", digest: two.digest });
      assert.equal(again.body.details[1].violations[0].type, "TAG_NOT_MOVABLE");
      assert.equal((await had("team/unique", "new")).status, 404, "the registry was not changed");
      assert.equal((await post(repo, { name: "new", digest: one.digest })).status, 200);
    });

    test("a path that now belongs to another repo is left alone", async () => {
      const image = storage.image("renamed");
      const repo = await repoWith("first/renamed", { one: image });
      const folder = repo.slice(0, repo.lastIndexOf("/"));
      const {
        server,
        registry: { organization },
      } = tracked.world;
      // As earlier versions renamed folders with images.
      const direct = await DirectStore.open(server);
      await direct.change(async (mutation) => {
        const { groups } = mutation.deps.catalog;
        const before = await groups.find(mutation.tx, folder);
        assert.ok(before);
        await mutation.update(groups, { ...before, name: "second" });
      });
      await direct.close();
      await tracked.world.post(`groups/${organization}`, { name: "first" });
      assert.equal((await post(repo, { name: "two", digest: image.digest })).status, 200);
      assert.equal((await had("first/renamed", "two")).status, 404);
    });

    test("a push right after the write wins", async () => {
      const [one, two] = [storage.image("raced one"), storage.image("raced two")];
      const repo = await repoWith("raced", { one, two });
      proxy.instead = async ({ method }) => {
        if (method !== "PUT") return undefined;
        storage.tag("acme/raced", "raced", two);
        const asked = Date.now();
        await until(async () => Date.now() > asked, 1);
        const target = { repository: "acme/raced", tag: "raced", digest: two.digest };
        const timestamp = new Date(Date.now() + 60_000).toISOString();
        const event = { id: randomUUID(), timestamp, action: "push", target };
        assert.equal((await tracked.notify([event])).status, 200);
        return { status: 201 };
      };
      const { status, body } = await post(repo, { name: "raced", digest: one.digest });
      proxy.instead = () => undefined;
      assert.deepEqual([status, body.code], [409, 10]);
      assert.equal((await tracked.tag(repo, "raced"))?.digest, two.digest);
      assert.equal((await tracked.reconcile()).moved, 0);
    });
  });
}
