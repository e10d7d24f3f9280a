import type { RetentionPolicy } from "@wharf/contract";
import { DAY_MS, restoreMs } from "./effective-policy.ts";
import { type Pausing, subjectOf } from "./evaluate-tags.ts";
import type { RepoState } from "./repo-state.ts";

/*
 * An image lives as long as a tag has it, or a deleted tag can get it back, or an index that lives lists it; what belongs to
 * an image (its signature, by subject or by the name of a tag) as long as the image. Others live for some days more.
 */

/** An image, or a tag that belongs to one, and when it is deleted at the earliest. */
export interface LapsedImage {
  readonly digest: string;
  readonly expires: number;
}

export interface ImageEvaluation {
  /** Images to delete, each after all that it belongs to. */
  readonly lapsed: readonly LapsedImage[];
  /** Images without a tag, and images that have one again, that are not marked accordingly. */
  readonly newlyUntagged: readonly string[];
  readonly newlyTagged: readonly string[];
}

/** Images between pauses. */
const STRIDE = 200;

/** @param going When the tags go that no rule keeps. */
export async function evaluateImages(
  policy: RetentionPolicy,
  state: RepoState,
  going: ReadonlyMap<string, number>,
  now: number,
  task: Pausing,
): Promise<ImageEvaluation> {
  const parts = await partsOf(state, task);
  const waits = policy.untaggedDays * DAY_MS;
  const afterTag = Math.max(waits, restoreMs(policy));
  const roots: LapsedImage[] = [];
  for (const { name, digest } of state.tags) {
    const expires = going.get(name);
    const isOwned = subjectOf(name) !== undefined && !state.rules.about("protected", name);
    if (!isOwned)
      roots.push({ digest, expires: expires === undefined ? Infinity : expires + afterTag });
  }
  const tagged = new Map<string, number>();
  await spread(roots, parts, tagged, task);
  const marks = { newlyUntagged: [] as string[], newlyTagged: [] as string[] };
  for (const [digest, expires] of state.restorable) roots.push({ digest, expires });
  for (const one of state.manifests.values()) {
    const { digest, untagged, pushed } = one;
    if (tagged.has(digest)) {
      if (untagged > 0) marks.newlyTagged.push(digest);
      continue;
    }
    if (untagged === 0) marks.newlyUntagged.push(digest);
    if (parts.owned.has(digest)) continue;
    roots.push({ digest, expires: Math.max(untagged || now, pushed) + waits });
  }
  const lives = new Map<string, number>();
  await spread(roots, parts, lives, task);
  return { ...marks, lapsed: await inOrder(lives, state, parts, task) };
}

interface Parts {
  /** The parts of each image, by its digest: they live as long as it. */
  readonly of: ReadonlyMap<string, readonly string[]>;
  /** Images that belong to a stored one, and live no longer than it by themselves. */
  readonly owned: ReadonlySet<string>;
}

async function partsOf({ tags, manifests }: RepoState, task: Pausing): Promise<Parts> {
  const of = new Map<string, string[]>();
  const owned = new Set<string>();
  const add = (whole: string, part: string) => {
    if (!manifests.has(whole)) return false;
    const parts = of.get(whole);
    if (parts === undefined) of.set(whole, [part]);
    else parts.push(part);
    return true;
  };
  let count = 0;
  for (const { digest, subject, children } of manifests.values()) {
    if (count++ % STRIDE === 0) await task.pause();
    for (const child of children) add(digest, child);
    if (subject !== "" && add(subject, digest)) owned.add(digest);
  }
  for (const { name, digest } of tags) {
    const subject = subjectOf(name);
    if (subject !== undefined && subject !== digest && add(subject, digest)) owned.add(digest);
  }
  return { of, owned };
}

/** Gives every image that the roots reach the latest time of those that reach it. */
async function spread(
  roots: LapsedImage[],
  { of }: Parts,
  lives: Map<string, number>,
  task: Pausing,
): Promise<void> {
  roots.sort((one, other) => (one.expires === other.expires ? 0 : other.expires - one.expires));
  let count = 0;
  for (const { digest: root, expires } of roots) {
    for (const reached = [root]; reached.length > 0; ) {
      const digest = reached.pop() as string;
      if (lives.has(digest)) continue;
      if (count++ % STRIDE === 0) await task.pause();
      lives.set(digest, expires);
      for (const part of of.get(digest) ?? []) reached.push(part);
    }
  }
}

/** The stored images that do not live for ever, each after those that it is a part of. */
async function inOrder(
  lives: ReadonlyMap<string, number>,
  { manifests }: RepoState,
  { of }: Parts,
  task: Pausing,
): Promise<LapsedImage[]> {
  const mortal = [...lives].filter(
    ([digest, expires]) => expires < Infinity && manifests.has(digest),
  );
  const wholes = new Map<string, number>();
  for (const [digest] of mortal)
    for (const part of of.get(digest) ?? []) wholes.set(part, (wholes.get(part) ?? 0) + 1);
  const ready = mortal.filter(([digest]) => !wholes.has(digest)).map(([digest]) => digest);
  const ordered: LapsedImage[] = [];
  for (const [at, digest] of ready.entries()) {
    if (at % STRIDE === 0) await task.pause();
    ordered.push({ digest, expires: lives.get(digest) ?? Infinity });
    for (const part of of.get(digest) ?? []) {
      const left = (wholes.get(part) ?? 0) - 1;
      wholes.set(part, left);
      if (left === 0 && manifests.has(part) && lives.get(part) !== Infinity) ready.push(part);
    }
  }
  return ordered;
}
