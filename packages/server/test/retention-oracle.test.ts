/** Random repos and policies: retention deletes exactly what a naive evaluation of the rules says, and frees these bytes. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "./support/client/api-client.ts";
import { Random, SEED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { INDEX, MANIFEST, sha256 } from "./support/registry/oci-client.ts";
import { DAY_MS, type RetainedRepo, Retention } from "./support/registry/retention.ts";
import { onEachStore } from "./support/world/world.ts";

const NAMES = ["v1", "v2", "v10", "main", "main-1", "main-2", "dev", "stable", "old", "x"];
const PATTERNS = ["v*", "v?", "main*", "*-1", "dev", "stable", "*"];

interface Image {
  readonly digest: string;
  readonly blobs: readonly (readonly [digest: string, size: number])[];
  readonly children: readonly string[];
  readonly subject: string;
  pulled: number;
}

interface Model {
  readonly repo: RetainedRepo;
  readonly images: Map<string, Image>;
  readonly tags: Map<string, { digest: string; pushed: number }>;
  isDeployed: boolean;
}

interface Rule {
  readonly name: string;
  readonly tags: readonly string[];
  readonly newest?: number;
  readonly pushedWithinDays?: number;
  readonly pulledWithinDays?: number;
  readonly deployed?: boolean;
}

/** Tags that a rule of the group protects. */
const PROTECTED = /^stable$/;

const subjectOf = (tag: string) => {
  const found = /^sha256-([0-9a-f]{64})\.sig$/.exec(tag);
  return found ? `sha256:${found[1]}` : undefined;
};

