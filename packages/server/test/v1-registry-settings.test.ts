import assert from "node:assert/strict";
import { test } from "node:test";
import { recordTag } from "../src/registry/ingest/tag-state.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { digest } from "./support/registry/oci-image.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const [ONE, TWO] = [1, 2].map(digest) as [string, string];

onEachStore("registry settings", (world) => {
  const v2 = (token = world.operator().token) => new Http(world.server.url, token);
  const settings = (group: string) => `/registry/v2beta1/settings/${group}`;

  world.rule("are off by default, and equal in both versions", async (api) => {
    const registryId = await world.organization();
    const off = { registryId, uniqueTags: false, eolGracePeriod: false };
    assert.deepEqual(await api.v1.registry.getRegistrySettings({ registryId }), off);
    const put = { registryId, uniqueTags: true, eolGracePeriod: true };
    assert.deepEqual(await api.v1.registry.updateRegistrySettings(put), put);
    const { body } = await v2().get(settings(registryId));
    assert.deepEqual(body, { groupUid: registryId, uniqueTags: true, eolGracePeriod: true });

    const patched = await v2().patch(settings(registryId), { uniqueTags: false });
    assert.deepEqual(patched.body, { ...body, uniqueTags: false }, "the rest is kept");
    const now = await api.v1.registry.getRegistrySettings({ registryId });
    assert.deepEqual(now, { registryId, uniqueTags: false, eolGracePeriod: true });
    const reset = await api.v1.registry.updateRegistrySettings({ registryId });
    assert.deepEqual(reset, off, "what is left out is reset");
    const events = await rawRows<{ type: string; group_uid: string }>(
      world.server,
      `SELECT type, group_uid FROM events WHERE subject = '${registryId}' AND type LIKE '%settings%'`,
    );
    assert.equal(events.length, 3);
    assert.ok(events.every(({ group_uid }) => group_uid === registryId));
  });

  world.rule("require their capability and an existing group", async (api) => {
    const registryId = await world.organization();
    const viewer = api.as((await world.member({ [registryId]: ["registry.settings.list"] })).token);
    await viewer.v1.registry.getRegistrySettings({ registryId });
    const put = { registryId, uniqueTags: true };
    assert.equal((await rejected(viewer.v1.registry.updateRegistrySettings(put))).code, 7);
    const stranger = api.as((await world.member()).token);
    const get = stranger.v1.registry.getRegistrySettings({ registryId });
    assert.equal((await rejected(get)).code, 7);
    const nowhere = { registryId: "0".repeat(40) };
    for (const method of ["getRegistrySettings", "updateRegistrySettings"] as const) {
      assert.equal(
        (await rejected(api.v1.registry[method](nowhere))).missing,
        `Group ${nowhere.registryId}`,
      );
      const nonsense = await rejected(api.v1.registry[method]({ registryId: "nonsense" }));
      assert.deepEqual(Object.keys(nonsense.fields), ["registryId"]);
    }
    const { uniqueTags } = await api.v1.registry.getRegistrySettings({ registryId });
    assert.equal(uniqueTags, false, "nothing changed");
  });

  world.rule("make tags immutable, in the group and below", async (api) => {
    const registryId = await world.organization();
    const folder = await world.group(registryId);
    const repoId = (await api.repos.create(folder, { name: "app" })).uid;
    const make = (of: string, by: ApiClient = api) => {
      return by.v1.registry.createTag({ repoId, tag: { name: "1.0", digest: of } });
    };
    await api.v1.registry.updateRegistrySettings({ registryId, uniqueTags: true });
    const { id } = await make(ONE);
    const same = { id, name: "1.0", digest: ONE, deprecated: true };
    assert.equal((await api.v1.registry.updateTag(same)).deprecated, true);
    const moves = [
      make(TWO),
      api.tags.create(repoId, { name: "1.0", digest: TWO }),
      api.v1.registry.updateTag({ ...same, digest: TWO }),
    ];
    for (const refusal of await allRejected(moves)) {
      assert.deepEqual([refusal.code, refusal.violations], [9, ["TAG_NOT_MOVABLE"]]);
    }
    assert.equal((await api.tags.get(id)).digest, ONE);
    await api.v1.registry.updateRegistrySettings({ registryId });
    assert.equal((await make(TWO)).digest, TWO);
  });

  world.rule("reserve a deleted tag for its last image", async (api) => {
    const registryId = await world.organization();
    const folder = await world.group(registryId);
    const repoId = (await api.repos.create(folder, { name: "app" })).uid;
    const make = (of: string) => api.tags.create(repoId, { name: "1.0", digest: of });
    // Its earlier meaning does not count.
    await make(TWO);
    let { uid } = await make(ONE);
    await api.v1.registry.updateRegistrySettings({ registryId, uniqueTags: true });
    for (const remove of [
      () => api.tags.delete(uid),
      () => api.v1.registry.deleteTag({ id: uid }),
    ]) {
      await remove();
      const refusals = await allRejected([
        make(TWO),
        api.v1.registry.createTag({ repoId, tag: { name: "1.0", digest: TWO } }),
      ]);
      for (const refusal of refusals) {
        assert.deepEqual([refusal.code, refusal.violations], [9, ["TAG_NOT_MOVABLE"]]);
      }
      assert.equal((await rejected(api.tags.get(uid))).code, 5, "nothing was created");
      ({ uid } = await make(ONE));
    }
    assert.equal((await api.tags.get(uid)).digest, ONE);
    await api.tags.delete(uid);
    await api.v1.registry.updateRegistrySettings({ registryId });
    assert.equal((await make(TWO)).digest, TWO, "free again once tags need not be unique");
  });

  test("do not apply to notifications of pushes", async () => {
    const api = world.operator();
    const registryId = await world.organization();
    await api.v1.registry.updateRegistrySettings({ registryId, uniqueTags: true });
    const { uid } = await api.repos.create(registryId, { name: "app" });
    const { uid: tag } = await api.tags.create(uid, { name: "1.0", digest: ONE });
    const direct = await DirectStore.open(world.server);
    const time = Date.now() + 1_000;
    await direct.change((change) => recordTag(change, uid, { name: "1.0", digest: TWO, time }));
    await direct.close();
    assert.equal((await api.tags.get(tag)).digest, TWO);
  });

  test("are deleted with their group", async () => {
    const api = world.operator();
    const registryId = await world.organization();
    await api.v1.registry.updateRegistrySettings({ registryId, uniqueTags: true });
    const rows = () =>
      rawRows(world.server, `SELECT 1 FROM registry_settings WHERE group_uid = '${registryId}'`);
    assert.equal((await rows()).length, 1);
    await api.groups.delete(registryId);
    assert.equal((await rows()).length, 0);
  });
});
