import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import {
  recordManifest,
  recordPull,
  removeManifest,
} from "../src/registry/ingest/manifest-state.ts";
import { removeLocationInBatches } from "../src/registry/ingest/removal.ts";
import { recordTag, removeTag } from "../src/registry/ingest/tag-state.ts";
import { ensureRepo } from "../src/registry/repos/ensure-repo.ts";
import { locationsOf, writeLocation } from "../src/store/tables/registry/locations.ts";
import { findManifest } from "../src/store/tables/registry/manifests.ts";
import { ApiError, rejected } from "./support/client/api-error.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs, usualTest } from "./support/oracle/runs.ts";
import { inAnyOrder } from "./support/registry/any-order.ts";
import { digest } from "./support/registry/oci-image.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import { onEachStore, type World } from "./support/world/world.ts";

function manifest(number: number, pushed: number) {
  return {
    digest: digest(number),
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    kind: "image",
    architecture: "amd64",
    size: 1_000 + number,
    children: [],
    subject: "",
    configDigest: digest(number + 1_000),
    pushed,
  } as const;
}

/** Tags of a repo that needs several transactions to be deleted. */
const MANY_TAGS = 260;
const LIMITS = { deletedTags: 100 };

onEachStore("the stored state of a registry", storedState, { limits: LIMITS });

