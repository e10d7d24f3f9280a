import assert from "node:assert/strict";
import { before } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const DAY_MS = 24 * 3_600_000;

const ORIGIN = {
  description: "Serves pages",
  catalogTier: "CATALOG_TIER_BASE",
  bundles: ["base"],
  aliases: ["docker.io/library/nginx:latest"],
  activeTags: ["latest"],
};

onEachStore("synced repos", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  async function origin(): Promise<string> {
    const repo = { name: world.name("origin"), ...ORIGIN };
    return (await world.operator().repos.create(org, repo)).uid;
  }

  /** Over REST the field is spelt as the contract has it, whatever the protocol. */
  const configOf = (repo: Record<string, unknown>) =>
    (repo.sync_config ?? repo.syncConfig) as Record<string, unknown>;

  const synced = (source: string) => ({ name: world.name("synced"), syncConfig: { source } });

  world.rule("copy the fields of their source", async (api) => {
    const source = await origin();
    const created = await api.repos.create(org, synced(source));
    assert.deepEqual({ ...created, ...ORIGIN }, created);
    const { expirationTime, ...config } = configOf(created);
    assert.deepEqual(config, {
      source,
      uniqueTags: false,
      google: "",
      amazon: "",
      azure: "",
      apkoOverlay: "",
      gracePeriod: false,
      syncApks: false,
    });
    const made = Date.parse(created.createTime);
    assert.equal(Date.parse(String(expirationTime)), made + 14 * DAY_MS);
    const own = { ...synced(source), description: "mine" };
    assert.equal((await api.repos.create(org, own)).description, "mine");
  });

  world.rule("cannot override the fields of their source", async (api) => {
    const source = await origin();
    const cases: [string, unknown][] = [
      ["catalogTier", "CATALOG_TIER_FIPS"],
      ["bundles", ["fips"]],
      ["aliases", ["a:b"]],
      ["activeTags", ["1"]],
    ];
    const { uid } = await api.repos.create(org, synced(source));
    const before = await api.repos.get(uid);
    for (const [field, value] of cases) {
      const made = await rejected(api.repos.create(org, { ...synced(source), [field]: value }));
      const changed = await rejected(api.repos.update(uid, { [field]: value }));
      for (const refusal of [made, changed]) {
        assert.equal(refusal.code, 3);
        assert.deepEqual(Object.keys(refusal.fields), [field]);
      }
    }
    assert.deepEqual(await api.repos.get(uid), before);
    const same = await api.repos.update(uid, { bundles: ["base"], description: "mine" });
    assert.deepEqual([same.description, same.bundles], ["mine", ["base"]]);
  });

  world.rule("follow updates of their source", async (api) => {
    const source = await origin();
    const { uid } = await api.repos.create(org, synced(source));
    await api.repos.update(source, { bundles: ["fips"], description: "other" });
    const after = await api.repos.get(uid);
    assert.deepEqual([after.bundles, after.description], [["fips"], ORIGIN.description]);
    const sql = `SELECT type FROM events WHERE subject = '${uid}' ORDER BY id`;
    const types = await rawRows<{ type: string }>(world.server, sql);
    assert.deepEqual(
      types.map(({ type }) => type),
      ["platform.registry.repo.created.v1", "platform.registry.repo.updated.v1"],
    );
    await api.repos.update(uid, {}, ["sync_config"]);
    await api.repos.update(source, { bundles: ["ai"] });
    const free = await api.repos.update(uid, { catalogTier: "CATALOG_TIER_AI" });
    assert.deepEqual([free.bundles, free.catalogTier], [["fips"], "CATALOG_TIER_AI"]);
  });

  world.rule("keep their fields when their source is deleted", async (api) => {
    const source = await origin();
    const { uid } = await api.repos.create(org, synced(source));
    await api.repos.delete(source);
    const after = await api.repos.update(uid, { description: "left" });
    assert.deepEqual([after.bundles, configOf(after).source], [ORIGIN.bundles, source]);
    assert.equal((await rejected(api.repos.update(uid, { bundles: ["fips"] }))).code, 3);
  });

  world.rule("ignore output-only fields", async (api) => {
    const source = await origin();
    const given = { uniqueTags: true, gracePeriod: true, apkoOverlay: "x" };
    const repo = synced(source);
    const { uid } = await api.repos.create(org, {
      ...repo,
      syncConfig: { ...repo.syncConfig, ...given },
    });
    const whole = { syncConfig: { source, google: "projects/x", ...given } };
    const after = configOf(await api.repos.update(uid, whole, ["sync_config"]));
    assert.deepEqual(
      [after.uniqueTags, after.gracePeriod, after.apkoOverlay, after.google],
      [false, false, "", "projects/x"],
    );
    const one = configOf(
      await api.repos.update(uid, { syncConfig: { amazon: "y" } }, ["sync_config.amazon"]),
    );
    assert.deepEqual([one.source, one.google, one.amazon], [source, "projects/x", "y"]);
    assert.equal(one.expirationTime, after.expirationTime);
  });

  world.rule("require a source that is a repo and is not synced itself", async (api) => {
    const source = await origin();
    const { uid } = await api.repos.create(org, synced(source));
    const alone = await origin();
    for (const call of [
      api.repos.create(org, synced(uid)),
      api.repos.update(alone, { syncConfig: { source: alone } }),
      api.repos.update(source, { syncConfig: { source: alone } }),
      api.repos.create(org, synced("x/y")),
      api.repos.create(org, synced("")),
    ]) {
      assert.deepEqual(Object.keys((await rejected(call)).fields), ["sync_config.source"]);
    }
    const nowhere = `${org}/0123456789abcdef`;
    const missing = await rejected(api.repos.create(org, synced(nowhere)));
    assert.deepEqual([missing.code, missing.missing], [5, `Repo ${nowhere}`]);
  });

  world.rule("name their source by uid or by path", async (api) => {
    const organization = await world.organization();
    const group = await world.group(organization);
    const name = world.name("named");
    const { uid } = await world.operator().repos.create(group, { name, ...ORIGIN });
    const { name: folder } = await world.operator().groups.get(group);
    const path = `${organization}/${folder}/${name}`;
    const host = new URL(world.server.url).host;
    for (const source of [uid, path, `${host}/${path}`]) {
      const created = await api.repos.create(organization, synced(source));
      assert.deepEqual([configOf(created).source, created.bundles], [uid, ORIGIN.bundles]);
      const { expirationTime } = configOf(created);
      const again = { syncConfig: { source: path } };
      const after = configOf(await api.repos.update(created.uid, again, ["sync_config"]));
      assert.deepEqual([after.source, after.expirationTime], [uid, expirationTime], "the same one");
    }
    const { token } = await world.member({ [organization]: ["repo.create"] });
    const texts = new Set<string>();
    for (const [caller, source, named] of [
      [api, `${path}-not`, `${path}-not`],
      [api, `elsewhere.example/${path}`, `elsewhere.example/${path}`],
      [api, `${host}/${organization}/nothing`, `${organization}/nothing`],
      [api, "not a path", "not a path"],
      [api.as(token), path, path],
    ] as const) {
      const refusal = await rejected(caller.repos.create(organization, synced(source)));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["sync_config.source"]]);
      texts.add(refusal.message.replace(named, "…"));
    }
    assert.equal(
      texts.size,
      1,
      "a source that the caller cannot see looks like one that does not exist",
    );
  });

  world.rule("have a source that is named as in their own group", async (api) => {
    const organization = await world.organization();
    const group = await world.group(organization);
    const { uid } = await api.repos.create(group, { name: "team/base", ...ORIGIN });
    const created = await api.repos.create(group, synced("team/base"));
    assert.deepEqual([configOf(created).source, created.bundles], [uid, ORIGIN.bundles]);
    const other = await api.repos.create(group, { name: world.name("late") });
    const late = await api.repos.update(other.uid, { syncConfig: { source: "team/base" } });
    assert.equal(configOf(late).source, uid);
    const { token } = await world.member({ [group]: ["repo.create"] });
    for (const [caller, parent] of [
      [api, organization],
      [api.as(token), group],
    ] as const) {
      const { code, fields } = await rejected(caller.repos.create(parent, synced("team/base")));
      assert.equal(code, 3);
      assert.deepEqual(Object.keys(fields), ["sync_config.source"]);
    }
  });

  world.rule("require a source that the caller can see", async (api) => {
    const source = await origin();
    const group = await world.group(org);
    const { token } = await world.member({ [group]: ["repo.create", "repo.update", "repo.list"] });
    const theirs = api.as(token);
    for (const hidden of [source, `${org}/0123456789abcdef`]) {
      const refusal = await rejected(theirs.repos.create(group, synced(hidden)));
      assert.deepEqual([refusal.code, refusal.needs.split(" ")[0]], [7, "repo.list"]);
    }
    const { uid } = await api.repos.create(group, synced(source));
    assert.equal((await theirs.repos.update(uid, { description: "x" })).description, "x");
  });
});
