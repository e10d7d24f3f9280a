import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { GroupsService } from "@wharf/contract";
import { groupsV1 } from "@wharf/contract/v1";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { onEachStore, World } from "./support/world/world.ts";

onEachStore("names of folders", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization(world.name("verified.example"));
    await world.operator().groups.update(org, { verified: true });
  });

  const v1 = groupsV1.Groups;

  world.rule(
    "are unique among siblings of a verified organization, in both versions",
    async (api) => {
      const [name, free] = [world.name("team"), world.name("free")];
      const { uid } = await api.groups.create(org, { name });
      const other = (await api.groups.create(org, { name: free })).uid;
      const refusals = await allRejected([
        api.groups.create(org, { name }),
        api.call(v1, "Create", { parent: org, group: { name } }),
        api.groups.update(other, { name }),
        api.groups.update(other, { name, description: "x" }, ["name"]),
        api.groups.update(other, { name }, ["*"]),
        api.call(v1, "Update", { id: other, name }),
      ]);
      for (const refusal of refusals) {
        assert.deepEqual([refusal.code, refusal.missing], [6, `Group ${name}`]);
      }
      const list = await api.groups.list({ name, uidp: { childrenOf: org } });
      assert.deepEqual([list.totalCount, list.groups[0].uid], ["1", uid]);
      assert.equal((await api.groups.get(other)).name, free, "nothing changed");
    },
  );

  world.rule("need not be unique for organizations and across parents", async (api) => {
    const name = world.name("team");
    const folder = (await api.groups.create(org, { name })).uid;
    assert.ok(await api.groups.create(folder, { name }));
    assert.ok(await api.groups.create(await world.organization(), { name }));
    for (let time = 0; time < 2; time++) assert.ok(await api.groups.create("", { name }));
  });

  world.rule("do not block other updates, and are free again after deletion", async (api) => {
    const [name, next] = [world.name("team"), world.name("team")];
    const { uid } = await api.groups.create(org, { name });
    const changed = await api.groups.update(uid, { name, description: "same name" });
    assert.equal(changed.description, "same name");
    await api.call(v1, "Update", { id: uid, name, description: "again" });
    await api.groups.update(uid, { name: next });
    const second = await api.groups.create(org, { name });
    await api.groups.delete(second.uid);
    assert.equal((await api.groups.update(uid, { name })).name, name);
  });

  world.rule("are unique in unverified organizations if one of the two has repos", async (api) => {
    const parent = await world.organization();
    const [full, empty] = [await world.group(parent, "full"), await world.group(parent, "empty")];
    const below = await world.group(full);
    await api.repos.create(below, { name: "app" });
    const refusals = await allRejected([
      api.groups.create(parent, { name: "full" }),
      api.groups.update(empty, { name: "full" }),
      api.groups.update(full, { name: "empty" }),
    ]);
    for (const { code } of refusals) assert.equal(code, 6);
  });

  world.rule("may be shared by folders without repos; the oldest has the path", async (api) => {
    const parent = await world.organization();
    const first = await world.group(parent, "first");
    const [older, younger] = [await world.group(parent, "dev"), await world.group(parent, "dev")];
    const list = await api.groups.list({ name: "dev", uidp: { childrenOf: parent } });
    assert.equal(list.totalCount, "2");
    const last = await world.group(parent, "last");
    assert.equal((await api.groups.update(last, { name: "dev" })).name, "dev");
    const rename = ["groups.update"];
    const ofFirst = api.as((await world.member({ [first]: rename })).token);
    const taken = await rejected(ofFirst.groups.update(first, { name: "dev" }));
    assert.equal(taken.code, 6, "nobody takes a path from a folder that they may not rename");
    const ofBoth = api.as((await world.member({ [first]: rename, [older]: rename })).token);
    assert.equal((await ofBoth.groups.update(first, { name: "dev" })).name, "dev");
    await ofBoth.groups.update(first, { name: "first" });
    await api.repos.create(older, { name: "app" });
    assert.equal((await rejected(api.groups.create(parent, { name: "dev" }))).code, 6);
    assert.equal((await rejected(api.groups.update(older, { name: "moved" }))).code, 9);
    assert.equal((await api.groups.update(younger, { name: "moved" })).name, "moved");
  });

  world.rule("are unique under concurrent creates", async (api) => {
    const name = world.name("team");
    const others = await Promise.all([1, 2, 3].map(() => world.group(org)));
    const results = await Promise.allSettled([
      ...[1, 2, 3].map(() => api.groups.create(org, { name })),
      ...others.map((uid) => api.groups.update(uid, { name })),
    ]);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    const list = await api.groups.list({ name, uidp: { childrenOf: org } });
    assert.equal(list.totalCount, "1");
  });
});

