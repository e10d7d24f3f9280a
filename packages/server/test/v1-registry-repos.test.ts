import assert from "node:assert/strict";
import { test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("v1 repos", (world) => {
  world.rule("are created with their README, which is separate in v2", async (api) => {
    const parentId = await world.organization();
    const readme = "# Nginx\n\n> Serves *pages*.\n";
    const repo = { name: "nginx", description: "a server", catalogTier: "BASE", readme };
    const made = await api.v1.registry.createRepo({ parentId, repo });
    assert.deepEqual(made, { ...made, ...repo, bundles: [], aliases: [], activeTags: [] });
    assert.equal((await api.repos.getRepoReadme({ uid: made.id })).content, readme);
    assert.equal((await api.repos.get(made.id)).catalogTier, "CATALOG_TIER_BASE");

    await api.repos.updateRepoReadme({ repoReadme: { uid: made.id, content: "of version 2" } });
    const { items } = await api.v1.registry.listRepos({ id: made.id });
    assert.deepEqual(items, [{ ...made, readme: "of version 2" }]);

    const put = await api.v1.registry.updateRepo({ id: made.id, name: "nginx", readme });
    assert.deepEqual([put.readme, put.description, put.catalogTier], [readme, "", "UNKNOWN"]);
    await api.v1.registry.updateRepo({ id: made.id, name: "nginx" });
    assert.equal(
      (await api.repos.getRepoReadme({ uid: made.id })).content,
      "",
      "what is left out is reset",
    );
  });

  world.rule("are listed without pages, each with its README", async (api) => {
    const parentId = await world.organization();
    const names = Array.from({ length: 40 }, (_, at) => `app-${String(at).padStart(2, "0")}`);
    for (const name of names) {
      const readme = name.endsWith("0") ? "" : `of ${name}`;
      await api.v1.registry.createRepo({ parentId, repo: { name, readme } });
    }
    const { items } = await api.v1.registry.listRepos({ uidp: { childrenOf: parentId } });
    const shown = items.map(({ name, readme }: Record<string, string>) => [name, readme]).sort();
    assert.deepEqual(
      shown,
      names.map((name) => [name, name.endsWith("0") ? "" : `of ${name}`]),
    );
    const named = await api.v1.registry.listRepos({
      name: "app-07",
      uidp: { childrenOf: parentId },
    });
    assert.deepEqual(
      named.items.map((one: { readme: string }) => one.readme),
      ["of app-07"],
    );
  });

  world.rule("are replaced by a create of the same name, unless disabled", async (api) => {
    const parentId = await world.organization();
    const first = { name: "app", description: "first", bundles: ["fips"], readme: "first" };
    const made = await api.v1.registry.createRepo({ parentId, repo: first });
    const request = { parentId, repo: { name: "app", readme: "second" } };
    const again = await api.v1.registry.createRepo(request);
    assert.deepEqual(again, { ...made, description: "", bundles: [], readme: "second" });

    const prevented = { parentId, repo: { name: "app" }, preventExisting: true };
    const refusal = await rejected(api.v1.registry.createRepo(prevented));
    assert.deepEqual([refusal.code, refusal.missing], [6, "Repo app"]);
    const { items } = await api.v1.registry.listRepos({ uidp: { childrenOf: parentId } });
    assert.deepEqual(items, [again]);
    const other = { parentId, repo: { name: "other" }, preventExisting: true };
    assert.equal((await api.v1.registry.createRepo(other)).name, "other");
  });

  world.rule("are created once under concurrent creates", async (api) => {
    const parentId = await world.organization();
    const asked = Array.from({ length: 8 }, (_, at) => {
      const repo = { name: "app", description: `by ${at}` };
      return api.v1.registry.createRepo({ parentId, repo });
    });
    const ids = (await Promise.all(asked)).map(({ id }) => id);
    assert.equal(new Set(ids).size, 1);
    const { items } = await api.v1.registry.listRepos({ uidp: { childrenOf: parentId } });
    assert.equal(items.length, 1);
    const refusals = await Promise.allSettled(
      Array.from({ length: 4 }, () => {
        const repo = { name: "other" };
        return api.v1.registry.createRepo({ parentId, repo, preventExisting: true });
      }),
    );
    assert.equal(refusals.filter(({ status }) => status === "fulfilled").length, 1);
  });

  world.rule("require repo.update to be replaced", async (api) => {
    const parentId = await world.organization();
    const repo = { name: "app", description: "first" };
    const made = await api.v1.registry.createRepo({ parentId, repo });
    const creator = api.as(
      (await world.member({ [parentId]: ["repo.create", "repo.list"] })).token,
    );
    const request = { parentId, repo: { name: "app" } };
    const refusal = await rejected(creator.v1.registry.createRepo(request));
    assert.equal(refusal.code, 7);
    assert.equal(refusal.needs, `repo.update at ${made.id}`);
    assert.equal((await api.repos.get(made.id)).description, "first");
    const own = { parentId, repo: { name: "own" } };
    assert.equal((await creator.v1.registry.createRepo(own)).name, "own");
  });

  world.rule(
    "are written with their README by those who may create and update repos",
    async (api) => {
      const parentId = await world.organization();
      const { token } = await world.member({ [parentId]: ["repo.create", "repo.list"] });
      const creator = api.as(token);
      const repo = { name: "app", readme: "first" };
      const { id, readme } = await creator.v1.registry.createRepo({ parentId, repo });
      assert.equal(readme, "first");
      const other = { id, name: "app", readme: "second" };
      assert.equal((await rejected(creator.v1.registry.updateRepo(other))).code, 7);
      assert.equal(
        (await rejected(creator.v1.registry.createRepo({ parentId, repo: other }))).code,
        7,
      );
      assert.equal((await api.repos.getRepoReadme({ uid: id })).content, "first");
      const updater = api.as((await world.member({ [parentId]: ["repo.update"] })).token);
      assert.equal((await updater.v1.registry.updateRepo(other)).readme, "second");
      assert.equal((await api.repos.getRepoReadme({ uid: id })).content, "second");
      const put = await updater.v1.registry.updateRepo({ id, name: "app" });
      assert.equal(put.readme, "");
      assert.equal(
        (await api.repos.getRepoReadme({ uid: id })).content,
        "",
        "what is left out is reset",
      );
    },
  );

  world.rule("are updated atomically with their README", async (api) => {
    const parentId = await world.organization();
    const repo = { name: "app", readme: "safe" };
    const { id } = await api.v1.registry.createRepo({ parentId, repo });
    const unsafe = { id, name: "app", description: "new", readme: "<script>x</script>" };
    const html = await rejected(api.v1.registry.updateRepo(unsafe));
    assert.deepEqual(Object.keys(html.fields), ["readme"]);
    const nameless = await rejected(api.v1.registry.updateRepo({ id, readme: "new" }));
    assert.deepEqual(Object.keys(nameless.fields), ["name"]);
    assert.equal((await api.repos.getRepoReadme({ uid: id })).content, "safe");
    assert.equal((await api.repos.get(id)).description, "");
  });

  world.rule("have v1 field names in errors", async (api) => {
    const nowhere = await rejected(api.v1.registry.updateRepo({ id: "nonsense", name: "x" }));
    assert.deepEqual(Object.keys(nowhere.fields), ["id"]);
    const parent = await rejected(
      api.v1.registry.createRepo({ parentId: "nonsense", repo: { name: "x" } }),
    );
    assert.deepEqual(Object.keys(parent.fields), ["parentId"]);
    const parentId = await world.organization();
    const overlay = { name: "x", customOverlay: { accounts: { users: [{ userName: "me" }] } } };
    const custom = await rejected(api.v1.registry.createRepo({ parentId, repo: overlay }));
    assert.deepEqual(custom.violations, ["CUSTOM_ASSEMBLY_DISABLED"]);
    const beyond: [account: string, accounts: object][] = [
      ["users[1]", { users: [{ userName: "a" }, { uid: 4_294_967_295, userName: "b" }] }],
      ["users[0]", { users: [{ gid: 2 ** 31, userName: "a" }] }],
      ["groups[0]", { groups: [{ gid: 2 ** 31, groupName: "a" }] }],
    ];
    for (const [account, accounts] of beyond) {
      const repo = { name: "x", customOverlay: { accounts } };
      const { code, fields } = await rejected(api.v1.registry.createRepo({ parentId, repo }));
      const field = `customOverlay.accounts.${account}`;
      assert.deepEqual([code, Object.keys(fields)], [3, [field]]);
    }
    const nul = { parentId, repo: { name: "a\0b" } };
    assert.equal((await rejected(api.v1.registry.createRepo(nul))).code, 3);
    const empty = { name: "x", customOverlay: { contents: {} } };
    const made = await api.v1.registry.createRepo({ parentId, repo: empty });
    assert.equal(made.customOverlay ?? undefined, undefined);
  });

  world.rule("are counted by source, including only what the caller can see", async (api) => {
    const [catalog, org, other] = [
      await world.organization(),
      await world.organization(),
      await world.organization(),
    ];
    const source = (await api.v1.registry.createRepo({ parentId: catalog, repo: { name: "base" } }))
      .id;
    // Independent readers of the contract know the field by its name in code.
    const key = api.protocol === "gRPC" ? "syncConfig" : "sync_config";
    for (const parentId of [org, other]) {
      const repo = { name: "copy", [key]: { source } };
      const made = await api.v1.registry.createRepo({ parentId, repo });
      assert.equal(made[key].source, source);
    }
    const count = async (by: typeof api) => {
      return (await by.v1.registry.getRepoCountBySource({ id: source })).count;
    };
    assert.equal(await count(api), "2");
    const some = await world.member({ [catalog]: "viewer", [org]: "viewer" });
    assert.equal(await count(api.as(some.token)), "1");
    const none = await world.member({ [org]: "viewer" });
    assert.equal((await rejected(count(api.as(none.token)))).code, 7);
    const nowhere = await rejected(api.v1.registry.getRepoCountBySource({ id: "nonsense" }));
    assert.deepEqual(Object.keys(nowhere.fields), ["id"]);
    const listed = await api.repos.list({ syncSource: source });
    assert.equal(listed.totalCount, "2");
  });

  test("have sync settings in snake case, as in v1 and v2", async () => {
    const org = await world.organization();
    const api = world.operator();
    const source = (await api.repos.create(org, { name: "base" })).uid;
    const repo = { name: "copy", sync_config: { source, google: "a-place" } };
    const made = await api.v1.registry.createRepo({ parentId: org, repo });
    const { expirationTime } = (await api.repos.get(made.id)).sync_config;
    assert.deepEqual(made.sync_config, {
      source,
      uniqueTags: false,
      expiration: expirationTime,
      google: "a-place",
      amazon: "",
      azure: "",
      syncApks: false,
      apkoOverlay: "",
      gracePeriod: false,
    });
  });

  world.rule("keep the settings of their sync as sent", async (api) => {
    const parentId = await world.organization();
    const source = (await api.repos.create(parentId, { name: "base" })).uid;
    const settings = {
      ...{ source, uniqueTags: true, syncApks: true, apkoOverlay: "overlay", gracePeriod: true },
      ...{ google: "", amazon: "", azure: "", expiration: "2031-02-03T04:05:06.000Z" },
    };
    const key = api.protocol === "gRPC" ? "syncConfig" : "sync_config";
    const repo = { name: "copy", [key]: settings };
    const made = await api.v1.registry.createRepo({ parentId, repo });
    assert.deepEqual(made[key], settings);
    const { id } = made;
    await api.repos.update(id, { description: "changed", syncConfig: { source } });
    const { items } = await api.v1.registry.listRepos({ id });
    assert.deepEqual(items[0][key], settings, "version 2 leaves them");
    const off = {
      ...settings,
      uniqueTags: false,
      syncApks: false,
      apkoOverlay: "",
      gracePeriod: false,
    };
    const changed = await api.v1.registry.updateRepo({ id, name: "copy", [key]: off });
    assert.deepEqual(changed[key], off);
  });

  world.rule("have the expiration of their sync that the caller set", async (api) => {
    const parentId = await world.organization();
    const source = (await api.repos.create(parentId, { name: "base" })).uid;
    const config = (of: Record<string, unknown>) =>
      (of.syncConfig ?? of.sync_config) as Record<string, unknown>;
    const expiration = "2031-02-03T04:05:06.000Z";
    const made = await api.v1.registry.createRepo({
      parentId,
      repo: { name: "copy", syncConfig: { source: "base", expiration } },
    });
    assert.deepEqual([config(made).source, config(made).expiration], [source, expiration]);
    const { id } = made;
    const later = "2032-01-01T00:00:00.000Z";
    const changed = { id, name: "copy", syncConfig: { source, expiration: later } };
    assert.equal(config(await api.v1.registry.updateRepo(changed)).expiration, later);
    const { items } = await api.v1.registry.listRepos({ id });
    assert.equal(config(items[0]).expiration, later);
    const left = { id, name: "copy", syncConfig: { source } };
    assert.equal(config(await api.v1.registry.updateRepo(left)).expiration, later);
    const ignored = { syncConfig: { source, expirationTime: expiration } };
    const two = config(await api.repos.update(id, ignored, ["sync_config"]));
    assert.equal(two.expirationTime, later, "version 2 manages it");
  });

  world.rule("leave one complete event, and the audit rows of v2", async (api) => {
    const parentId = await world.organization();
    const repo = { name: "app", readme: "x" };
    const { id } = await api.v1.registry.createRepo({ parentId, repo });
    await api.v1.registry.updateRepo({ id, name: "app" });
    await api.v1.registry.deleteRepo({ id });
    const events = await rawRows<{ type: string; body_type: string; body: string }>(
      world.server,
      `SELECT type, body_type, body FROM events WHERE subject = '${id}' ORDER BY id`,
    );
    const shapes = events.map(({ type, body_type, body }) => {
      return [type.split(".").at(-2), body_type, JSON.parse(body).readme];
    });
    assert.deepEqual(shapes, [
      ["created", "wharf.registry.v1.Repo", "x"],
      ["updated", "wharf.registry.v1.Repo", ""],
      ["deleted", "wharf.registry.v1.DeleteRepoRequest", undefined],
    ]);
    const audits = await rawRows(world.server, `SELECT id FROM audit WHERE resource = '${id}'`);
    assert.equal(audits.length, 5);
    assert.deepEqual((await api.v1.registry.listRepos({ id })).items, []);
    assert.equal((await rejected(api.v1.registry.deleteRepo({ id }))).code, 5);
  });
});
