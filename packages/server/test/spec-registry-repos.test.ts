import assert from "node:assert/strict";
import { before, test } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const DIGEST = `sha256:${"0a".repeat(32)}`;

/** A repo that nothing has been said of. */
const PLAIN = {
  description: "",
  catalogTier: "CATALOG_TIER_UNSPECIFIED",
  bundles: [],
  aliases: [],
  activeTags: [],
};

onEachStore("repos", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  world.rule("a repo belongs to a group", async (api) => {
    const name = world.name("repo");
    const created = await api.repos.create(org, { name });
    const { uid, createTime } = created;
    assert.match(uid, new RegExp(`^${org}/[0-9a-f]{16}$`));
    assert.deepEqual(created, {
      uid,
      name,
      ...PLAIN,
      createTime,
      updateTime: createTime,
    });
    assert.deepEqual(await api.repos.get(uid), created);
    assert.deepEqual((await api.repos.list({ name, uidp: { childrenOf: org } })).repos, [created]);
    assert.deepEqual(await api.repos.delete(uid), {});
    assert.deepEqual((await rejected(api.repos.get(uid))).missing, `Repo ${uid}`);
    assert.equal((await rejected(api.repos.delete(uid))).code, 5);
  });

  test("the list is as the specification shows it", async () => {
    const group = await world.group(org);
    const repo = await world.operator().repos.create(group, { name: "nginx" });
    const rest = new Http(world.server.url, world.operator().token);
    const path = `/registry/v2beta1/repos?uidp.descendants_of=${org}&name=nginx&page_size=10`;
    const { status, body } = await rest.get(path);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["repos", "nextPageToken", "totalCount", "skipped"]);
    assert.deepEqual([body.nextPageToken, body.totalCount, body.skipped], ["", "1", 0]);
    const [{ uid, name, createTime }] = body.repos;
    assert.deepEqual([uid, name, createTime], [repo.uid, "nginx", repo.createTime]);
    assert.match(createTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("an empty name filter matches nothing", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    await world.operator().repos.create(org, { name: world.name("repo") });
    const all = await rest.get(`/registry/v2beta1/repos?uidp.children_of=${org}`);
    assert.ok(all.body.repos.length > 0);
    const none = await rest.get(`/registry/v2beta1/repos?uidp.children_of=${org}&name=`);
    assert.deepEqual([none.body.repos, none.body.totalCount], [[], "0"]);
  });

  world.rule("malformed names are rejected", async (api) => {
    for (const name of ["", "Upper", "a:b", "a@b", "ü", "x".repeat(256)]) {
      const { code, fields } = await rejected(api.repos.create(org, { name }));
      assert.deepEqual([code, Object.keys(fields)], [3, ["name"]], name);
    }
    const { name } = await api.repos.create(org, {
      name: `team a/${world.name("x")}_`.slice(0, -1),
    });
    assert.match(name, /^team a\//);
  });

  world.rule("names are unique in a group", async (api) => {
    const [name, other] = [world.name("repo"), world.name("repo")];
    const { uid } = await api.repos.create(org, { name });
    const refusal = await rejected(api.repos.create(org, { name }));
    assert.deepEqual([refusal.code, refusal.missing], [6, `Repo ${name}`]);
    const elsewhere = await api.repos.create(await world.group(org), { name });
    assert.notEqual(elsewhere.uid, uid);
    const second = await api.repos.create(org, { name: other });
    assert.equal((await rejected(api.repos.update(second.uid, { name }))).code, 6);
    assert.equal((await api.repos.get(second.uid)).name, other);
    await api.repos.delete(uid);
    assert.equal((await api.repos.update(second.uid, { name })).name, name);
  });

  test("of concurrent creates of the same repo, one succeeds", async () => {
    const api = world.operator();
    for (let turn = 0; turn < 10; turn++) {
      const name = world.name("raced");
      const asked = Array.from({ length: 8 }, () => api.repos.create(org, { name }));
      const made = (await Promise.allSettled(asked)).filter((one) => one.status === "fulfilled");
      assert.equal(made.length, 1);
      assert.equal((await api.repos.list({ name, uidp: { childrenOf: org } })).totalCount, "1");
    }
  });

  world.rule("a repo requires an existing group", async (api) => {
    const nowhere = `${org}/0123456789abcdef`;
    const name = world.name("repo");
    assert.equal((await rejected(api.repos.create(nowhere, { name }))).missing, `Group ${nowhere}`);
    const { uid } = await api.repos.create(org, { name });
    assert.equal((await rejected(api.repos.create(uid, { name }))).missing, `Group ${uid}`);
  });

  world.rule("invalid fields are rejected", async (api) => {
    const name = world.name("repo");
    const cases: Record<string, unknown> = {
      aliases: ["no-tag"],
      bundles: ["unheard-of"],
      activeTags: ["-x"],
      description: "bell\x07",
    };
    for (const [field, value] of Object.entries(cases)) {
      const { code, fields } = await rejected(api.repos.create(org, { name, [field]: value }));
      assert.deepEqual([code, Object.keys(fields)], [3, [field]]);
    }
    const many = Array.from({ length: 101 }, (_, at) => `a:${at}`);
    const { fields } = await rejected(api.repos.create(org, { name, aliases: many }));
    assert.deepEqual(Object.keys(fields), ["aliases"]);
    assert.deepEqual(
      Object.keys((await rejected(api.repos.create(org, { name, catalogTier: 9 }))).fields),
      ["catalogTier"],
    );
    const good = {
      description: "Serves pages",
      catalogTier: "CATALOG_TIER_BASE",
      bundles: ["base", "ai-gpu"],
      aliases: ["docker.io/library/nginx:latest"],
      activeTags: ["1.27", "latest"],
    };
    const created = await api.repos.create(org, { name, ...good });
    assert.deepEqual({ ...created, ...good }, created);
  });

  world.rule("custom assembly is not enabled here", async (api) => {
    const name = world.name("repo");
    const customOverlay = { contents: { packages: ["curl"] } };
    const refusal = await rejected(api.repos.create(org, { name, customOverlay }));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["CUSTOM_ASSEMBLY_DISABLED"]]);
    const { uid } = await api.repos.create(org, { name, customOverlay: { contents: {} } });
    assert.equal((await api.repos.get(uid)).customOverlay ?? null, null);
    const environment = { A: "b" };
    const later = api.repos.update(uid, { customOverlay: { environment } }, ["custom_overlay"]);
    assert.equal((await rejected(later)).code, 9);
  });

  world.rule("a repo is updated by mask", async (api) => {
    const { uid, name, createTime } = await api.repos.create(org, {
      name: world.name("repo"),
      description: "d",
      bundles: ["base"],
    });
    const change = { description: "e", bundles: ["fips"], uid: "x", createTime };
    const after = await api.repos.update(uid, change, ["description"]);
    assert.deepEqual(
      [after.uid, after.name, after.description, after.bundles, after.createTime],
      [uid, name, "e", ["base"], createTime],
    );
    assert.ok(after.updateTime >= createTime);
    assert.deepEqual((await api.repos.update(uid, {}, ["bundles"])).bundles, []);
    assert.equal((await rejected(api.repos.update(uid, {}, ["readme"]))).code, 3);
  });

  world.rule("a repo with images cannot be renamed", async (api) => {
    const { uid, name } = await api.repos.create(org, { name: world.name("repo") });
    await api.tags.create(uid, { name: "latest", digest: DIGEST });
    const refusal = await rejected(api.repos.update(uid, { name: world.name("other") }));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_NOT_EMPTY"]]);
    assert.equal((await api.repos.update(uid, { name, description: "x" })).description, "x");
  });

  world.rule("a group with repos cannot be deleted", async (api) => {
    const group = await world.group(org);
    const { uid } = await api.repos.create(group, { name: "nginx" });
    const refusal = await rejected(api.groups.delete(group));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_NOT_EMPTY"]]);
    await api.repos.delete(uid);
    assert.deepEqual(await api.groups.delete(group), {});
  });

  world.rule("deleting a repo deletes its tags, their history and its README", async (api) => {
    const group = await world.group(org);
    const { uid } = await api.repos.create(group, { name: "nginx" });
    for (const name of ["latest", "1", "1-r3", "sha256-0a.sig"]) {
      await api.tags.create(uid, { name, digest: DIGEST });
    }
    const kept = await api.repos.create(group, { name: "kept" });
    const tag = await api.tags.create(kept.uid, { name: "latest", digest: DIGEST });
    await api.repos.updateRepoReadme({ repoReadme: { uid, content: "# Read me" } });
    await api.repos.delete(uid);
    const left = await api.tags.list({ uidp: { descendantsOf: group } });
    assert.deepEqual([left.tags, left.totalCount], [[tag], "1"]);
    const tables = { tags: "parent", tag_history: "repo", repo_readmes: "repo" };
    for (const [table, column] of Object.entries(tables)) {
      const sql = `SELECT 1 FROM ${table} WHERE ${column} = '${uid}'`;
      assert.deepEqual(await rawRows(world.server, sql), [], table);
    }
    assert.equal((await rejected(api.repos.getRepoReadme({ uid }))).code, 5);
  });

  world.rule("repos leave events", async (api) => {
    const { uid } = await api.repos.create(org, { name: world.name("repo") });
    await api.repos.update(uid, { description: "x" });
    await api.repos.delete(uid);
    const sql = `SELECT type, group_uid, body_type, body FROM events WHERE subject = '${uid}' ORDER BY id`;
    const events = await rawRows<Record<string, string>>(world.server, sql);
    assert.deepEqual(
      events.map((event) => [event.type, event.group_uid, event.body_type]),
      [
        ["platform.registry.repo.created.v1", org, "wharf.registry.v2beta1.Repo"],
        ["platform.registry.repo.updated.v1", org, "wharf.registry.v2beta1.Repo"],
        ["platform.registry.repo.deleted.v1", org, "wharf.registry.v2beta1.DeleteRepoRequest"],
      ],
    );
    assert.equal(JSON.parse(String(events[1]?.body)).description, "x");
  });

  world.rule("each method requires its capability", async (api) => {
    const group = await world.group(org);
    const beside = await world.group(org);
    const { uid } = await api.repos.create(group, { name: "nginx" });
    await api.repos.create(beside, { name: "nginx" });
    const viewer = api.as((await world.member({ [group]: "viewer" })).token);
    assert.equal((await viewer.repos.get(uid)).uid, uid);
    const { repos, totalCount } = await viewer.repos.list({});
    assert.deepEqual([repos.map((one: { uid: string }) => one.uid), totalCount], [[uid], "1"]);
    const stranger = api.as((await world.member({ [beside]: ["groups.list"] })).token);
    const none = await stranger.repos.list({});
    assert.deepEqual([none.repos, none.totalCount], [[], "0"]);
    const refusals = await allRejected([
      viewer.repos.create(group, { name: "other" }),
      viewer.repos.update(uid, { description: "x" }),
      viewer.repos.delete(uid),
      stranger.repos.get(uid),
      stranger.repos.get(`${group}/0123456789abcdef`),
      stranger.repos.getRepoReadme({ uid }),
    ]);
    for (const refusal of refusals) assert.equal(refusal.code, 7);
    const editor = api.as((await world.member({ [group]: ["repo.create", "repo.list"] })).token);
    assert.equal((await editor.repos.create(group, { name: "other" })).name, "other");
  });
});
