import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { digest } from "./support/registry/oci-image.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const [ONE, TWO, THREE] = [1, 2, 3].map(digest) as [string, string, string];

interface Shown {
  readonly id: string;
  readonly name: string;
}

onEachStore("v1 tags", (world) => {
  const repo = async () => {
    const org = await world.organization();
    return (await world.operator().repos.create(org, { name: "app" })).uid as string;
  };
  const tag = (api: ApiClient, repoId: string, name: string, image = ONE, more: object = {}) => {
    return api.v1.registry.createTag({ repoId, tag: { name, digest: image, ...more } });
  };
  const names = (items: readonly Shown[]) => items.map(({ name }) => name).sort();

  world.rule("are all listed, unless a kind is excluded", async (api) => {
    const repoId = await repo();
    const referrer = `sha256-${"0".repeat(64)}.sig`;
    const all = ["1.0", "1.0-20260801", "1.0-r3", "latest", referrer];
    for (const name of all) await tag(api, repoId, name);
    const list = async (more: object) => {
      const uidp = { childrenOf: repoId };
      return names((await api.v1.registry.listTags({ uidp, ...more })).items);
    };
    assert.deepEqual(await list({}), all.toSorted());
    const without = (...left: string[]) => all.filter((name) => !left.includes(name)).sort();
    assert.deepEqual(await list({ excludeReferrers: true }), without(referrer));
    assert.deepEqual(await list({ excludeDates: true }), without("1.0-20260801"));
    assert.deepEqual(await list({ excludeEpochs: true }), without("1.0-r3"));
    const none = { excludeReferrers: true, excludeDates: true, excludeEpochs: true };
    assert.deepEqual(await list(none), ["1.0", "latest"]);
    const shown = (await api.tags.list({ uidp: { childrenOf: repoId } })).tags;
    assert.deepEqual(names(shown), ["1.0", "latest"], "version 2 shows those by itself");
    assert.deepEqual(await list({ name: "1.0-r3" }), ["1.0-r3"]);
    assert.deepEqual(await list({ digest: TWO }), []);
  });

  world.rule("are filtered by id, digest and update time", async (api) => {
    const repoId = await repo();
    const old = await tag(api, repoId, "old");
    await sleep(2);
    const young = await tag(api, repoId, "young", TWO);
    const uidp = { childrenOf: repoId };
    assert.deepEqual((await api.v1.registry.listTags({ id: old.id })).items, [old]);
    assert.deepEqual((await api.v1.registry.listTags({ uidp, digest: TWO })).items, [young]);
    const updatedSince = old.lastUpdated;
    assert.deepEqual((await api.v1.registry.listTags({ uidp, updatedSince })).items, [young]);
    assert.deepEqual((await api.v1.registry.listTags({ id: "nonsense" })).items, []);
    await api.v1.registry.deleteTag({ id: old.id });
    assert.deepEqual((await api.v1.registry.listTags({ id: old.id })).items, []);
  });

  world.rule("move when they are created again", async (api) => {
    const repoId = await repo();
    const first = await tag(api, repoId, "latest", ONE, { bundles: ["fips"] });
    const again = await tag(api, repoId, "latest", TWO);
    assert.deepEqual([again.id, again.digest, again.bundles], [first.id, TWO, []]);
  });

  world.rule("are replaced by PUT, keeping their name", async (api) => {
    const repoId = await repo();
    const more = { deprecated: true, bundles: ["fips"] };
    const { id } = await tag(api, repoId, "1.0", ONE, more);
    const put = await api.v1.registry.updateTag({ id, name: "1.0", digest: TWO });
    assert.deepEqual([put.id, put.digest, put.deprecated, put.bundles], [id, TWO, false, []]);
    assert.equal((await api.tags.get(id)).digest, TWO);

    const renamed = { id, name: "2.0", digest: THREE };
    const refusal = await rejected(api.v1.registry.updateTag(renamed));
    assert.deepEqual(Object.keys(refusal.fields), ["name"]);
    const malformed = await rejected(api.v1.registry.updateTag({ id, name: "1.0", digest: "x" }));
    assert.deepEqual(Object.keys(malformed.fields), ["digest"]);
    const missing = { id: `${repoId}/${"0".repeat(16)}`, name: "1.0", digest: ONE };
    assert.equal((await rejected(api.v1.registry.updateTag(missing))).code, 5);
    const nonsense = { id: "nonsense", name: "1.0", digest: ONE };
    assert.deepEqual(Object.keys((await rejected(api.v1.registry.updateTag(nonsense))).fields), [
      "id",
    ]);
    assert.deepEqual((await api.v1.registry.listTags({ id })).items, [put], "nothing changed");

    const events = await rawRows<{ type: string }>(
      world.server,
      `SELECT type FROM events WHERE subject = '${id}' ORDER BY id`,
    );
    const types = events.map(({ type }) => type.split(".registry.")[1]);
    assert.deepEqual(types, ["tag.created.v1", "tag.updated.v1"]);
  });

  world.rule("keep their digest when an update has none", async (api) => {
    const repoId = await repo();
    const { id } = await tag(api, repoId, "1.0", ONE);
    const put = await api.v1.registry.updateTag({ id, name: "1.0", bundles: ["fips"] });
    assert.deepEqual([put.id, put.digest, put.bundles], [id, ONE, ["fips"]]);
    const gone = await api.v1.registry.updateTag({ id, name: "1.0", deprecated: true });
    assert.deepEqual([gone.digest, gone.deprecated, gone.bundles], [ONE, true, []]);
    assert.deepEqual((await api.v1.registry.listTags({ id })).items, [gone]);
    const { entries } = await api.tags.listTagHistory({ uid: id });
    assert.deepEqual(entries.length, 1, "the image is the same");
    const named = await rejected(api.v1.registry.updateTag({ id, name: "a b" }));
    assert.deepEqual([named.code, Object.keys(named.fields)], [3, ["name"]]);
    const bundled = await rejected(
      api.v1.registry.updateTag({ id, name: "1.0", bundles: ["none"] }),
    );
    assert.deepEqual([bundled.code, Object.keys(bundled.fields)], [3, ["bundles"]]);
    const events = await rawRows<{ type: string }>(
      world.server,
      `SELECT type FROM events WHERE subject = '${id}' ORDER BY id`,
    );
    const types = events.map(({ type }) => type.split(".registry.")[1]);
    assert.deepEqual(types, ["tag.created.v1", "tag.updated.v1", "tag.updated.v1"]);
  });

  world.rule("are made without a digest only where there is one", async (api) => {
    const repoId = await repo();
    const bare = (name: string, more: object = {}) =>
      api.v1.registry.createTag({ repoId, tag: { name, ...more } });
    const none = await rejected(bare("1.0"));
    assert.deepEqual([none.code, Object.keys(none.fields)], [3, ["digest"]]);
    assert.deepEqual((await api.v1.registry.listTags({ uidp: { childrenOf: repoId } })).items, []);
    const first = await tag(api, repoId, "1.0");
    const again = await bare("1.0", { bundles: ["fips"] });
    assert.deepEqual([again.id, again.digest, again.bundles], [first.id, ONE, ["fips"]]);
    const elsewhere = { repoId: `${repoId.slice(0, 40)}/${"0".repeat(16)}`, tag: { name: "1.0" } };
    assert.equal((await rejected(api.v1.registry.createTag(elsewhere))).code, 5);
    const org = repoId.slice(0, 40);
    const creator = api.as((await world.member({ [org]: ["tag.create"] })).token);
    const same = { repoId, tag: { name: "1.0", bundles: ["fips"] } };
    assert.equal((await creator.v1.registry.createTag(same)).id, first.id);
    const other = { repoId, tag: { name: "1.0", bundles: ["ai"] } };
    assert.equal((await rejected(creator.v1.registry.createTag(other))).code, 7);
    assert.deepEqual((await api.v1.registry.listTags({ id: first.id })).items, [again]);
  });

  world.rule("require tag.update to be replaced, not tag.create", async (api) => {
    const repoId = await repo();
    const org = repoId.slice(0, 40);
    const { id } = await tag(api, repoId, "1.0");
    const updater = api.as((await world.member({ [org]: ["tag.update"] })).token);
    const put = { id, name: "1.0", digest: TWO };
    assert.equal((await updater.v1.registry.updateTag(put)).digest, TWO);
    const creator = api.as((await world.member({ [org]: ["tag.create"] })).token);
    const back = { ...put, digest: ONE };
    assert.equal((await rejected(creator.v1.registry.updateTag(back))).code, 7);
    assert.equal((await api.tags.get(id)).digest, TWO);
  });

  world.rule("have a history between two times", async (api) => {
    const repoId = await repo();
    const times: string[] = [];
    let id = "";
    for (const image of [ONE, TWO, THREE]) {
      const now = await tag(api, repoId, "latest", image);
      ({ id } = now);
      times.push(now.lastUpdated);
      await sleep(2);
    }
    const history = async (more: object) => {
      const { items } = await api.v1.registry.listTagHistory({ parentId: id, ...more });
      return items.map((one: { digest: string }) => one.digest);
    };
    const [first, second, third] = times as [string, string, string];
    assert.deepEqual(await history({}), [ONE, TWO, THREE]);
    assert.deepEqual(await history({ start: second }), [TWO, THREE]);
    assert.deepEqual(await history({ end: second }), [ONE]);
    assert.deepEqual(await history({ start: first, end: third }), [ONE, TWO]);
    const { items } = await api.v1.registry.listTagHistory({ parentId: id, start: third });
    assert.deepEqual(items, [{ digest: THREE, updateTimestamp: third }]);
    const parentId = `${repoId}/${"0".repeat(16)}`;
    assert.deepEqual((await api.v1.registry.listTagHistory({ parentId })).items, []);
  });

  world.rule("have a summary", async (api) => {
    const repoId = await repo();
    const empty = await api.v1.registry.getRepoTagsSummary({ repoId });
    assert.deepEqual([empty.id, empty.tagCount, empty.latestVersion], [repoId, "0", ""]);
    assert.equal(empty.latestTag ?? undefined, undefined);
    assert.equal(empty.lastUpdated ?? undefined, undefined);

    for (const name of ["1", "1.27", "1.27.3", "1.27.3-r0", "latest"]) {
      await tag(api, repoId, name, ONE);
    }
    await sleep(2);
    const newest = await tag(api, repoId, "2.0.0-20260801", TWO);
    const latest = (
      await api.v1.registry.listTags({ name: "latest", uidp: { childrenOf: repoId } })
    ).items[0];
    const summary = await api.v1.registry.getRepoTagsSummary({ repoId });
    assert.deepEqual(summary, {
      id: repoId,
      tagCount: "6",
      lastUpdated: newest.lastUpdated,
      latestTag: latest,
      latestVersion: "1.27.3",
    });
    const request = { repoId, excludeDates: true, excludeEpochs: true };
    const fewer = await api.v1.registry.getRepoTagsSummary(request);
    assert.deepEqual([fewer.tagCount, fewer.lastUpdated < newest.lastUpdated], ["4", true]);
    const nowhere = await rejected(api.v1.registry.getRepoTagsSummary({ repoId: "nonsense" }));
    assert.deepEqual(Object.keys(nowhere.fields), ["repoId"]);
  });

  world.rule("return whether they are kept up to date, and no unknown fields", async (api) => {
    const repoId = await repo();
    const uidp = { childrenOf: repoId };
    await tag(api, repoId, "1.0", ONE, { deprecated: true });
    for (const name of ["2.0", "2.0-r1", "2.0-20260801"]) await tag(api, repoId, name);
    await tag(api, repoId, `sha256-${"0".repeat(64)}.sig`);
    const { items, nextPageToken } = await api.v1.registry.listEolTags({ uidp });
    assert.equal(nextPageToken, "");
    const shown = items.map((one: Record<string, string>) => [one.name, one.tagStatus]).sort();
    assert.deepEqual(shown, [
      ["1.0", "TAG_INACTIVE"],
      ["2.0", "TAG_ACTIVE"],
      ["2.0-20260801", "TAG_ACTIVE"],
      ["2.0-r1", "TAG_ACTIVE"],
    ]);
    for (const one of items) {
      assert.deepEqual([one.graceStatus, one.mainPackageName], ["GRACE_NOT_ELIGIBLE", ""]);
      assert.equal(one.gracePeriodExpiryDate ?? undefined, undefined);
    }
    const few = { uidp, excludeDates: true, excludeEpochs: true };
    assert.deepEqual(names((await api.v1.registry.listEolTags(few)).items), ["1.0", "2.0"]);
    const first = await api.v1.registry.listEolTags({ ...few, pageSize: 1 });
    const page = { ...few, pageSize: 1, pageToken: first.nextPageToken };
    const second = await api.v1.registry.listEolTags(page);
    assert.deepEqual(names([...first.items, ...second.items]), ["1.0", "2.0"]);
    const named = { uidp, name: "1.0" };
    assert.deepEqual(names((await api.v1.registry.listEolTags(named)).items), ["1.0"]);
    const negative = await rejected(api.v1.registry.listEolTags({ pageSize: -1 }));
    assert.deepEqual(Object.keys(negative.fields), ["pageSize"]);
  });
});
