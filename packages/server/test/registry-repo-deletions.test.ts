import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { parentOf } from "@wharf/contract";
import { rejected } from "./support/client/api-error.ts";
import { RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import { STORES } from "./support/server/test-server.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

for (const store of STORES) {
  describe(`repos deleted here whose images stay, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let storage: RegistryStorage;
    before(async () => {
      const flags = ["--reconcile-minutes", "0"];
      tracked = await TrackedRegistry.start({ store, flags, notifies: false });
      storage = new RegistryStorage(tracked.registry.storage);
    });
    after(async () => {
      const direct = await DirectStore.open(tracked.world.server);
      await checkRows(direct.store.reader);
      await direct.close();
      await tracked.stop();
    });

    /** A repo that a reconcile pass has found, and a caller has deleted. */
    const deleted = async (name: string, tags: Readonly<Record<string, StoredImage>>) => {
      for (const [tag, image] of Object.entries(tags)) storage.tag(`acme/${name}`, tag, image);
      await tracked.reconcile();
      const uid = (await tracked.repo(name.split("/").at(-1) as string)) as string;
      const { status } = await tracked.world.http.delete(`/registry/v2beta1/repos/${uid}`);
      assert.equal(status, 200);
      return uid;
    };
    const report = async (name: string, tag: string, { digest }: StoredImage, time: number) => {
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      const response = await tracked.notify([
        {
          id: randomUUID(),
          timestamp: new Date(time).toISOString(),
          action: "push",
          target: { repository: `acme/${name}`, mediaType, digest, tag },
          request: {},
          actor: {},
        },
      ]);
      assert.equal(response.status, 200, await response.text());
    };
    const tagNames = async (uid: string) => (await tracked.tags(uid)).map(({ name }) => name);
    const kept = async (repo: string) => {
      const [row] = await tracked.rows<{ count: number }>(
        `SELECT (SELECT count(*) FROM repo_deletions WHERE repo = '${repo}')
           + (SELECT count(*) FROM tag_history WHERE repo = '${repo}') AS count`,
      );
      return Number(row?.count);
    };

    test("stay deleted in every reconcile pass", async () => {
      const uid = await deleted("gone", { one: storage.image("one"), two: storage.image("two") });
      for (let pass = 0; pass < 2; pass++) {
        const { deleted: count, created, repos } = await tracked.reconcile();
        assert.deepEqual([count, created, repos], [1, 0, 0]);
        assert.equal(await tracked.repo("gone"), undefined);
      }
      storage.untag("acme/gone", "two");
      assert.equal((await tracked.reconcile()).deleted, 1, "a deletion in the registry is no push");
      storage.remove("acme/gone");
      assert.equal((await tracked.reconcile()).deleted, 0);
      assert.equal(await kept(uid), 0, "nothing is left to remember");
    });

    test("come back with a push that was not reported", async () => {
      const [one, two] = [storage.image("first"), storage.image("second")];
      for (const [name, tag] of [
        ["moved", "one"],
        ["added", "two"],
      ] as const) {
        const uid = await deleted(name, { one });
        await tracked.reconcile();
        storage.tag(`acme/${name}`, tag, two);
        assert.equal((await tracked.reconcile()).deleted, 0);
        const repo = (await tracked.repo(name)) as string;
        assert.notEqual(repo, uid);
        assert.deepEqual(await tagNames(repo), [...new Set(["one", tag])]);
        assert.equal(await kept(uid), 0);
        storage.remove(`acme/${name}`);
      }
    });

    test("come back with a reported push, but not with a late report of an earlier one", async () => {
      const [one, two] = [storage.image("early"), storage.image("late")];
      await deleted("reported", { one });
      await report("reported", "one", one, Date.now() - 60_000);
      assert.equal(await tracked.repo("reported"), undefined);
      storage.tag("acme/reported", "two", two);
      await report("reported", "two", two, Date.now() + 1_000);
      const repo = (await tracked.repo("reported")) as string;
      assert.deepEqual(await tagNames(repo), ["two"]);
      await tracked.reconcile();
      assert.deepEqual(await tagNames(repo), ["one", "two"], "the registry has both");
      storage.remove("acme/reported");
    });

    test("come back when a caller creates them again", async () => {
      const uid = await deleted("created", { one: storage.image("again") });
      const { organization } = tracked.world.registry;
      const path = `/registry/v2beta1/repos/${organization}`;
      const { body } = await tracked.world.http.post(path, { name: "created" });
      await tracked.reconcile();
      assert.deepEqual(await tagNames(body.uid), ["one"]);
      assert.equal(await kept(uid), 0);
      storage.remove("acme/created");
    });

    test("do not become those of a new folder with the name of theirs", async () => {
      const { world } = tracked;
      const { organization } = world.registry;
      const api = world.operator();
      const repo = await deleted("payments/ledger", { one: storage.image("ledger") });
      await api.groups.delete(parentOf(repo));
      const create = () => api.groups.create(organization, { name: "payments" });
      const taken = await rejected(create());
      assert.deepEqual([taken.code, taken.violations], [9, ["NAME_TAKEN"]]);
      storage.remove("acme/payments/ledger");
      await tracked.reconcile();
      assert.equal((await create()).name, "payments", "nothing is left there");
    });

    test("do not keep a push from creating their folder again", async () => {
      const repo = await deleted("orders/first", { one: storage.image("first order") });
      await tracked.world.operator().groups.delete(parentOf(repo));
      const pushed = storage.image("second order");
      storage.tag("acme/orders/second", "one", pushed);
      await report("orders/second", "one", pushed, Date.now() + 1_000);
      assert.ok(await tracked.repo("second"));
      storage.remove("acme/orders/first");
      storage.remove("acme/orders/second");
    });

    test("do not pass to a younger folder of the same name", async () => {
      const { world } = tracked;
      const api = world.operator();
      const organization = await world.organization();
      const older = await world.group(organization, "team");
      const younger = await world.group(organization, "team");
      const heir = await world.registry.holder("heir", "registry.pull", younger);
      const path = `${organization}/team/vault`;
      storage.tag(path, "one", storage.image("vault"));
      await tracked.reconcile();
      await api.repos.delete((await tracked.repo("vault")) as string);
      const shared = await rejected(api.groups.delete(older));
      assert.deepEqual([shared.code, shared.violations], [9, ["NAME_SHARED"]]);
      const granted = () => world.registry.grantedTo(heir, `repository:${path}:pull`);
      assert.deepEqual(await granted(), []);
      storage.remove(path);
      await tracked.reconcile();
      await api.groups.delete(older);
      assert.deepEqual(await granted(), [`repository:${path}:pull`], "nothing is left there");
    });

    test("are distinguished from deletions in a registry, whose content may return", async () => {
      storage.tag("acme/theirs", "one", storage.image("theirs"));
      await tracked.reconcile();
      storage.remove("acme/theirs");
      await tracked.reconcile();
      assert.equal(await tracked.repo("theirs"), undefined);
      storage.tag("acme/theirs", "one", storage.image("theirs"));
      assert.equal((await tracked.reconcile()).deleted, 0);
      assert.ok(await tracked.repo("theirs"));
    });
  });
}
