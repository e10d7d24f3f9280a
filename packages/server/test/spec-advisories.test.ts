import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Advisory } from "@wharf/contract";
import { rejected } from "./support/client/api-error.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { PLAIN, writing, written } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

const FIXED = {
  createTime: "2026-03-02T00:00:00.000Z",
  author: "a@example.com",
  reviewState: "REVIEW_STATE_APPROVED",
  fixed: { fixedVersion: "3.1.4-r1" },
};
const DETECTED = {
  createTime: "2026-03-01T00:00:00.000Z",
  author: "b@example.com",
  reviewState: "REVIEW_STATE_APPROVED",
  detection: { manual: {} },
};

onEachStore("advisories", (world) => {
  let direct: DirectStore;
  let org: string;
  before(async () => {
    direct = await DirectStore.open(world.server);
    org = await world.organization();
  });
  after(() => direct.close());

  const idsOf = ({ advisories }: { advisories: Advisory[] }) =>
    advisories.map(({ advisoryId }) => advisoryId);

  world.rule("an advisory is read by its uid, with its events in their order", async (api) => {
    const group = await world.group(org);
    const [made] = await written(direct, group, {
      advisoryId: "CGA-one",
      aliases: ["CVE-2026-0001"],
      events: [FIXED, DETECTED],
    });
    assert.ok(made);
    const found = await api.advisories.get(made.uid);
    assert.match(found.uid, new RegExp(`^${group}/[0-9a-f]{16}$`));
    assert.equal(found.createTime, found.updateTime);
    assert.deepEqual(
      found.events.map((event: { createTime: string }) => event.createTime),
      [DETECTED.createTime, FIXED.createTime],
    );
    for (const { uid } of found.events) {
      assert.match(uid, new RegExp(`^${found.uid}/[0-9a-f]{16}$`));
    }
    assert.equal(found.artifactName, PLAIN.artifactName);
    assert.deepEqual((await api.advisories.list({ uidp: { childrenOf: group } })).advisories, [
      found,
    ]);
    assert.deepEqual(found.aliases, ["CVE-2026-0001"]);
  });

  world.rule("unknown and invisible advisories are rejected", async (api) => {
    const group = await world.group(org);
    const [made] = await written(direct, group, { advisoryId: "CGA-one", events: [FIXED] });
    const missing = `${group}/${"0".repeat(16)}`;
    const nothing = await rejected(api.advisories.get(missing));
    assert.deepEqual([nothing.code, nothing.missing], [5, `Advisory ${missing}`]);
    const event = made?.events[0]?.uid ?? "";
    assert.equal((await rejected(api.advisories.get(event))).code, 5);
    const malformed = await rejected(api.advisories.get("x"));
    assert.deepEqual([malformed.code, Object.keys(malformed.fields)], [3, ["uid"]]);
    const { token } = await world.member({ [await world.group(org)]: "owner" });
    const denied = await rejected(api.as(token).advisories.get(made?.uid ?? ""));
    assert.equal(denied.code, 7);
    assert.equal((await rejected(api.as("").advisories.get(made?.uid ?? ""))).code, 16);
  });

  test("ids are unique in a group", async () => {
    const [one, other] = [await world.group(org), await world.group(org)];
    const given = { advisoryId: "CGA-same" };
    await written(direct, one, given);
    await written(direct, other, given);
    await assert.rejects(written(direct, one, { ...given, artifactName: "zlib" }), {
      code: "ALREADY_EXISTS",
    });
    const { advisories } = await world.operator().advisories.list({ uidp: { childrenOf: one } });
    assert.deepEqual(
      advisories.map(({ artifactName }: Advisory) => artifactName),
      ["openssl"],
    );
  });

  world.rule("a deleted one can be read by uid, and listed on request", async (api) => {
    const group = await world.group(org);
    const [gone] = await written(direct, group, { advisoryId: "CGA-a" }, { advisoryId: "CGA-b" });
    assert.ok(gone);
    const since = (await api.advisories.get(gone.uid)).updateTime;
    await writing(direct, group, (writer) => writer.delete(gone));
    const found = await api.advisories.get(gone.uid);
    assert.equal(found.deleteTime, found.updateTime);
    const uidp = { childrenOf: group };
    const kept = await api.advisories.list({ uidp });
    assert.deepEqual([idsOf(kept), kept.totalCount], [["CGA-b"], "1"]);
    for (const more of [{ showDeleted: true }, { updatedSince: since }]) {
      const all = await api.advisories.list({ uidp, ...more });
      assert.deepEqual([idsOf(all).sort(), all.totalCount], [["CGA-a", "CGA-b"], "2"]);
    }
    const rest = { uidp, showDeleted: true, pageSize: 1 };
    const first = await api.advisories.list(rest);
    const second = await api.advisories.list({ ...rest, pageToken: first.nextPageToken });
    assert.deepEqual([...idsOf(first), ...idsOf(second)].sort(), ["CGA-a", "CGA-b"]);
    assert.deepEqual([first.totalCount, second.totalCount], ["2", "2"]);
    assert.equal(second.nextPageToken, "");
    const skipped = await api.advisories.list({ ...rest, skip: 1 });
    assert.deepEqual(skipped.advisories, second.advisories);
    await writing(direct, group, async (writer) => {
      const again = await writer.findByUid(gone.uid);
      delete again.deleteTime;
      return writer.update(again);
    });
    assert.equal((await api.advisories.list({ uidp })).totalCount, "2");
  });

  test("a group with advisories, or tombstones of the last month, cannot be deleted", async () => {
    const group = await world.group(org);
    const [made] = await written(direct, group, { advisoryId: "CGA-one" });
    assert.ok(made);
    const refusal = async () => {
      const { code, violations } = await rejected(world.operator().groups.delete(group));
      assert.deepEqual([code, violations], [9, ["RESOURCE_NOT_EMPTY"]]);
    };
    await refusal();
    await writing(direct, group, (writer) => writer.delete(made));
    await refusal();
    assert.equal((await world.operator().groups.get(group)).uid, group);
    const { store } = direct;
    const monthAgo = Date.now() - 31 * 24 * 3_600_000;
    await store.write((tx) =>
      tx.run("UPDATE advisories SET updated = ? WHERE uid = ?", monthAgo, made.uid),
    );
    await world.operator().groups.delete(group);
    assert.equal((await rejected(world.operator().advisories.get(made.uid))).code, 5);
  });

  test("tombstones are purged in bounded batches", async () => {
    const group = await world.group(org);
    const ids = Array.from({ length: 260 }, (_, at) => `CGA-${at}`);
    const made = await written(direct, group, ...ids.map((advisoryId) => ({ advisoryId })));
    await writing(direct, group, async (writer) => {
      for (const one of made) await writer.delete(one);
    });
    const { store } = direct;
    const monthAgo = Date.now() - 31 * 24 * 3_600_000;
    await store.write((tx) =>
      tx.run("UPDATE advisories SET updated = ? WHERE parent = ?", monthAgo, group),
    );
    const rows = async (sql: string) => store.reader.all<{ detail: string }>(sql, group);
    const left = async () => (await rows("SELECT uid FROM advisories WHERE parent = ?")).length;
    const emptied = async () => {
      const noted = await rows("SELECT detail FROM audit WHERE resource = ?");
      return noted.filter(({ detail }) => detail.includes("emptied")).length;
    };
    const { repos, groups } = world.operator();
    const repo = await repos.create(group, { name: "app" });
    const { violations } = await rejected(groups.delete(group));
    assert.deepEqual(violations, ["RESOURCE_NOT_EMPTY"]);
    assert.deepEqual([await left(), await emptied()], [260, 0], "a refusal removes nothing");
    await repos.delete(repo.uid);
    await groups.delete(group);
    assert.deepEqual([await left(), await emptied()], [0, 1], "250 of them before the rest");
    assert.equal((await rejected(groups.get(group))).code, 5);
  });
});
