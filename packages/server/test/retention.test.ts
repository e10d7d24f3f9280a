/** Retention: what each rule keeps, announcements, races with everything that keeps a tag. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { INDEX, MANIFEST, sha256 } from "./support/registry/oci-client.ts";
import { DAY_MS, type RetainedRepo, Retention } from "./support/registry/retention.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore(
  "retention",
  (world) => {
    let retention: Retention;
    before(async () => {
      retention = await Retention.open(world);
    });
    after(() => retention.close());

    const keep = (...rules: object[]) => ({
      keep: rules.map((rule, at) => ({ name: `rule ${at}`, ...rule })),
    });
    const push = (repo: RetainedRepo, tag: string, content = tag) =>
      retention.client.image(repo.path, tag, content);
    const rows = <Row extends object>(sql: string) => rawRows<Row>(world.server, sql);
    const expiring = async (repo: RetainedRepo) => {
      const sql = `SELECT name FROM tag_expirations WHERE repo = '${repo.uid}' ORDER BY name`;
      return (await rows<{ name: string }>(sql)).map(({ name }) => name);
    };
    /** Waits until a pull is recorded, which happens after the answer. */
    const pull = async (
      repo: RetainedRepo,
      reference: string,
      digest: string,
      client = retention.client,
    ) => {
      const sql = `SELECT sum(time) AS sum FROM manifest_pulls WHERE repo = '${repo.uid}' AND digest = '${digest}'`;
      const sum = async () => Number((await rows<{ sum: number }>(sql))[0]?.sum ?? 0);
      const before = await sum();
      await client.get(`/v2/${repo.path}/manifests/${reference}`);
      await until(async () => (await sum()) > before || undefined);
    };

    test("deletes nothing without a policy, nor without rules", async () => {
      const repo = await retention.repo();
      await push(repo, "old");
      await retention.pass(1_000);
      await retention.policy(repo.folder, { announceDays: 0 });
      await retention.pass(1_000);
      assert.deepEqual(await retention.tags(repo), ["old"]);
    });

    test("a tag stays if one rule keeps it, by all of its conditions", async () => {
      const repo = await retention.repo();
      for (const tag of ["v1", "v2", "v3", "main-1", "main-2", "other"]) await push(repo, tag);
      await retention.policy(
        repo.uid,
        keep({ tags: ["v*"], newest: 2 }, { tags: ["main-*"], newest: 1, pushedWithinDays: 10 }),
      );
      await retention.pass(5);
      assert.deepEqual(await retention.tags(repo), ["main-2", "v2", "v3"]);
      await retention.pass(11);
      assert.deepEqual(await retention.tags(repo), ["v2", "v3"]);
    });

    test("a pull keeps a tag, also of a part of an index, by those whose pulls count", async () => {
      const repo = await retention.repo();
      const scanner = await world.registry.holder(world.name("scanner"), "registry.pull");
      const scanning = retention.client.as(`Bearer ${await world.signer.token(scanner)}`);
      const { digest } = await push(repo, "pulled");
      const scanned = await push(repo, "scanned");
      const part = await push(repo, "part");
      const manifests = [{ mediaType: MANIFEST, digest: part.digest, size: part.bytes.length }];
      const index = { schemaVersion: 2, mediaType: INDEX, manifests };
      await retention.client.putManifest(repo.path, "index", index, INDEX);
      await push(repo, "never");
      await pull(repo, "pulled", digest);
      await pull(repo, part.digest, part.digest);
      await pull(repo, "scanned", scanned.digest, scanning);
      const all = keep({ pulledWithinDays: 10 });
      const { entries } = await retention.preview(repo.uid, { retentionPolicy: all });
      assert.deepEqual(
        entries.map(({ tag }: Answer) => tag),
        ["never"],
      );
      const some = keep({ pulledWithinDays: 10, notPulledBy: [scanner] });
      const others = await retention.preview(repo.uid, { retentionPolicy: some });
      assert.deepEqual(
        others.entries.map(({ tag }: Answer) => tag),
        ["never", "scanned"],
      );
      await retention.policy(repo.uid, keep({ pulledWithinDays: 10, pulledBy: [scanner] }));
      await retention.pass(5);
      assert.deepEqual(await retention.tags(repo), ["scanned"]);
      await retention.pass(11);
      assert.deepEqual(await retention.tags(repo), []);
    });

    test("a deployment keeps the tags of its repo, a rule protects others", async () => {
      const [deployed, repo] = [await retention.repo(), await retention.repo()];
      for (const one of [deployed, repo]) await push(one, "1");
      await push(repo, "stable");
      const charts = [{ repo: "oci://charts.example.com/app" }];
      await retention.api.deployments.create(deployed.uid, { charts });
      for (const one of [deployed, repo]) await retention.policy(one.uid, keep({ deployed: true }));
      const rule = { name: "stable", tags: ["stable"], protected: true };
      await retention.api.tagRules.create(repo.folder, rule);
      await retention.pass(1);
      assert.deepEqual(await retention.tags(deployed), ["1"]);
      assert.deepEqual(await retention.tags(repo), ["stable"]);
      await retention.api.deployments.delete(deployed.uid);
      await retention.pass(1);
      assert.deepEqual(await retention.tags(deployed), []);
    });

    test("the nearest policy applies alone", async () => {
      const repo = await retention.repo();
      for (const tag of ["v1", "main"]) await push(repo, tag);
      const own = await retention.policy(repo.uid, keep({ tags: ["main"] }));
      await retention.policy(repo.folder, keep({ tags: ["v*"] }));
      await retention.api.retentionPolicies.update(own.uid, { announceDays: 3 });
      await retention.pass();
      assert.deepEqual(await expiring(repo), ["v1"]);
      await retention.api.retentionPolicies.delete(own.uid);
      assert.deepEqual(await expiring(repo), []);
      await retention.pass(4);
      assert.deepEqual(await retention.tags(repo), ["v1"]);
    });

    test("a deletion is announced by an event, a header and the tag, and then happens", async () => {
      const repo = await retention.repo();
      for (const tag of ["old", "v1"]) await push(repo, tag);
      await retention.policy(repo.folder, { ...keep({ tags: ["v*"] }), announceDays: 3 });
      await retention.pass();
      const { deleteTime } = await retention.tag(repo, "old");
      const left = Date.parse(deleteTime) - Date.now();
      assert.ok(left > 2 * DAY_MS && left <= 3 * DAY_MS, deleteTime);
      assert.equal((await retention.tag(repo, "v1")).deleteTime, undefined);
      const pulled = await retention.client.get(`/v2/${repo.path}/manifests/old`);
      assert.match(pulled.headers.warning ?? "", /^299 - "the tag old will be deleted at 20/);
      const staying = await retention.client.get(`/v2/${repo.path}/manifests/v1`);
      assert.equal(staying.headers.warning, undefined);
      const events = await rows<{ body: string }>(
        `SELECT body FROM events WHERE type = 'registry.tag.expiring.v1' AND subject = '${repo.uid}'`,
      );
      assert.equal(events.length, 1);
      const body = JSON.parse(events[0]?.body ?? "");
      assert.deepEqual([body.tag, body.delete_time], ["old", deleteTime]);
      await retention.pass(2);
      assert.deepEqual(await retention.tags(repo), ["old", "v1"]);
      await retention.pass(4);
      assert.deepEqual(await retention.tags(repo), ["v1"]);
      const audit = await rows<{ actor_name: string }>(
        `SELECT actor_name FROM audit WHERE resource LIKE '${repo.uid}/%' AND method LIKE '%/DeleteTag'`,
      );
      const folder = repo.path.slice(0, -"/app".length);
      const actors = audit.map((one) => one.actor_name);
      assert.deepEqual(actors, [`retention policy of ${folder}`]);
    });

    test("a push postpones the announced deletion, and says until when", async () => {
      const repo = await retention.repo();
      const { bytes } = await push(repo, "old");
      await retention.policy(repo.folder, { ...keep({ tags: ["v*"] }), announceDays: 3 });
      await retention.pass(-2);
      const answer = await retention.client.putManifest(repo.path, "old", bytes);
      assert.match(answer.headers.warning ?? "", /^299 - "the tag old will be deleted at/);
      await retention.pass(2);
      assert.deepEqual(await retention.tags(repo), ["old"]);
      await retention.pass(4);
      assert.deepEqual(await retention.tags(repo), []);
    });

    test("what keeps a tag between evaluation and deletion keeps it", async () => {
      const repo = await retention.repo();
      const charts = [{ repo: "oci://charts.example.com/app" }];
      const changes: Record<
        string,
        (image: { digest: string; bytes: Buffer }) => Promise<unknown>
      > = {
        push: ({ bytes }) => retention.client.putManifest(repo.path, "push", bytes),
        move: () => push(repo, "move", "another image"),
        pull: ({ digest }) => pull(repo, "pull", digest),
        protect: () =>
          retention.api.tagRules.create(repo.uid, {
            name: "x",
            tags: ["protect"],
            protected: true,
          }),
        deploy: () => retention.api.deployments.create(repo.uid, { charts }),
      };
      const policy = await retention.policy(
        repo.uid,
        keep(
          { pushedWithinDays: 5 },
          { pulledWithinDays: 5 },
          { tags: ["deploy"], deployed: true },
        ),
      );
      for (const [name, change] of Object.entries(changes)) {
        const image = await push(repo, name);
        // As if it was pushed long ago.
        const age = `UPDATE tag_history SET time = time - ${9 * DAY_MS}, seen = seen - ${9 * DAY_MS} WHERE repo = ? AND name = ?`;
        await retention.direct.store.write((tx) => tx.run(age, repo.uid, name));
        const { entries } = await retention.preview(repo.uid);
        assert.deepEqual(
          entries.map(({ tag }: Answer) => tag),
          [name],
        );
        const job = retention.job();
        await withPause(
          retention,
          () => job.pass(),
          () => change(image),
        );
        await job.stop();
        assert.ok((await retention.tags(repo)).includes(name), name);
        if (name === "deploy") await retention.api.deployments.delete(repo.uid);
      }
      assert.deepEqual(retention.errors, []);
      await retention.api.retentionPolicies.delete(policy.uid);
    });

    test("a tag stays that becomes one of the newest between evaluation and deletion", async () => {
      const repo = await retention.repo();
      for (const tag of ["old", "new"]) await push(repo, tag);
      await retention.policy(repo.uid, keep({ newest: 1 }));
      const job = retention.job();
      const path = `/v2/${repo.path}/manifests/new`;
      const change = () => retention.client.send("DELETE", path);
      await withPause(retention, () => job.pass(), change);
      await job.stop();
      assert.deepEqual(await retention.tags(repo), ["old"]);
    });

    test("an announcement is revoked once a rule keeps the tag again", async () => {
      const repo = await retention.repo();
      const { digest } = await push(repo, "old");
      await retention.policy(repo.uid, { ...keep({ pulledWithinDays: 9 }), announceDays: 3 });
      await retention.pass();
      assert.deepEqual(await expiring(repo), ["old"]);
      await pull(repo, "old", digest);
      await retention.pass();
      assert.deepEqual(await expiring(repo), []);
      assert.equal((await retention.tag(repo, "old")).deleteTime, undefined);
    });

    test("images without a tag go later, with what belongs to them, and parts with their index", async () => {
      const repo = await retention.repo();
      const { client } = retention;
      const [old, part] = [await push(repo, "old"), await push(repo, "part")];
      const manifests = [{ mediaType: MANIFEST, digest: part.digest, size: part.bytes.length }];
      const index = { schemaVersion: 2, mediaType: INDEX, manifests };
      await client.putManifest(repo.path, "v1", index, INDEX);
      const attached = async (note: string, subject: string, reference?: string) => {
        const body = {
          ...(await client.manifestOf(repo.path, note)),
          subject: { mediaType: MANIFEST, digest: subject, size: 1 },
        };
        const digest = sha256(JSON.stringify(body));
        await client.putManifest(repo.path, reference ?? digest, body);
        return digest;
      };
      const sbom = await attached("sbom", old.digest);
      const ofSbom = await attached("signature of the sbom", sbom);
      const partSbom = await attached("sbom of a part", part.digest);
      const sigTag = `${old.digest.replace(":", "-")}.sig`;
      const signature = await push(repo, sigTag, "signature");
      await retention.policy(repo.uid, {
        ...keep({ tags: ["v*"] }),
        untaggedDays: 10,
        restoreDays: 2,
      });
      const going = [old.digest, sbom, ofSbom, signature.digest].sort();
      await retention.pass(1);
      assert.deepEqual(await retention.tags(repo), [sigTag, "v1"]);
      await retention.pass(2);
      await retention.pass(11);
      assert.deepEqual(await retention.tags(repo), [sigTag, "v1"]);
      const { entries } = await retention.preview(repo.uid);
      const previewed = entries
        .filter(({ tag }: Answer) => !tag)
        .map(({ digest }: Answer) => digest);
      assert.deepEqual(previewed, going);
      await retention.pass(13);
      assert.deepEqual(await retention.tags(repo), ["v1"]);
      const left = await retention.digests(repo);
      assert.ok(left.includes(part.digest) && left.includes(partSbom));
      assert.deepEqual(
        going.filter((one) => left.includes(one)),
        [],
      );
      assert.equal((await client.get(`/v2/${repo.path}/manifests/v1`)).status, 200);
      const [entry] = await rows<{ detail: string }>(
        `SELECT detail FROM audit WHERE resource = '${repo.uid}' AND method = 'retention delete'`,
      );
      assert.deepEqual(JSON.parse(entry?.detail ?? "{}").digests.sort(), going);
    });

    test("two processes delete each tag once", async () => {
      const repo = await retention.repo();
      for (let at = 0; at < 20; at++) await push(repo, `t${at}`, "same");
      await retention.policy(repo.uid, keep({ newest: 1 }));
      const jobs = [retention.job(), retention.job(), retention.job()];
      await Promise.all(jobs.map((job) => job.pass(Date.now() + DAY_MS)));
      await Promise.all(jobs.map((job) => job.stop()));
      assert.equal((await retention.tags(repo)).length, 1);
      const deletions = await rows(
        `SELECT 1 FROM audit WHERE resource LIKE '${repo.uid}/%' AND method LIKE '%/DeleteTag'`,
      );
      assert.equal(deletions.length, 19);
    });

    test("the preview counts a blob when its last reference goes, and only what the caller may see", async () => {
      const [one, two] = [await retention.repo(), await retention.repo()];
      const shared = "shared layer".repeat(100);
      await push(one, "old", shared);
      await push(two, "old", shared);
      const alone = await push(one, "v1", "kept");
      await push(one, "gone", "freed");
      const retentionPolicy = { ...keep({ tags: ["v*"] }), untaggedDays: 1 };
      const { summary, entries } = await retention.preview(one.uid, { retentionPolicy });
      const config = (note: string) =>
        JSON.stringify({ architecture: "amd64", os: "linux", note }).length;
      const freed = "freed".length + config("freed");
      assert.equal(Number(summary.freedBytes), freed);
      assert.deepEqual([Number(summary.tags), Number(summary.deletedTags)], [3, 2]);
      assert.ok(!entries.some(({ digest }: Answer) => digest === alone.digest));
      const { token } = await world.member({ [one.folder]: "viewer" });
      const seen = await retention.preview(one.uid, { retentionPolicy }, retention.api.as(token));
      // Of other folders, the viewer knows nothing, not even by a digest.
      assert.equal(Number(seen.summary.freedBytes), freed + shared.length + config(shared));
      const withImages = { ...retentionPolicy, untaggedDays: 0 };
      assert.equal(
        Number(
          (await retention.preview(one.uid, { retentionPolicy: withImages })).summary.freedBytes ??
            0,
        ),
        0,
      );
      await retention.pass(100);
      assert.equal((await retention.tags(one)).length, 3);
    });

    test("policies, previews and deleted tags are for those who may see and change them", async () => {
      const repo = await retention.repo();
      await push(repo, "1.0");
      await retention.client.send("DELETE", `/v2/${repo.path}/manifests/1.0`);
      const pusher = await world.member({ [repo.folder]: "registry.pull" });
      const foreigner = await world.member({ [await world.organization()]: "owner" });
      const uid = repo.folder;
      await retention.policy(uid, keep({ tags: ["*"] }));
      for (const { token } of [pusher, foreigner]) {
        const { retentionPolicies } = retention.api.as(token);
        await rejectedWith(7, retentionPolicies.create(repo.uid, {}));
        await rejectedWith(7, retentionPolicies.get(uid));
        await rejectedWith(7, retentionPolicies.update(uid, { announceDays: 1 }));
        await rejectedWith(7, retentionPolicies.delete(uid));
        await rejectedWith(7, retentionPolicies.previewRetention({ uid }));
        const { retentionPolicies: listed = [] } = await retentionPolicies.list({});
        assert.ok(!listed.some((one: Answer) => one.uid === uid));
      }
      const viewer = retention.api.as((await world.member({ [uid]: "viewer" })).token);
      assert.equal((await viewer.retentionPolicies.get(uid)).uid, uid);
      await rejectedWith(7, viewer.retentionPolicies.delete(uid));
      await rejectedWith(7, viewer.deletedTags.restoreTag({ repoUid: repo.uid, name: "1.0" }));
      const stranger = retention.api.as(foreigner.token);
      await rejectedWith(7, stranger.deletedTags.listDeletedTags({ repoUid: repo.uid }));
      await rejectedWith(
        5,
        retention.api.retentionPolicies.previewRetention({ uid: "f".repeat(40) }),
      );
      await rejectedWith(6, retention.api.retentionPolicies.create(uid, {}));
      for (const wrong of [
        { announceDays: 91 },
        { untaggedDays: -1 },
        keep({ newest: 1_001 }),
        keep({ pulledBy: [repo.uid] }),
        keep({ tags: ["a b"] }),
      ]) {
        await rejectedWith(3, retention.api.retentionPolicies.create(repo.uid, wrong));
        await rejectedWith(
          3,
          retention.api.retentionPolicies.previewRetention({ uid, retentionPolicy: wrong }),
        );
      }
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);

/** Runs a job whose first transaction on tags waits until a change has happened. */
async function withPause(
  { direct }: Retention,
  run: () => Promise<unknown>,
  change: () => Promise<unknown>,
): Promise<void> {
  const { store } = direct;
  const write = store.write;
  let writes = 0;
  store.write = async function pausing<T>(
    this: typeof store,
    work: Parameters<typeof write<T>>[0],
  ) {
    writes += 1;
    // The first one takes the lease, the second deletes.
    if (writes === 2) await change();
    return write.call(this, work) as Promise<T>;
  } as typeof write;
  try {
    await run();
  } finally {
    store.write = write;
  }
}

async function rejectedWith(code: number, call: Promise<unknown>): Promise<void> {
  assert.equal((await rejected(call)).code, code);
}