const regexOf = (glob: string) =>
  new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`);

const matches = ({ tags }: Rule, tag: string) =>
  tags.length === 0 || tags.some((glob) => regexOf(glob).test(tag));

/** The ordinary tags that stay, by the words of the documentation. */
function keptTags(
  { tags, images, isDeployed }: Model,
  rules: readonly Rule[],
  now: number,
): Set<string> {
  const ordinary = [...tags].filter(([name]) => subjectOf(name) === undefined);
  const days = (count: number) => now - count * DAY_MS;
  const staying = ordinary.filter(([name, { digest, pushed }]) => {
    if (PROTECTED.test(name) || rules.length === 0) return true;
    return rules.some((rule) => {
      if (!matches(rule, name)) return false;
      const newer = ordinary.filter(
        ([other, { pushed: time }]) =>
          matches(rule, other) && (time > pushed || (time === pushed && other < name)),
      );
      if (rule.newest && newer.length >= rule.newest) return false;
      if (rule.pushedWithinDays && pushed < days(rule.pushedWithinDays)) return false;
      const parts = [digest, ...(images.get(digest)?.children ?? [])];
      const pulled = Math.max(...parts.map((one) => images.get(one)?.pulled ?? 0));
      if (rule.pulledWithinDays && pulled < days(rule.pulledWithinDays)) return false;
      return !rule.deployed || isDeployed;
    });
  });
  return new Set(staying.map(([name]) => name));
}

/** The images that live while these ordinary tags stay, found by looking again until nothing more lives. */
function livingImages({ tags, images }: Model, kept: ReadonlySet<string>): Set<string> {
  const living = new Set([...kept].map((name) => tags.get(name)?.digest ?? ""));
  for (let size = -1; size !== living.size; ) {
    size = living.size;
    for (const { digest, children, subject } of images.values()) {
      if (living.has(digest)) for (const child of children) living.add(child);
      if (living.has(subject)) living.add(digest);
    }
    for (const [name, { digest }] of tags)
      if (living.has(subjectOf(name) ?? "")) living.add(digest);
  }
  return living;
}

onEachStore(
  "retention of random repos",
  (world) => {
    let retention: Retention;
    before(async () => {
      retention = await Retention.open(world);
    });
    after(() => retention.close());

    /** Pushes random images, indexes, and what refers to them, under random tags of random ages. */
    async function pushed(
      random: Random,
      model: Model,
      contents: readonly string[],
    ): Promise<void> {
      const { client, direct } = retention;
      const { repo, images, tags } = model;
      const store = async (body: object, type: string, tag: string | undefined) => {
        const bytes = JSON.stringify(body);
        const digest = sha256(bytes);
        const { status } = await client.putManifest(repo.path, tag ?? digest, bytes, type);
        assert.equal(status, 201);
        if (tag !== undefined) tags.set(tag, { digest, pushed: 0 });
        return digest;
      };
      const add = (image: Omit<Image, "pulled">) => {
        images.set(image.digest, { ...image, pulled: images.get(image.digest)?.pulled ?? 0 });
      };
      for (let at = 0; at < 14; at++) {
        const digests = [...images.keys()];
        const tag = random.below(5) === 0 ? undefined : random.pick(NAMES);
        const kind = digests.length < 3 ? 0 : random.below(6);
        if (kind === 1) {
          const children = random.some(digests, 2);
          const manifests = children.map((digest) => ({ mediaType: MANIFEST, digest }));
          const index = { schemaVersion: 2, mediaType: INDEX, manifests, annotations: { at } };
          add({ digest: await store(index, INDEX, tag), blobs: [], children, subject: "" });
          continue;
        }
        const manifest = await client.manifestOf(repo.path, random.pick(contents));
        const [layer] = manifest.layers;
        const blobs = [manifest.config, layer].map(
          (one) => [one?.digest, one?.size] as [string, number],
        );
        const subject = kind === 2 ? random.pick(digests) : "";
        const attached = subject && { subject: { mediaType: MANIFEST, digest: subject, size: 1 } };
        const owner = kind === 3 ? random.pick(digests) : undefined;
        const name = owner === undefined ? tag : `${owner.replace(":", "-")}.sig`;
        const body = {
          ...manifest,
          ...attached,
          ...(kind > 1 && { annotations: { note: `${repo.uid} ${at}` } }),
        };
        const digest = await store(
          body,
          MANIFEST,
          kind === 2 && random.below(3) > 0 ? undefined : name,
        );
        add({ digest, blobs, children: [], subject });
      }
      const now = Date.now();
      await direct.store.write(async (tx) => {
        for (const [name, tag] of tags) {
          tag.pushed = now - random.below(20) * DAY_MS - random.below(1_000) * 1_000;
          const sql = "UPDATE tag_history SET time = id, seen = ? WHERE repo = ? AND name = ?";
          await tx.run(sql, tag.pushed, repo.uid, name);
        }
        for (const image of images.values()) {
          image.pulled = random.below(2) * (now - random.below(20) * DAY_MS);
          const sql = "UPDATE manifests SET pulled = ?, pushed = ? WHERE repo = ? AND digest = ?";
          await tx.run(sql, image.pulled, now - 20 * DAY_MS, repo.uid, image.digest);
        }
      });
    }

    function randomRules(random: Random): Rule[] {
      return Array.from({ length: 1 + random.below(3) }, (_, at) => {
        const rule = { name: `rule ${at}`, tags: random.some(PATTERNS, random.below(3)) };
        return {
          ...rule,
          ...(random.below(2) === 0 && { newest: 1 + random.below(3) }),
          ...(random.below(3) === 0 && { pushedWithinDays: 1 + random.below(15) }),
          ...(random.below(3) === 0 && { pulledWithinDays: 1 + random.below(15) }),
          ...(random.below(5) === 0 && { deployed: true }),
        };
      });
    }

    for (let run = 0; run < runs(4, 40); run++) {
      test(`run ${run}`, async () => {
        const random = new Random(SEED + run);
        const { api, client } = retention;
        const first = await retention.repo();
        const uid = (await api.repos.create(first.folder, { name: "other" })).uid;
        const repos = [first, { ...first, uid, path: first.path.replace(/app$/, "other") }];
        const contents = Array.from({ length: 8 }, (_, at) => `${first.path} ${at}`);
        const models: Model[] = [];
        for (const repo of repos) {
          const model = {
            repo,
            images: new Map(),
            tags: new Map(),
            isDeployed: random.below(2) === 0,
          };
          await pushed(random, model, contents);
          const charts = [{ repo: "oci://charts.example.com/app" }];
          if (model.isDeployed) await api.deployments.create(repo.uid, { charts });
          models.push(model);
        }
        const rule = { name: "stable", tags: ["stable"], protected: true };
        await api.tagRules.create(first.folder, rule);
        const keep = randomRules(random);
        const days = { untaggedDays: 2, restoreDays: 1 };
        await retention.policy(first.folder, { keep, ...days });
        const preview = await retention.preview(first.folder);

        await retention.pass();
        const now = Date.now();
        const expected = models.map((model) => keptTags(model, keep, now));
        for (const [at, { repo }] of models.entries()) {
          const ordinary = (await retention.tags(repo)).filter((name) => !subjectOf(name));
          assert.deepEqual(ordinary, [...(expected[at] ?? [])].sort(), JSON.stringify(keep));
        }
        // No rule keeps everything that is left, so that time passes only for images.
        await api.retentionPolicies.update(first.folder, { keep: [] });
        await retention.pass(0.1);
        await retention.pass(4);
        const needed = new Set<string>();
        const dead = new Map<string, number>();
        for (const [at, model] of models.entries()) {
          const living = livingImages(model, expected[at] ?? new Set());
          const stored = [...model.images.keys()].filter((digest) => living.has(digest)).sort();
          assert.deepEqual(await retention.digests(model.repo), stored);
          const previewed = preview.entries.filter((one: Answer) => one.repoUid === model.repo.uid);
          const gone = [...model.images.keys()].filter((digest) => !living.has(digest)).sort();
          assert.deepEqual(
            previewed.flatMap((one: Answer) => (one.tag ? [] : one.digest)),
            gone,
          );
          const left = await retention.tags(model.repo);
          const lost = [...model.tags.keys()].filter((name) => !left.includes(name)).sort();
          assert.deepEqual(previewed.flatMap((one: Answer) => one.tag || []).sort(), lost);
          for (const name of left) {
            assert.equal(
              (await client.get(`/v2/${model.repo.path}/manifests/${name}`)).status,
              200,
            );
            const subject = subjectOf(name);
            assert.ok(
              subject === undefined || living.has(subject),
              "a signature outlives its image",
            );
          }
          for (const { digest, blobs } of model.images.values())
            for (const [blob, size] of blobs)
              if (living.has(digest)) needed.add(blob);
              else dead.set(blob, size);
        }
        const freed = [...dead].filter(([blob]) => !needed.has(blob));
        const sum = freed.reduce((total, [, size]) => total + size, 0);
        assert.equal(Number(preview.summary.freedBytes ?? 0), sum);
      });
    }
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);