for (const store of STORES) {
  describe(`paths of folders on the registry, on ${store}`, () => {
    let world: World;
    let puller: string;
    before(async () => {
      world = await World.start({ store, registry: true });
      puller = await world.registry.holder("puller", "registry.pull");
    });
    after(() => world.stop());

    const groups = "/iam/v2beta1/groups";
    const folder = async (name: string): Promise<string> =>
      (await world.post(`groups/${world.registry.organization}`, { name })).uid;
    const repo = async (group: string, name: string): Promise<string> =>
      (await world.http.post(`/registry/v2beta1/repos/${group}`, { name })).body.uid;
    const granted = (path: string, who = puller) =>
      world.registry.grantedTo(who, `repository:${path}:pull`);

    /** Gives a folder the name of another, as earlier versions let callers do. */
    const duplicate = async (uid: string, name: string) => {
      const direct = await DirectStore.open(world.server);
      try {
        await direct.change(async (change) => {
          const row = await direct.engine.catalog.groups.find(change.tx, uid);
          assert.ok(row);
          row.name = name;
          await change.update(direct.engine.catalog.groups, row);
        }, GroupsService.method.updateGroup);
      } finally {
        await direct.close();
      }
    };

    test("renaming or creating a folder cannot take over a sibling's path", async () => {
      // Made first, so that its age is on the attacker's side.
      const dev = await folder("dev");
      const prod = await folder("prod");
      await repo(prod, "shop");
      const intern = await world.registry.identity("intern");
      const capabilities = ["CAP_IAM_GROUPS_UPDATE", "CAP_IAM_GROUPS_CREATE"];
      const role = { name: "renamer", capabilities };
      const roleUid = (await world.post(`roles/${world.registry.organization}`, role)).uid;
      await world.post(`roleBindings/${dev}`, { identityUid: intern, roleUid });
      const theirs = new Http(world.server.url, await world.server.token(intern));
      const renamed = await theirs.patch(`${groups}/${dev}`, { name: "prod" });
      assert.deepEqual([renamed.status, renamed.body.code], [409, 6]);
      const made = await world.http.post(`${groups}/${world.registry.organization}`, {
        name: "prod",
      });
      assert.deepEqual([made.status, made.body.code], [409, 6]);
      assert.deepEqual(await granted("acme/prod/shop"), ["repository:acme/prod/shop:pull"]);
    });

    test("of existing duplicates, the oldest has the path", async () => {
      const older = await folder("twice");
      const younger = await folder("second");
      await duplicate(younger, "twice");
      await repo(older, "one");
      const two = await repo(younger, "two");
      const ofOlder = await world.registry.holder("older", "registry.pull", older);
      const ofYounger = await world.registry.holder("younger", "registry.pull", younger);
      assert.deepEqual(await granted("acme/twice/one", ofOlder), [
        "repository:acme/twice/one:pull",
      ]);
      assert.deepEqual(await granted("acme/twice/two", ofYounger), [], "not theirs by name");
      const byUid = `acme/${younger.slice(-16)}/two`;
      assert.deepEqual(await granted(byUid, ofYounger), [`repository:${byUid}:pull`]);

      const list = await world.http.get(
        `${groups}?name=twice&uidp.children_of=${world.registry.organization}`,
      );
      assert.equal(list.body.totalCount, "2", "both stay readable");
      const described = await world.http.patch(`${groups}/${younger}`, { description: "x" });
      assert.equal(described.status, 200);
      assert.equal((await world.http.get(`/registry/v2beta1/repos/${two}`)).status, 200);
    });

    test("and keeps it: a path does not pass to an unrenamed duplicate", async () => {
      const older = await folder("kept");
      const younger = await folder("late");
      await duplicate(younger, "kept");
      for (const change of [
        () => world.http.patch(`${groups}/${older}`, { name: "moved" }),
        () => world.http.delete(`${groups}/${older}`),
      ]) {
        const { status, body } = await change();
        assert.deepEqual([status, body.code], [400, 9]);
        assert.equal(body.details[1].violations[0].type, "NAME_SHARED");
      }
      const freed = await world.http.patch(`${groups}/${younger}`, { name: "late" });
      assert.equal(freed.status, 200);
      assert.equal((await world.http.delete(`${groups}/${older}`)).status, 200);
    });

    test("a younger duplicate can be deleted", async () => {
      const older = await folder("stays");
      const younger = await folder("goes");
      await duplicate(younger, "stays");
      assert.equal((await world.http.delete(`${groups}/${younger}`)).status, 200);
      assert.equal((await world.http.patch(`${groups}/${older}`, { name: "free" })).status, 200);
    });

    test("an organization of the same name cannot take over a verified one's path", async () => {
      const second = (await world.post("groups", { name: "acme" })).uid;
      await repo(second, "stolen");
      const stranger = await world.registry.holder("stranger", "registry.pull", second);
      const { status, body } = await world.http.patch(`${groups}/${second}`, {
        verified: true,
      });
      assert.deepEqual([status, body.details[1].violations[0].type], [400, "NAME_TAKEN"]);
      assert.deepEqual(await granted("acme/stolen", stranger), []);
      assert.deepEqual(await granted("acme/app"), ["repository:acme/app:pull"]);
    });
  });
}
