import assert from "node:assert/strict";
import { test } from "node:test";
import { registryV1 as registryContract } from "@wharf/contract/v1";
import { refused } from "./support/api.ts";
import { rawRows } from "./support/raw-rows.ts";
import { REGISTRY_METHODS, registryV1 } from "./support/registry-v1.ts";
import { onEachStore } from "./support/test-world.ts";

test("the tests know every method of the registry", () => {
  const methods = registryContract.Registry.methods.map(({ name }) => name);
  assert.deepEqual(REGISTRY_METHODS.toSorted(), methods.toSorted());
});

onEachStore("repos of version 1", (world) => {
  world.rule("are made with their README, which version 2 has apart", async (api) => {
    const parentId = await world.organization();
    const readme = "# Nginx\n\n> Serves *pages*.\n";
    const repo = { name: "nginx", description: "a server", catalogTier: "BASE", readme };
    const made = await registryV1(api, "CreateRepo", { parentId, repo });
    assert.deepEqual(made, { ...made, ...repo, bundles: [], aliases: [], activeTags: [] });
    assert.equal((await api.getReadme(made.id)).content, readme);
    assert.equal((await api.repos.get(made.id)).catalogTier, "CATALOG_TIER_BASE");

    await api.updateReadme(made.id, "of version 2");
    const { items } = await registryV1(api, "ListRepos", { id: made.id });
    assert.deepEqual(items, [{ ...made, readme: "of version 2" }]);

    const put = await registryV1(api, "UpdateRepo", { id: made.id, name: "nginx", readme });
    assert.deepEqual([put.readme, put.description, put.catalogTier], [readme, "", "UNKNOWN"]);
    await registryV1(api, "UpdateRepo", { id: made.id, name: "nginx" });
    assert.equal((await api.getReadme(made.id)).content, "", "what is left out is reset");
  });

  world.rule("are listed with the README of each, however many", async (api) => {
    const parentId = await world.organization();
    const names = Array.from({ length: 40 }, (_, at) => `app-${String(at).padStart(2, "0")}`);
    for (const name of names) {
      const readme = name.endsWith("0") ? "" : `of ${name}`;
      await registryV1(api, "CreateRepo", { parentId, repo: { name, readme } });
    }
    const { items } = await registryV1(api, "ListRepos", { uidp: { childrenOf: parentId } });
    const shown = items.map(({ name, readme }: Record<string, string>) => [name, readme]).sort();
    assert.deepEqual(
      shown,
      names.map((name) => [name, name.endsWith("0") ? "" : `of ${name}`]),
    );
    const named = await registryV1(api, "ListRepos", {
      name: "app-07",
      uidp: { childrenOf: parentId },
    });
    assert.deepEqual(
      named.items.map((one: { readme: string }) => one.readme),
      ["of app-07"],
    );
  });

  world.rule("are replaced by one of the same name, unless that is ruled out", async (api) => {
    const parentId = await world.organization();
    const first = { name: "app", description: "first", bundles: ["fips"], readme: "first" };
    const made = await registryV1(api, "CreateRepo", { parentId, repo: first });
    const request = { parentId, repo: { name: "app", readme: "second" } };
    const again = await registryV1(api, "CreateRepo", request);
    assert.deepEqual(again, { ...made, description: "", bundles: [], readme: "second" });

    const prevented = { parentId, repo: { name: "app" }, preventExisting: true };
    const refusal = await refused(registryV1(api, "CreateRepo", prevented));
    assert.deepEqual([refusal.code, refusal.missing], [6, "Repo app"]);
    const { items } = await registryV1(api, "ListRepos", { uidp: { childrenOf: parentId } });
    assert.deepEqual(items, [again]);
    const other = { parentId, repo: { name: "other" }, preventExisting: true };
    assert.equal((await registryV1(api, "CreateRepo", other)).name, "other");
  });

  world.rule("are made once, however many ask at the same time", async (api) => {
    const parentId = await world.organization();
    const asked = Array.from({ length: 8 }, (_, at) => {
      const repo = { name: "app", description: `by ${at}` };
      return registryV1(api, "CreateRepo", { parentId, repo });
    });
    const ids = (await Promise.all(asked)).map(({ id }) => id);
    assert.equal(new Set(ids).size, 1);
    const { items } = await registryV1(api, "ListRepos", { uidp: { childrenOf: parentId } });
    assert.equal(items.length, 1);
    const refusals = await Promise.allSettled(
      Array.from({ length: 4 }, () => {
        const repo = { name: "other" };
        return registryV1(api, "CreateRepo", { parentId, repo, preventExisting: true });
      }),
    );
    assert.equal(refusals.filter(({ status }) => status === "fulfilled").length, 1);
  });

  world.rule("take the right to change them to be replaced", async (api) => {
    const parentId = await world.organization();
    const repo = { name: "app", description: "first" };
    const made = await registryV1(api, "CreateRepo", { parentId, repo });
    const creator = api.as(
      (await world.member({ [parentId]: ["repo.create", "repo.list"] })).token,
    );
    const request = { parentId, repo: { name: "app" } };
    const refusal = await refused(registryV1(creator, "CreateRepo", request));
    assert.equal(refusal.code, 7);
    assert.equal(refusal.message, `Permission denied: needs repo.update at "${made.id}"`);
    assert.equal((await api.repos.get(made.id)).description, "first");
    const own = { parentId, repo: { name: "own" } };
    assert.equal((await registryV1(creator, "CreateRepo", own)).name, "own");
  });

  world.rule("keep their README from those who may not change it", async (api) => {
    const parentId = await world.organization();
    const readme = "of the operator";
    const { id } = await registryV1(api, "CreateRepo", { parentId, repo: { name: "app", readme } });
    const owner = api.as((await world.member({ [parentId]: "owner" })).token);
    const put = await registryV1(owner, "UpdateRepo", { id, name: "app", description: "mine" });
    assert.deepEqual([put.description, put.readme], ["mine", readme]);
    const same = await registryV1(owner, "UpdateRepo", { id, name: "app", readme });
    assert.deepEqual([same.description, same.readme], ["", readme]);
    const blind = api.as((await world.member({ [parentId]: ["repo.update"] })).token);
    const unread = await registryV1(blind, "UpdateRepo", { id, name: "app" });
    assert.equal(unread.readme, "", "those who may not read it are not told");
    const other = { id, name: "app", description: "new", readme: "other" };
    const refusal = await refused(registryV1(owner, "UpdateRepo", other));
    assert.match(refusal.message, /needs repo.internal.admin at .* takes the operator's token/);
    const { items } = await registryV1(api, "ListRepos", { id });
    assert.deepEqual([items[0].description, items[0].readme], ["", readme]);
    const made = { parentId, repo: { name: "new", readme: "x" } };
    assert.equal((await refused(registryV1(owner, "CreateRepo", made))).code, 7);
    const all = await registryV1(api, "ListRepos", { uidp: { childrenOf: parentId } });
    assert.equal(all.items.length, 1, "nothing was made");
  });

  world.rule("change with their README or not at all", async (api) => {
    const parentId = await world.organization();
    const repo = { name: "app", readme: "safe" };
    const { id } = await registryV1(api, "CreateRepo", { parentId, repo });
    const unsafe = { id, name: "app", description: "new", readme: "<script>x</script>" };
    const html = await refused(registryV1(api, "UpdateRepo", unsafe));
    assert.deepEqual(Object.keys(html.fields), ["readme"]);
    assert.match(html.fields.readme as string, /^readme must hold safe HTML only: line 1 has /);
    const nameless = await refused(registryV1(api, "UpdateRepo", { id, readme: "new" }));
    assert.deepEqual(nameless.fields, { name: 'name must match "^[a-z0-9 ._/-]{1,}$"' });
    assert.equal((await api.getReadme(id)).content, "safe");
    assert.equal((await api.repos.get(id)).description, "");
  });

  world.rule("name fields as version 1 does in refusals", async (api) => {
    const nowhere = await refused(registryV1(api, "UpdateRepo", { id: "nonsense", name: "x" }));
    assert.deepEqual(nowhere.fields, {
      id: "id must be a UID: 40 hexadecimal characters, or a path of IDs",
    });
    const parent = await refused(
      registryV1(api, "CreateRepo", { parentId: "nonsense", repo: { name: "x" } }),
    );
    assert.deepEqual(parent.fields, {
      parentId: "parentId must be a UID: 40 hexadecimal characters, or a path of IDs",
    });
    const parentId = await world.organization();
    const overlay = { name: "x", customOverlay: { accounts: { users: [{ userName: "me" }] } } };
    const custom = await refused(registryV1(api, "CreateRepo", { parentId, repo: overlay }));
    assert.deepEqual(custom.violations, ["CUSTOM_ASSEMBLY_DISABLED"]);
    const beyond: [account: string, accounts: object][] = [
      ["users[1]", { users: [{ userName: "a" }, { uid: 4_294_967_295, userName: "b" }] }],
      ["users[0]", { users: [{ gid: 2 ** 31, userName: "a" }] }],
      ["groups[0]", { groups: [{ gid: 2 ** 31, groupName: "a" }] }],
    ];
    for (const [account, accounts] of beyond) {
      const repo = { name: "x", customOverlay: { accounts } };
      const { code, fields } = await refused(registryV1(api, "CreateRepo", { parentId, repo }));
      const field = `customOverlay.accounts.${account}`;
      assert.deepEqual([code, Object.keys(fields)], [3, [field]]);
      assert.match(fields[field] ?? "", /must be at most 2147483647$/);
    }
    const nul = { parentId, repo: { name: "a\0b" } };
    assert.equal((await refused(registryV1(api, "CreateRepo", nul))).code, 3);
    const empty = { name: "x", customOverlay: { contents: {} } };
    const made = await registryV1(api, "CreateRepo", { parentId, repo: empty });
    assert.equal(made.customOverlay ?? undefined, undefined);
  });

  world.rule("are counted by their source, as far as the caller sees them", async (api) => {
    const [catalog, org, other] = [
      await world.organization(),
      await world.organization(),
      await world.organization(),
    ];
    const source = (
      await registryV1(api, "CreateRepo", { parentId: catalog, repo: { name: "base" } })
    ).id;
    // Independent readers of the contract know the field by its name in code.
    const key = api.protocol === "gRPC" ? "syncConfig" : "sync_config";
    for (const parentId of [org, other]) {
      const repo = { name: "copy", [key]: { source } };
      const made = await registryV1(api, "CreateRepo", { parentId, repo });
      assert.equal(made[key].source, source);
    }
    const count = async (by: typeof api) => {
      return (await registryV1(by, "GetRepoCountBySource", { id: source })).count;
    };
    assert.equal(await count(api), "2");
    const some = await world.member({ [catalog]: "viewer", [org]: "viewer" });
    assert.equal(await count(api.as(some.token)), "1");
    const none = await world.member({ [org]: "viewer" });
    assert.equal((await refused(count(api.as(none.token)))).code, 7);
    const nowhere = await refused(registryV1(api, "GetRepoCountBySource", { id: "nonsense" }));
    assert.deepEqual(nowhere.fields, {
      id: "id must be a UID: 40 hexadecimal characters, or a path of IDs",
    });
    const listed = await api.repos.list({ syncSource: source });
    assert.equal(listed.totalCount, "2");
  });

  test("write the synchronisation as version 1 and 2 do, in snake case", async () => {
    const org = await world.organization();
    const api = world.operator();
    const source = (await api.repos.create(org, { name: "base" })).uid;
    const repo = { name: "copy", sync_config: { source, google: "a-place" } };
    const made = await registryV1(api, "CreateRepo", { parentId: org, repo });
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

  world.rule("leave one event with all of it, and the audit rows of version 2", async (api) => {
    const parentId = await world.organization();
    const repo = { name: "app", readme: "x" };
    const { id } = await registryV1(api, "CreateRepo", { parentId, repo });
    await registryV1(api, "UpdateRepo", { id, name: "app" });
    await registryV1(api, "DeleteRepo", { id });
    const events = await rawRows<{ type: string; body_type: string; body: string }>(
      world.server,
      `SELECT type, body_type, body FROM events WHERE subject = '${id}' ORDER BY id`,
    );
    const told = events.map(({ type, body_type, body }) => {
      return [type.split(".").at(-2), body_type, JSON.parse(body).readme];
    });
    assert.deepEqual(told, [
      ["created", "wharf.registry.v1.Repo", "x"],
      ["updated", "wharf.registry.v1.Repo", ""],
      ["deleted", "wharf.registry.v1.DeleteRepoRequest", undefined],
    ]);
    const audits = await rawRows(world.server, `SELECT id FROM audit WHERE resource = '${id}'`);
    assert.equal(audits.length, 5);
    assert.deepEqual((await registryV1(api, "ListRepos", { id })).items, []);
    assert.equal((await refused(registryV1(api, "DeleteRepo", { id }))).code, 5);
  });
});
