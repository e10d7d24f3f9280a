import { audit } from "../../engine/audit/audit.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  indexesListing,
  type ManifestState,
  manifestStates,
} from "../../store/tables/registry/manifests.ts";
import {
  digestsToRestore,
  type TagState,
  tagStates,
} from "../../store/tables/registry/retention.ts";
import { tagsOfDigests } from "../../store/tables/registry/tags.ts";
import { removeManifest } from "../ingest/manifest-state.ts";
import { removeTag } from "../ingest/tag-state.ts";
import { RepoTagRules } from "../tag-rules/enforcement.ts";
import { lockForRetention, originOf, type RepoRun } from "./delete-tags.ts";
import { DAY_MS } from "./effective-policy.ts";
import { subjectOf } from "./evaluate-tags.ts";

/** Holders of the images of a batch, by what the transaction sees. */
interface Holders {
  readonly tags: readonly TagState[];
  readonly restorable: ReadonlySet<string>;
  readonly indexes: Awaited<ReturnType<typeof indexesListing>>;
  readonly rules: RepoTagRules;
  /** The subjects of images and of tags that are stored. */
  readonly subjects: ReadonlySet<string>;
}

/**
 * Deletes images whose time has come and that nothing holds by now, with the tags that belong to them. Returns their number.
 * @param deleted The images that this run has deleted before, to which it adds.
 */
export async function deleteImages(
  deps: WriteDeps,
  tx: Transaction,
  run: RepoRun,
  digests: readonly string[],
  deleted: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { repo, policy, now } = run;
  const mutation = await lockForRetention(deps, tx, run);
  const states = await manifestStates(tx, repo, { digests });
  const images = new Map(states.map((one) => [one.digest, one]));
  const holders = await readHolders(deps, tx, repo, states, now);
  const gone = new Set(deleted);
  const before = gone.size;
  for (const digest of digests) {
    const image = images.get(digest);
    if (image === undefined || isHeld(image, holders, gone)) continue;
    const tags = holders.tags.filter((tag) => tag.digest === digest);
    const isOwned = [image.subject, ...tags.map(({ name }) => subjectOf(name))].some(
      (subject) => subject !== undefined && gone.has(subject),
    );
    const since = Math.max(image.untagged, image.pushed);
    if (!isOwned && (image.untagged === 0 || since + policy.untaggedDays * DAY_MS > now)) continue;
    const time = Math.max(now, image.pushed, ...tags.map(({ pushed }) => pushed));
    await removeManifest(mutation, repo, digest, time);
    gone.add(digest);
  }
  const removed = [...gone].slice(before);
  for (const { name, pushed, digest } of holders.tags) {
    const subject = subjectOf(name) ?? "";
    const isLeft =
      gone.has(subject) && !gone.has(digest) && !holders.rules.about("protected", name);
    if (isLeft) await removeTag(mutation, repo, name, Math.max(now, pushed));
  }
  if (removed.length === 0) return removed;
  const { actor, actorName } = originOf(run);
  const detail = { retentionPolicy: policy.uid, digests: removed };
  const entry = { action: "retention delete", resource: repo, type: "Repo", detail };
  await audit(tx, mutation.call, { ...entry, actor, actorName });
  return removed;
}

async function readHolders(
  { catalog }: WriteDeps,
  tx: Transaction,
  repo: string,
  images: readonly ManifestState[],
  now: number,
): Promise<Holders> {
  const digests = images.map(({ digest }) => digest);
  const named = (await tagsOfDigests(tx, repo, digests)).map(({ name }) => name);
  const tags = await tagStates(tx, repo, { names: [...named, ...digests.flatMap(tagsAbout)] });
  const subjects = [
    ...images.map(({ subject }) => subject),
    ...tags.map(({ name }) => subjectOf(name) ?? ""),
  ];
  const stored = await manifestStates(tx, repo, { digests: [...new Set(subjects)] });
  return {
    tags,
    restorable: await digestsToRestore(tx, repo, digests, now),
    indexes: await indexesListing(tx, repo, digests),
    rules: await RepoTagRules.read(catalog, tx, repo),
    subjects: new Set(stored.map(({ digest }) => digest)),
  };
}

/** The names of tags that belong to an image. */
function tagsAbout(digest: string): string[] {
  const name = digest.replace(":", "-");
  return subjectOf(name) === undefined
    ? []
    : ["", ".sig", ".att", ".sbom"].map((end) => name + end);
}

/** Whether a tag, a deleted tag, an index or a subject that is not gone holds an image. */
function isHeld(
  { digest, subject }: ManifestState,
  { tags, restorable, indexes, rules, subjects }: Holders,
  gone: ReadonlySet<string>,
): boolean {
  const lives = (one: string) => subjects.has(one) && !gone.has(one);
  if (restorable.has(digest) || lives(subject)) return true;
  if (indexes.some((one) => !gone.has(one.digest) && one.children.includes(digest))) return true;
  return tags.some((tag) => {
    if (tag.digest !== digest) return false;
    const about = subjectOf(tag.name);
    if (about === undefined || rules.about("protected", tag.name)) return true;
    return about !== digest && lives(about);
  });
}
