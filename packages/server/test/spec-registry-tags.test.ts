import assert from "node:assert/strict";
import { before } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { digest } from "./support/registry/oci-image.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("tags", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  async function repo(group = org): Promise<string> {
    return (await world.operator().repos.create(group, { name: world.name("repo") })).uid;
  }

  const namesOf = (list: { tags: { name: string }[] }) => list.tags.map(({ name }) => name);

  world.rule("a tag belongs to a repo", async (api) => {
    const parent = await repo();
    const created = await api.tags.create(parent, { name: "latest", digest: digest(1) });
    const { uid, createTime } = created;
    assert.match(uid, new RegExp(`^${parent}/[0-9a-f]{16}$`));
    assert.deepEqual(created, {
      uid,
      name: "latest",
      digest: digest(1),
      deprecated: false,
      bundles: [],
      createTime,
      updateTime: createTime,
    });
    assert.deepEqual(await api.tags.get(uid), created);
    const listed = await api.tags.list({ uidp: { childrenOf: parent } });
    assert.deepEqual(listed, { tags: [created], nextPageToken: "", totalCount: "1", skipped: 0 });
    assert.deepEqual(await api.tags.delete(uid), {});
    assert.equal((await rejected(api.tags.get(uid))).missing, `Tag ${uid}`);
    assert.equal((await rejected(api.tags.delete(uid))).code, 5);
    assert.equal((await api.tags.list({ uidp: { childrenOf: parent } })).totalCount, "0");
  });

  world.rule("creating an existing tag moves it", async (api) => {
    const parent = await repo();
    const first = await api.tags.create(parent, { name: "latest", digest: digest(1) });
    const given = { name: "latest", digest: digest(2), deprecated: true, bundles: ["base"] };
    const second = await api.tags.create(parent, given);
    assert.deepEqual(second, { ...first, ...given, updateTime: second.updateTime });
    assert.ok(second.updateTime >= first.updateTime);
    assert.deepEqual(await api.tags.get(first.uid), second);
    assert.deepEqual(await api.tags.create(parent, given), second, "the same again");
    const { tags, totalCount } = await api.tags.list({ uidp: { descendantsOf: parent } });
    assert.deepEqual([tags, totalCount], [[second], "1"]);
  });

  world.rule("invalid fields are rejected", async (api) => {
    const parent = await repo();
    const cases: [field: string, tag: object][] = [
      ["name", { name: "-x", digest: digest(1) }],
      ["name", { digest: digest(1) }],
      ["name", { name: "x".repeat(129), digest: digest(1) }],
      ["digest", { name: "x" }],
      ["digest", { name: "x", digest: "sha256:0" }],
      ["digest", { name: "x", digest: digest(10).toUpperCase() }],
      ["digest", { name: "x", digest: `md5:${"0".repeat(64)}` }],
      ["bundles", { name: "x", digest: digest(1), bundles: ["unheard-of"] }],
    ];
    for (const [field, tag] of cases) {
      const { code, fields } = await rejected(api.tags.create(parent, tag));
      assert.deepEqual([code, Object.keys(fields)], [3, [field]], JSON.stringify(tag));
    }
    const { totalCount } = await api.tags.list({ uidp: { childrenOf: parent } });
    assert.equal(totalCount, "0");
    const sha512 = `sha512:${"0a".repeat(64)}`;
    assert.equal((await api.tags.create(parent, { name: "x", digest: sha512 })).digest, sha512);
  });

  world.rule("a tag requires an existing repo", async (api) => {
    const nowhere = `${org}/0123456789abcdef`;
    for (const parent of [nowhere, org]) {
      const refusal = await rejected(api.tags.create(parent, { name: "x", digest: digest(1) }));
      assert.deepEqual([refusal.code, refusal.missing], [5, `Repo ${parent}`]);
    }
  });

  world.rule("lists omit referrer, dated and epoch tags by default", async (api) => {
    const parent = await repo();
    const names = [
      "1.27",
      "1.27-20260801",
      "1.27-r3",
      "sha256-0a.sig",
      "sha256-0a-r3",
      "sha256-0a-20260801",
      "x-20260801-r1",
      "-r3".slice(1),
      "1-19991231",
      "1-r",
      "a-sha256-b",
    ];
    for (const name of names) await api.tags.create(parent, { name, digest: digest(1) });
    const shown = async (asked: object) => {
      const uidp = { childrenOf: parent };
      const list = await api.tags.list({ uidp, orderBy: "name", ...asked });
      assert.equal(list.totalCount, String(list.tags.length));
      return namesOf(list);
    };
    const plain = ["1-19991231", "1-r", "1.27", "a-sha256-b", "r3"];
    assert.deepEqual(await shown({}), plain);
    const also = (...more: string[]) => [...plain, ...more].sort();
    assert.deepEqual(await shown({ includeEpochs: true }), also("1.27-r3", "x-20260801-r1"));
    assert.deepEqual(await shown({ includeDates: true }), also("1.27-20260801"));
    assert.deepEqual(await shown({ includeReferrers: true }), also("sha256-0a.sig"));
    const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
    assert.deepEqual(await shown(all), names.toSorted());
    assert.deepEqual(await shown({ name: "1.27-r3" }), []);
    assert.deepEqual(await shown({ name: "1.27-r3", includeEpochs: true }), ["1.27-r3"]);
  });

  world.rule("updatedSince is exclusive", async (api) => {
    const parent = await repo();
    const first = await api.tags.create(parent, { name: "a", digest: digest(1) });
    let second = first;
    while (second.updateTime === first.updateTime) {
      second = await api.tags.create(parent, { name: "b", digest: digest(Date.now() % 1_000) });
    }
    const since = async (updatedSince: string) =>
      namesOf(await api.tags.list({ uidp: { childrenOf: parent }, updatedSince }));
    assert.deepEqual(await since(first.updateTime), ["b"]);
    assert.deepEqual(await since(second.updateTime), []);
    assert.deepEqual((await since("2026-01-01T00:00:00Z")).sort(), ["a", "b"]);
  });

  world.rule("a name keeps its history, newest first", async (api) => {
    const parent = await repo();
    let uid = "";
    for (let number = 1; number <= 5; number++) {
      ({ uid } = await api.tags.create(parent, { name: "latest", digest: digest(number) }));
      await api.tags.create(parent, { name: "other", digest: digest(number + 50) });
      if (number === 3) await api.tags.delete(uid);
    }
    const whole = await api.tags.listTagHistory({ uid });
    const digests = [5, 4, 3, 2, 1].map(digest);
    const shown = (page: { entries: { digest: string }[] }) =>
      page.entries.map((one) => one.digest);
    assert.deepEqual([shown(whole), whole.nextPageToken], [digests, ""]);
    const times = whole.entries.map((one: { updateTime: string }) => one.updateTime);
    assert.deepEqual(times, times.toSorted().reverse());
    const first = await api.tags.listTagHistory({ uid, pageSize: 2 });
    const pageToken = first.nextPageToken;
    const second = await api.tags.listTagHistory({ uid, pageSize: 2, pageToken });
    const third = await api.tags.listTagHistory({
      uid,
      pageSize: 2,
      pageToken: second.nextPageToken,
    });
    assert.deepEqual([first, second, third].flatMap(shown), digests);
    assert.equal(third.nextPageToken, "");
    const oldest = { orderBy: "update_time ASC", pageSize: 2 };
    const early = await api.tags.listTagHistory({ uid, ...oldest });
    const late = await api.tags.listTagHistory({
      ...{ uid, ...oldest },
      pageToken: early.nextPageToken,
    });
    assert.deepEqual([early, late].flatMap(shown), digests.toReversed().slice(0, 4));
    assert.equal(
      (await rejected(api.tags.listTagHistory({ uid, pageToken: early.nextPageToken }))).code,
      3,
    );
    assert.equal((await rejected(api.tags.listTagHistory({ uid, orderBy: "digest" }))).code, 3);
    const between = { start: times[3], end: times[1] };
    assert.deepEqual(shown(await api.tags.listTagHistory({ uid, ...between })), [
      digest(3),
      digest(2),
    ]);
    const other = await api.tags.create(parent, { name: "x", digest: digest(1) });
    assert.equal((await rejected(api.tags.listTagHistory({ uid: other.uid, pageToken }))).code, 3);
    assert.equal((await rejected(api.tags.listTagHistory({ uid, pageSize: -1 }))).code, 3);
    assert.equal(
      (await rejected(api.tags.listTagHistory({ uid: `${parent}/0123456789abcdef` }))).code,
      5,
    );
  });

  world.rule("tags leave events of their organization", async (api) => {
    const parent = await repo(await world.group(org));
    const { uid } = await api.tags.create(parent, { name: "latest", digest: digest(1) });
    await api.tags.create(parent, { name: "latest", digest: digest(2) });
    await api.tags.create(parent, { name: "latest", digest: digest(2) });
    await api.tags.delete(uid);
    const sql = `SELECT type, group_uid, body_type, body FROM events WHERE subject = '${uid}' ORDER BY id`;
    const events = await rawRows<Record<string, string>>(world.server, sql);
    const created = ["platform.registry.tag.created.v1", org, "wharf.registry.v2beta1.Tag"];
    const request = "wharf.registry.v2beta1.DeleteTagRequest";
    assert.deepEqual(
      events.map((event) => [event.type, event.group_uid, event.body_type]),
      [created, created, ["platform.registry.tag.deleted.v1", org, request]],
    );
    const bodies = events.map(({ body }) => JSON.parse(String(body)));
    assert.deepEqual(
      bodies.map((body) => body.digest),
      [digest(1), digest(2), undefined],
    );
  });

  world.rule("each method requires its capability", async (api) => {
    const [group, beside] = [await world.group(org), await world.group(org)];
    const parent = await repo(group);
    const { uid } = await api.tags.create(parent, { name: "latest", digest: digest(1) });
    const elsewhere = await repo(beside);
    await api.tags.create(elsewhere, { name: "latest", digest: digest(1) });
    const viewer = api.as((await world.member({ [group]: "viewer" })).token);
    const list = await viewer.tags.list({ name: "latest" });
    assert.deepEqual([list.tags.length, list.tags[0].uid, list.totalCount], [1, uid, "1"]);
    assert.equal((await viewer.tags.listTagHistory({ uid })).entries.length, 1);
    const stranger = api.as((await world.member({ [group]: ["repo.list"] })).token);
    const none = await stranger.tags.list({});
    assert.deepEqual([none.tags, none.totalCount], [[], "0"]);
    const refusals = await allRejected([
      viewer.tags.create(parent, { name: "x", digest: digest(1) }),
      viewer.tags.delete(uid),
      stranger.tags.get(uid),
      stranger.tags.listTagHistory({ uid }),
      stranger.tags.get(`${parent}/0123456789abcdef`),
    ]);
    for (const { code } of refusals) assert.equal(code, 7);
    const pusher = api.as((await world.member({ [group]: ["tag.create"] })).token);
    assert.equal((await pusher.tags.create(parent, { name: "x", digest: digest(1) })).name, "x");
  });

  world.rule("tag.create does not allow moving a tag", async (api) => {
    const parent = await repo();
    const given = { name: "latest", digest: digest(1), bundles: ["base"] };
    const before = await api.tags.create(parent, given);
    const creator = api.as((await world.member({ [org]: ["tag.create", "tag.list"] })).token);
    const refusals = await allRejected([
      creator.tags.create(parent, { ...given, digest: digest(2) }),
      creator.tags.create(parent, { ...given, deprecated: true }),
      creator.tags.create(parent, { ...given, bundles: [] }),
      creator.tags.create(parent, { ...given, digest: digest(2), deprecated: true }),
    ]);
    for (const { code, needs } of refusals) {
      assert.deepEqual([code, needs], [7, `tag.update at ${parent}`]);
    }
    assert.deepEqual(await api.tags.get(before.uid), before);
    assert.equal((await api.tags.listTagHistory({ uid: before.uid })).entries.length, 1);
    assert.deepEqual(await creator.tags.create(parent, given), before, "the same again is allowed");
    const fresh = { name: "old", digest: digest(2), deprecated: true };
    assert.equal((await creator.tags.create(parent, fresh)).deprecated, true);
    const both = ["tag.create", "tag.update"];
    const mover = api.as((await world.member({ [org]: both })).token);
    const moved = await mover.tags.create(parent, { ...given, digest: digest(2) });
    assert.deepEqual([moved.uid, moved.digest], [before.uid, digest(2)]);
  });

  world.rule("a concurrent create cannot move a tag without tag.update", async (api) => {
    const parent = await repo();
    const creator = api.as((await world.member({ [org]: ["tag.create"] })).token);
    const numbers = Array.from({ length: 8 }, (_, number) => number);
    const results = await Promise.allSettled(
      numbers.map((number) =>
        creator.tags.create(parent, { name: "once", digest: digest(number) }),
      ),
    );
    const made = results.filter(({ status }) => status === "fulfilled");
    assert.equal(made.length, 1, "one creates the tag, and nobody moves it");
  });
});
