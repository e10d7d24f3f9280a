import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { runs, usualTest } from "./support/oracle/runs.ts";
import { RegistryStorage } from "./support/registry/storage.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

for (const store of STORES) {
  describe(`a reconcile pass, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let storage: RegistryStorage;
    before(async () => {
      tracked = await TrackedRegistry.start({ store, notifies: false });
      storage = new RegistryStorage(tracked.registry.storage);
      // The one at the start found the registry down, or empty.
      await until(async () => tracked.world.server.log.includes("reconcile pass finished"));
    });
    after(async () => {
      const direct = await DirectStore.open(tracked.world.server);
      await checkRows(direct.store.reader);
      await direct.close();
      await tracked.stop();
    });

    const look = () => tracked.reconcile();

    const names = async (name: string) => {
      const repo = await tracked.repo(name);
      return repo && (await tracked.tags(repo)).map((tag) => tag.name);
    };

    usualTest("finds repos, tags and images, and ignores paths of no group", async () => {
      const image = storage.image("one");
      const index = storage.index("several", ["amd64", "arm64"]);
      storage.tag("acme/found", "1", image);
      storage.tag("acme/found", "2", index);
      storage.tag("acme/team/deep/er", "1", image);
      storage.tag("nobody/app", "1", image);
      const { repos, elsewhere, created, manifests } = await look();
      assert.deepEqual([repos, elsewhere, created, manifests], [2, 1, 3, 5]);
      assert.deepEqual(await names("found"), ["1", "2"]);
      const repo = (await tracked.repo("found")) as string;
      assert.equal((await tracked.tag(repo, "2"))?.digest, index.digest);
      const at = `/registry/v2beta1/repos/${repo}/digests`;
      const sized = await tracked.world.http.get(`${at}/${image.digest}/size`);
      assert.equal(Number(sized.body.size), image.size);
      const of = await tracked.world.http.get(`${at}/${index.digest}/architectures`);
      assert.deepEqual(of.body.architectures, ["amd64", "arm64"]);
      const folder = await tracked.world.http.get("/iam/v2beta1/groups?name=deep");
      assert.equal(folder.body.groups.length, 1);
      const nobody = await tracked.world.http.get("/iam/v2beta1/groups?name=nobody");
      assert.deepEqual(nobody.body.groups ?? [], []);
    });

    usualTest("changes nothing the second time", async () => {
      const { repos, same, created, moved, removed, manifests } = await look();
      assert.deepEqual([repos, same, created, moved, removed, manifests], [2, 3, 0, 0, 0, 0]);
    });

    usualTest("repairs moved and deleted tags", async () => {
      storage.clear();
      const [old, fresh] = [storage.image("old"), storage.image("fresh")];
      for (const tag of ["kept", "moved", "gone"]) storage.tag("acme/repaired", tag, old);
      await look();
      assert.deepEqual(await names("repaired"), ["gone", "kept", "moved"]);
      storage.tag("acme/repaired", "moved", fresh);
      storage.untag("acme/repaired", "gone");
      const { moved, removed } = await look();
      assert.deepEqual([moved, removed], [1, 1]);
      const repo = (await tracked.repo("repaired")) as string;
      assert.equal((await tracked.tag(repo, "moved"))?.digest, fresh.digest);
      assert.deepEqual(await names("repaired"), ["kept", "moved"]);
    });

    usualTest("removes deleted images with their tags", async () => {
      storage.clear();
      const image = storage.image("forgotten");
      storage.tag("acme/forgetting", "1", image);
      storage.tag("acme/forgetting", "2", storage.image("kept"));
      await look();
      storage.untag("acme/forgetting", "1");
      storage.forget("acme/forgetting", image.digest);
      await look();
      const repo = (await tracked.repo("forgetting")) as string;
      const { status } = await tracked.world.http.get(
        `/registry/v2beta1/repos/${repo}/digests/${image.digest}/size`,
      );
      assert.equal(status, 404);
    });

    usualTest(
      "deletes an emptied repo that pushes created, and keeps one created through the API",
      async () => {
        storage.clear();
        const image = storage.image("short-lived");
        const { uid } = (
          await tracked.world.http.post(
            `/registry/v2beta1/repos/${tracked.world.registry.organization}`,
            {
              name: "somebodys",
            },
          )
        ).body;
        storage.tag("acme/somebodys", "1", image);
        storage.tag("acme/nobodys", "1", image);
        await look();
        assert.deepEqual(await names("nobodys"), ["1"]);
        storage.remove("acme/somebodys");
        storage.remove("acme/nobodys");
        await look();
        assert.equal(await tracked.repo("nobodys"), undefined);
        assert.equal(await tracked.repo("somebodys"), uid);
        assert.deepEqual(await tracked.tags(uid), []);
      },
    );

    usualTest("keeps an emptied repo that has a deployment", async () => {
      storage.clear();
      storage.tag("acme/deployed", "1", storage.image("deployed"));
      await look();
      const repo = (await tracked.repo("deployed")) as string;
      const path = `/registry/v2beta1/deployments/${repo}`;
      assert.equal((await tracked.world.http.post(path, { charts: [] })).status, 200);
      storage.remove("acme/deployed");
      await look();
      assert.equal(await tracked.repo("deployed"), repo);
      assert.equal((await tracked.world.http.get(path)).status, 200);
    });

    test("repos at two locations have the content of both", async () => {
      storage.clear();
      const {
        registry: { organization },
      } = tracked.world;
      const [one, two] = [storage.image("here"), storage.image("there")];
      // Again and again: both places are looked at at the same time, in whatever order.
      for (let round = 0; round < runs(2, 8); round++) {
        const name = `both-${round}`;
        storage.tag(`acme/${name}`, "here", one);
        storage.tag(`acme/${name}`, "same", one);
        storage.tag(`${organization}/${name}`, "there", two);
        storage.tag(`${organization}/${name}`, "same", two);
        await look();
        assert.deepEqual(await names(name), ["here", "same", "there"]);
        const again = await look();
        assert.deepEqual([again.moved, again.removed, again.created], [0, 0, 0]);
        storage.remove(`${organization}/${name}`);
        await look();
        assert.deepEqual(await names(name), ["here", "same"]);
        storage.remove(`acme/${name}`);
        await look();
        assert.equal(await names(name), undefined, "it goes, wherever it was made first");
      }
    });

    usualTest(
      "a path that no longer resolves to its repo is another repo's, and in no two",
      async () => {
        storage.clear();
        const { http: operator } = tracked.world;
        const reposNamed = async (name: string) =>
          (await operator.get(`/registry/v2beta1/repos?name=${name}`)).body.repos ?? [];
        const direct = await DirectStore.open(tracked.world.server);
        for (const name of ["untouched", "touched"]) {
          storage.tag(`acme/old-${name}/${name}`, "1", storage.image(name));
          await look();
          const former = (await tracked.repo(name)) as string;
          const folder = former.slice(0, former.lastIndexOf("/"));
          if (name === "touched")
            await operator.patch(`/registry/v2beta1/repos/${former}`, { description: "mine" });
          // As earlier versions renamed folders with images.
          await direct.change(async (mutation) => {
            const { groups } = mutation.deps.catalog;
            const before = await groups.find(mutation.tx, folder);
            assert.ok(before);
            await mutation.update(groups, { ...before, name: `new-${name}` });
          });
          await look();
          const repos = await reposNamed(name);
          const found = repos.filter(({ uid }: { uid: string }) => uid !== former);
          assert.equal(found.length, 1);
          assert.deepEqual(
            (await tracked.tags(found[0].uid)).map((tag) => tag.name),
            ["1"],
          );
          assert.equal(repos.length, name === "touched" ? 2 : 1, "only what someone changed stays");
          assert.deepEqual(await tracked.tags(former), []);
        }
        await direct.close();
      },
    );

    usualTest(
      "an unavailable registry changes nothing, and is retried until it recovers",
      async () => {
        const { server } = tracked.world;
        storage.clear();
        storage.tag("acme/found", "1", storage.image("one"));
        await look();
        const before = await names("found");
        await tracked.registry.down();
        await server.terminate();
        await server.restart();
        await until(async () => server.log.split("reconcile pass failed").length > 2);
        assert.deepEqual(await names("found"), before);
        assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
        storage.tag("acme/found", "later", storage.image("later"));
        await tracked.registry.up();
        await until(async () => (await names("found"))?.includes("later"));
        const label = `outcome="failed"`;
        assert.ok((await tracked.metric("wharf_registry_reconcile_passes_total", label)) >= 2);
      },
    );
  });
}