function storedState(world: World): void {
  let direct: DirectStore;
  let other: DirectStore;
  let org: string;
  before(async () => {
    org = await world.organization();
    direct = await DirectStore.open(world.server);
    other = await DirectStore.open(world.server);
  });
  after(async () => {
    await checkRows(direct.store.reader);
    await direct.close();
    await other.close();
  });

  async function repo(): Promise<string> {
    return (await world.operator().repos.create(org, { name: world.name("repo") })).uid;
  }

  const tag = (uid: string, name = "latest") => {
    const api = world.operator();
    return api.tags.list({ name, uidp: { childrenOf: uid } }).then(({ tags }) => tags[0]);
  };

  const push = (uid: string, number: number, time?: number, name = "latest") =>
    direct.change((change) => {
      const news = { name, digest: digest(number), ...(time === undefined ? {} : { time }) };
      return recordTag(change, uid, news);
    });

  async function eventsOf(subject: string): Promise<string[]> {
    const sql = `SELECT type FROM events WHERE subject = '${subject}' ORDER BY id`;
    return (await rawRows<{ type: string }>(world.server, sql)).map(({ type }) => type);
  }

  async function history(uid: string): Promise<string[]> {
    const { entries } = await world.operator().tags.listTagHistory({ uid, pageSize: 200 });
    return entries.map((entry: { digest: string }) => entry.digest);
  }

  usualTest("detaching a location deletes in several transactions", async (context) => {
    const uid = await repo();
    const place = { host: "registry.test", path: "acme/large", repo: uid };
    await direct.change(async (change) => {
      await writeLocation(change.tx, { ...place, made: 0 });
      for (let at = 0; at < 250; at++)
        await recordTag(change, uid, { name: `t${at}`, digest: digest(1), time: 1 });
    });
    const from = { requestId: "tests", remoteAddress: "", userAgent: "" };
    const occasion = { ...from, actor: OPERATOR_UID, time: Date.now() };
    const write = context.mock.method(direct.store, "write");
    const deps = { ...direct.engine, remotes: new Map() };
    await removeLocationInBatches(deps, { ...place, time: occasion.time }, occasion);
    assert.equal(write.mock.callCount(), 4, "two pages, their end, and the place");
    const { tags = [] } = await world.operator().tags.list({ uidp: { childrenOf: uid } });
    assert.deepEqual(tags, []);
    assert.deepEqual(await locationsOf(direct.store.reader, uid), []);
  });

  usualTest("creating a repo is idempotent", async () => {
    for (let turn = 0; turn < 10; turn++) {
      const name = world.name("pushed");
      const asked = [direct, other, direct, other].map((one) =>
        one.change((change) => ensureRepo(change, org, name)),
      );
      const uids = (await Promise.all(asked)).map(({ uid }) => uid);
      assert.equal(new Set(uids).size, 1);
      assert.deepEqual(await eventsOf(uids[0] as string), ["platform.registry.repo.created.v1"]);
    }
    const bad = direct.change((change) => ensureRepo(change, org, "Upper"));
    await assert.rejects(bad, /name must match/);
    const nowhere = `${org}/0123456789abcdef`;
    await assert.rejects(
      direct.change((change) => ensureRepo(change, nowhere, "x")),
      /Group .* does not exist/,
    );
  });

  usualTest("a push creates the tag, another one moves it", async () => {
    const uid = await repo();
    const made = await push(uid, 1, 1_000);
    assert.deepEqual([made.outcome, made.previous], ["created", ""]);
    const first = await tag(uid);
    assert.equal(first.updateTime, new Date(1_000).toISOString());
    const moved = await push(uid, 2, 2_000);
    assert.deepEqual([moved.outcome, moved.previous], ["moved", digest(1)]);
    const second = await tag(uid);
    assert.deepEqual(second, {
      ...first,
      digest: digest(2),
      updateTime: new Date(2_000).toISOString(),
    });
    assert.deepEqual(await history(first.uid), [digest(2), digest(1)]);
  });

  usualTest("a repeated notification changes nothing", async () => {
    const uid = await repo();
    await push(uid, 1, 1_000);
    const before = await tag(uid);
    for (const time of [1_000, 2_000, undefined]) {
      assert.equal((await push(uid, 1, time)).outcome, "unchanged");
    }
    assert.deepEqual(await tag(uid), before);
    assert.deepEqual(await eventsOf(before.uid), ["platform.registry.tag.created.v1"]);
    assert.deepEqual(await history(before.uid), [digest(1)]);
  });

  usualTest("an older notification is added to the history only", async () => {
    const uid = await repo();
    await push(uid, 3, 3_000);
    const before = await tag(uid);
    assert.equal((await push(uid, 1, 1_000)).outcome, "older");
    assert.equal((await push(uid, 2, 2_000)).outcome, "older");
    assert.deepEqual(await tag(uid), before);
    assert.deepEqual(await history(before.uid), [digest(3), digest(2), digest(1)]);
  });

  usualTest("a later confirmation outranks a push from in between", async () => {
    const uid = await repo();
    await push(uid, 1, 1_000);
    await push(uid, 1, 3_000);
    assert.equal((await push(uid, 2, 2_000)).outcome, "older");
    const { uid: found, digest: now } = await tag(uid);
    assert.equal(now, digest(1));
    assert.deepEqual(await history(found), [digest(1), digest(2), digest(1)]);
  });

  usualTest("a push without a time outranks one with a future time", async () => {
    const uid = await repo();
    const future = Date.now() + 3_600_000;
    await push(uid, 1, future);
    assert.equal((await push(uid, 2)).outcome, "moved");
    assert.equal((await tag(uid)).digest, digest(2));
    await world.operator().tags.delete((await tag(uid)).uid);
    assert.equal((await push(uid, 3, future - 1)).outcome, "older");
    assert.equal(await tag(uid), undefined);
  });

  usualTest("an older notification does not restore a deleted tag", async () => {
    const uid = await repo();
    await push(uid, 1, 1_000);
    const { uid: gone } = await tag(uid);
    const remove = (time: number) =>
      direct.change((change) => removeTag(change, uid, "latest", time));
    assert.equal(await remove(500), false, "the push came later");
    assert.ok(await tag(uid));
    assert.equal(await remove(2_000), true);
    assert.equal(await remove(2_001), false, "it is gone");
    const late = await push(uid, 2, 1_500);
    assert.deepEqual([late.outcome, late.tag], ["older", undefined]);
    assert.equal(await tag(uid), undefined);
    assert.deepEqual(await eventsOf(gone), [
      "platform.registry.tag.created.v1",
      "platform.registry.tag.deleted.v1",
    ]);
    await push(uid, 3, 3_000);
    const again = await tag(uid);
    assert.notEqual(again.uid, gone);
    assert.deepEqual(await history(again.uid), [digest(3), digest(2), digest(1)]);
  });

  usualTest("a deletion that arrives before an older push wins", async () => {
    const uid = await repo();
    await direct.change((change) => removeTag(change, uid, "latest", 2_000));
    assert.equal((await push(uid, 1, 1_000)).outcome, "older");
    assert.equal(await tag(uid), undefined);
  });

  test("notifications in any order, any number of times, end in the same tags", async () => {
    const news = fc.array(
      fc.record({ name: fc.constantFrom("a", "b"), number: fc.nat(3), deletes: fc.nat(3) }),
      { minLength: 1, maxLength: 8 },
    );
    const property = fc.asyncProperty(inAnyOrder(news), async ([all, order]) => {
      const uid = await repo();
      for (const at of order) {
        const { name, number, deletes } = all[at] as (typeof all)[number];
        const time = 1_000 * (at + 1);
        if (deletes > 0) await push(uid, number, time, name);
        else await direct.change((change) => removeTag(change, uid, name, time));
      }
      const { tags } = await world.operator().tags.list({ uidp: { childrenOf: uid } });
      const wanted = new Map<string, string>();
      for (const { name, number, deletes } of all) {
        if (deletes > 0) wanted.set(name, digest(number));
        else wanted.delete(name);
      }
      const found = tags.map((one: { name: string; digest: string }) => [one.name, one.digest]);
      assert.deepEqual(new Map(found), wanted);
    });
    await fc.assert(property, { ...FIXED, numRuns: runs(4, 10) });
  });

  usualTest("concurrent pushes on two replicas create one tag", async () => {
    const uid = await repo();
    for (let turn = 1; turn <= 20; turn++) {
      const name = `t${turn >> 1}`;
      await Promise.all(
        [direct, other].map((one, at) =>
          one.change((change) =>
            recordTag(change, uid, { name, digest: digest(at), time: 1_000 * turn + at }),
          ),
        ),
      );
      const { digest: now } = await tag(uid, name);
      assert.equal(now, digest(1));
    }
  });

  usualTest("manifests keep their latest push", async () => {
    const uid = await repo();
    const { reader } = direct.store;
    const record = (number: number, pushed: number) =>
      direct.change((change) => recordManifest(change, uid, manifest(number, pushed)));
    await record(1, 2_000);
    await direct.change((change) => recordPull(change, uid, digest(1), 5_000));
    await direct.change((change) => recordPull(change, uid, digest(1), 4_000));
    await direct.change((change) => recordPull(change, uid, digest(2), 4_000));
    await record(1, 1_000);
    assert.deepEqual(
      { ...(await findManifest(reader, uid, digest(1))) },
      { ...manifest(1, 2_000), pulled: 5_000 },
    );
    await record(1, 3_000);
    assert.equal((await findManifest(reader, uid, digest(1)))?.pushed, 3_000);
    assert.equal(await findManifest(reader, uid, digest(2)), undefined);
    const nowhere = direct.change((change) =>
      recordManifest(change, `${uid}/0123456789abcdef`, manifest(1, 1)),
    );
    await assert.rejects(nowhere, /Repo .* does not exist/);
  });

  usualTest("deleting a manifest deletes its tags, unless they are newer", async () => {
    const uid = await repo();
    await direct.change((change) => recordManifest(change, uid, manifest(1, 1_000)));
    await push(uid, 1, 1_000, "old");
    await push(uid, 1, 1_000, "1-r3");
    await push(uid, 2, 1_000, "other");
    await push(uid, 1, 5_000, "new");
    const remove = (time: number) =>
      direct.change((change) => removeManifest(change, uid, digest(1), time));
    await remove(500);
    assert.ok(await findManifest(direct.store.reader, uid, digest(1)));
    await remove(2_000);
    assert.equal(await findManifest(direct.store.reader, uid, digest(1)), undefined);
    const { tags } = await world
      .operator()
      .tags.list({ uidp: { childrenOf: uid }, includeEpochs: true, orderBy: "name" });
    assert.deepEqual(
      tags.map((one: { name: string }) => one.name),
      ["new", "other"],
    );
    await remove(2_000);
    const again = (pushed: number) =>
      direct.change((change) => recordManifest(change, uid, manifest(1, pushed)));
    await again(1_500);
    assert.equal(await findManifest(direct.store.reader, uid, digest(1)), undefined);
    await again(2_500);
    assert.ok(await findManifest(direct.store.reader, uid, digest(1)));
  });

  usualTest("a repo with very many tags is listed from any tag, and deleted", async () => {
    const [uid, kept] = [await repo(), await repo()];
    await push(kept, 1, 1_000);
    for (const suffix of ["", "-r1"]) {
      await direct.change(async (change) => {
        for (let number = 0; number < MANY_TAGS / 2; number++) {
          const news = { name: `${number}${suffix}`, digest: digest(number), time: 1_000 };
          await recordTag(change, uid, news);
        }
      });
    }
    const uidp = { childrenOf: uid };
    const list = (more = {}) => world.operator().tags.list({ uidp, pageSize: 3, ...more });
    assert.equal((await list()).totalCount, String(MANY_TAGS / 2));
    const names = Array.from(
      { length: MANY_TAGS },
      (_, at) => `${at >> 1}${at % 2 ? "-r1" : ""}`,
    ).sort();
    const all = { includeEpochs: true, orderBy: "name" };
    for (const skip of [0, 249, 250, 255, 258, 260, 450]) {
      for (const _ of ["walked", "remembered"]) {
        const { tags, totalCount } = await list({ ...all, skip });
        const shown = tags.map((one: { name: string }) => one.name);
        assert.deepEqual([shown, totalCount], [names.slice(skip, skip + 3), String(MANY_TAGS)]);
      }
    }
    await push(uid, 1, 2_000, "0-r0");
    const { tags } = await list({ ...all, skip: 255 });
    assert.equal(tags[0].name, names[254], "what was remembered holds no more");
    await world.operator().repos.delete(uid);
    assert.equal((await list()).totalCount, "0");
    const sql = `SELECT 1 FROM tags WHERE parent = '${uid}'`;
    assert.deepEqual(await rawRows(world.server, sql), []);
    assert.ok(await tag(kept));
  });

  usualTest("nothing is stored for an unknown repo", async () => {
    const uid = await repo();
    await world.operator().repos.delete(uid);
    await assert.rejects(push(uid, 1), /Repo .* does not exist/);
    const gone = await rejected(
      world.operator().tags.create(uid, { name: "x", digest: digest(1) }),
    );
    assert.ok(gone instanceof ApiError && gone.missing === `Repo ${uid}`);
  });
}
