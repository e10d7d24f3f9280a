import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { OwnRegistry } from "../own-registry.ts";
import { type Bench, counted, type Row } from "../row.ts";
import { mustEqual } from "../verify.ts";

/** A hundredth of the tags: what each tag costs must not depend on how many there are. */
const FEW = 0.01;

/** Tags that the policy keeps. */
const NEWEST = 10;

const HOUR_MS = 3_600_000;

export function retentionRow({ sizes }: Options): Row {
  const few = sizes.medium * FEW;
  return {
    work: `preview retention of ${counted(sizes.medium)} tags of as many images, per ${counted(few)} tags`,
    reference: `the same of ${counted(few)} tags`,
    target: { atMost: 1.5 },

    async measure(bench) {
      await using all = await Repo.open(bench, sizes.medium);
      await using some = await Repo.open(bench, few);
      await all.preview();
      await some.preview();
      const times: number[] = [];
      const figures = await alternately(
        bench.options.rounds,
        () => some.preview(),
        async () => {
          const ms = await all.preview();
          times.push(ms);
          return ms * FEW;
        },
      );
      const seconds = (Math.max(...times) / 1_000).toFixed(1);
      return { unit: "ms", ...figures, notes: [`the longest preview took ${seconds} s`] };
    },
  };
}

/** A repo whose tags have images of their own, without content of their own. */
class Repo implements AsyncDisposable {
  readonly #registry: OwnRegistry;
  readonly #uid: string;
  readonly #count: number;

  private constructor(registry: OwnRegistry, uid: string, count: number) {
    this.#registry = registry;
    this.#uid = uid;
    this.#count = count;
  }

  static async open(bench: Bench, count: number): Promise<Repo> {
    const registry = await OwnRegistry.open(bench);
    await registry.pushImage(
      bench,
      "app",
      Array.from({ length: count }, (_, at) => `build-${at}`),
    );
    const { repos } = JSON.parse(await registry.server.rest("/registry/v2beta1/repos"));
    const { uid } = repos[0];
    using store = new DatabaseSync(join(registry.data, "wharf.db"));
    giveImages(store, uid, count);
    return new Repo(registry, uid, count);
  }

  /** The time of a preview that evaluates everything, in milliseconds. */
  async preview(): Promise<number> {
    const keep = [
      { name: "newest", newest: NEWEST },
      { name: "pulled", pulledWithinDays: 30 },
    ];
    const body = JSON.stringify({ retentionPolicy: { keep, untaggedDays: 7 } });
    const begun = performance.now();
    const path = `/registry/v2beta1/retentionPolicies/${this.#uid}:preview`;
    const { summary } = JSON.parse(await this.#registry.server.rest(path, body));
    const ms = performance.now() - begun;
    mustEqual(Number(summary.deletedTags), this.#count - NEWEST);
    return ms;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
  }
}

/** Gives each tag an image of its own, pushed one hour after the last, with the blobs of the pushed one. */
function giveImages(store: DatabaseSync, repo: string, count: number): void {
  const digestOf = (name: string) => `sha256:${hash("sha256", name)}`;
  store.function("digest_of", { deterministic: true }, (name) => digestOf(String(name)));
  const since = Date.now() - count * HOUR_MS;
  store.exec("BEGIN");
  store.exec(`INSERT INTO manifests (repo, digest, media_type, kind, architecture, size, children, subject,
      config_digest, pushed, pulled, content)
    SELECT repo, digest_of(name), media_type, kind, architecture, size, children, subject, config_digest,
      pushed, pulled, content FROM manifests, (SELECT name FROM tags) WHERE repo = '${repo}'`);
  store.exec(`INSERT INTO manifest_references (repo, manifest, digest)
    SELECT repo, digest_of(name), digest FROM manifest_references, (SELECT name FROM tags)
    WHERE repo = '${repo}'`);
  store.exec("UPDATE tags SET digest = digest_of(name)");
  store.exec(`UPDATE tag_history SET digest = digest_of(name), time = ${since} + id * ${HOUR_MS},
    seen = ${since} + id * ${HOUR_MS}`);
  store.exec("COMMIT");
}
