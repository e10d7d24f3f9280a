import { knownDigests } from "../../store/tables/manifests.ts";
import { locationsOf, type RegistryLocation } from "../../store/tables/registry-locations.ts";
import { knownTags, tagsNamed } from "../../store/tables/tags.ts";
import { unlessOdd } from "../client/protocol-error.ts";
import type { RemoteManifest } from "../client/remote.ts";
import { placeRepo } from "../ingest/ensure-repo-for-path.ts";
import { recordManifest, removeManifest } from "../ingest/manifest-state.ts";
import { changeFor } from "../ingest/system-mutation.ts";
import { recordTag, removeTag } from "../ingest/tag-state.ts";
import { lookAt } from "./fetch-manifest-tree.ts";
import type { Findings, Sighted } from "./reconcile-repo.ts";

/** Known tags compared at a time. */
const PAGE = 1_000;

/** Larger ones are read again when their turn comes: there may be many. */
const MOST_IN_HAND = 64 * 1024;

/**
 * Looks what some tags of a repository stand for, and writes what is news. Returns the uid of the
 * repo, made where there was none; undefined where it stands for nothing any more.
 *
 * @example const repo = await reconcileTags(sighted, ["latest", "1.0"], findings);
 */
export async function reconcileTags(
  sighted: Sighted,
  names: readonly string[],
  findings: Findings,
): Promise<string | undefined> {
  const { engine, remote, path, repo, isSettled, architectures, time, signal, occasion } = sighted;
  const { reader } = engine.store;
  const before =
    repo === undefined ? new Map<string, string>() : await tagsNamed(reader, repo, names);
  const inHand = new Map<string, RemoteManifest>();
  const standsFor = async (name: string) => {
    if (before.has(name)) return remote.digestOf(path, name, signal);
    // Of a tag that is not known, the manifest is mostly not known either: one question does.
    const manifest = await remote.manifest(path, name, signal);
    if (manifest && manifest.bytes.length <= MOST_IN_HAND) inHand.set(manifest.digest, manifest);
    return manifest?.digest;
  };
  const asked = names.map(async (name) => ({
    name,
    digest: await unlessOdd(standsFor(name), undefined, passedOver(sighted, name)),
  }));
  // One that is gone by now is found to be gone the next time.
  const found = (await Promise.all(asked)).filter(isThere);
  const news: Tag[] = [];
  for (const tag of found) {
    const known = before.get(tag.name);
    if (known === tag.digest) continue;
    if (known !== undefined) {
      const there = await elsewhere(sighted, await otherPlaces(sighted), tag.name);
      if (there.includes(known) || there.includes(NOT_TOLD)) continue;
    }
    news.push(tag);
  }
  const digests = [...new Set(found.map(({ digest }) => digest))];
  const known = repo === undefined ? new Set<string>() : await knownDigests(reader, repo, digests);
  const unknown = digests.filter((digest) => !known.has(digest));
  const sight = { remote, path, reader, repo, signal, inHand, architectures };
  const looked = await Promise.all(
    unknown.map((digest) =>
      unlessOdd(lookAt(sight, digest, time), [], passedOver(sighted, digest)),
    ),
  );
  // Indexes may share what they name.
  const facts = new Map(looked.flat().map((one) => [one.digest, one]));
  findings.manifests += facts.size;
  findings.same += found.length - news.length;
  if (isSettled && news.length === 0 && facts.size === 0) return repo;
  const { uid, outcomes } = await engine.store.write(async (tx) => {
    const placed =
      isSettled && repo !== undefined
        ? { uid: repo }
        : await placeRepo(engine, tx, remote.host, path, occasion);
    if (placed === undefined) return { uid: undefined, outcomes: [] };
    const change = changeFor(engine, tx, "tag", occasion);
    for (const one of facts.values()) await recordManifest(change, placed.uid, one);
    const done: string[] = [];
    for (const tag of news) {
      done.push((await recordTag(change, placed.uid, { ...tag, time })).outcome);
    }
    return { uid: placed.uid, outcomes: done };
  });
  for (const outcome of outcomes) {
    if (outcome === "created" || outcome === "moved") findings[outcome]++;
    else findings.same++;
  }
  return uid;
}

/**
 * Removes the tags that are in none of a repo's places any more, and what is known of their images
 * where the registry does not have these either.
 *
 * @example await removeGoneTags(sighted, findings);
 */
export async function removeGoneTags(sighted: Settled, findings: Findings): Promise<void> {
  const { engine, names, repo } = sighted;
  for (let last: string | undefined = ""; last !== undefined; ) {
    const page = await knownTags(engine.store.reader, repo, last, PAGE);
    last = page.at(-1)?.name;
    const gone = page.filter(({ name }) => !names.has(name));
    // Looked up after the tags: those of a new place come together with it.
    const others = gone.length === 0 ? [] : await otherPlaces(sighted);
    for (const tag of gone) {
      if ((await elsewhere(sighted, others, tag.name)).length > 0) continue;
      if (await removeOne(sighted, tag, others.length > 0)) findings.removed++;
    }
  }
}

async function removeOne(
  sighted: Settled,
  { name, digest }: Tag,
  mayBeElsewhere: boolean,
): Promise<boolean> {
  const { engine, remote, path, repo, time, signal, occasion } = sighted;
  const isKept = mayBeElsewhere || (await remote.digestOf(path, digest, signal)) !== undefined;
  return engine.store.write(async (tx) => {
    const change = changeFor(engine, tx, "tagDeletion", occasion);
    const removed = await removeTag(change, repo, name, time);
    if (!isKept) await removeManifest(change, repo, digest, time);
    return removed;
  });
}

type Settled = Sighted & { readonly repo: string };

interface Tag {
  readonly name: string;
  readonly digest: string;
}

function isThere(tag: { name: string; digest: string | undefined }): tag is Tag {
  return tag.digest !== undefined;
}

/** The other places that the repo is in. */
async function otherPlaces({ engine, remote, path, repo }: Sighted): Promise<RegistryLocation[]> {
  const places = repo === undefined ? [] : await locationsOf(engine.store.reader, repo);
  return places.filter((place) => place.host !== remote.host || place.path !== path);
}

/** In place of a digest where a registry does not answer: what is known of it stays. */
const NOT_TOLD = "";

/** What a tag stands for there. */
async function elsewhere(
  { remotes, signal }: Sighted,
  others: readonly RegistryLocation[],
  name: string,
): Promise<string[]> {
  const digests = others.map(({ host, path }) =>
    remotes
      .get(host)
      ?.digestOf(path, name, signal)
      .catch(() => {
        signal.throwIfAborted();
        return NOT_TOLD;
      }),
  );
  return (await Promise.all(digests)).filter((digest) => digest !== undefined);
}

/** Leaves in the log what a registry could not tell of something. */
function passedOver({ log, remote, path }: Sighted, what: string): (error: Error) => void {
  const { host } = remote;
  return ({ message: why }) => log.warn({ host, repository: path, what, why }, "passed over");
}
