import { locationsOf, type RegistryLocation } from "../../store/tables/registry/locations.ts";
import { knownDigests, type Manifest } from "../../store/tables/registry/manifests.ts";
import { knownTags, tagsNamed } from "../../store/tables/registry/tags.ts";
import { fallbackOnProtocolError } from "../client/protocol-error.ts";
import type { RemoteManifest } from "../client/remote.ts";
import { ensureRepoForPath } from "../ingest/ensure-repo-for-path.ts";
import { recordRemoteManifests, removeManifest } from "../ingest/manifest-state.ts";
import { systemMutation } from "../ingest/system-mutation.ts";
import { recordTag, removeTag } from "../ingest/tag-state.ts";
import { fetchManifestTree } from "./fetch-manifest-tree.ts";
import type { Findings, RepoReconciliation } from "./reconcile-repo.ts";

/** Stored tags compared with the registry's list at a time. */
const PAGE_SIZE = 1_000;

/** Larger manifests are fetched again when they are stored: a batch of them would fill the memory. */
const MAX_PREFETCHED_BYTES = 64 * 1024;

/** In place of a digest: the registry did not answer. */
const UNKNOWN_DIGEST = "";

interface TagDigest {
  readonly name: string;
  readonly digest: string;
}

type FetchedManifest = Omit<Manifest, "pulled">;

/**
 * Reconciles a batch of tags that the registry lists. The rule, for each tag:
 *
 * 1. The registry says which digest the tag has. A tag that cannot be read is skipped and logged; one
 *    deleted since the list was read is left to the next pass.
 * 2. A tag that is not stored, or stored with another digest, is written. Exception: a repo may have
 *    several locations, and their tags may differ. While another location has the stored digest, or
 *    does not answer, the stored digest stays.
 * 3. Manifests that are not stored are fetched, with everything an index refers to.
 * 4. Tags, manifests and a new location are written in one transaction.
 *
 * Returns the uid of the repo, created if necessary; undefined if the path no longer resolves.
 */
export async function reconcileTags(
  reconciliation: RepoReconciliation,
  names: readonly string[],
  findings: Findings,
): Promise<string | undefined> {
  const { store, repo, isLocationStored } = reconciliation;
  const { reader } = store;
  const stored: ReadonlyMap<string, string> =
    repo === undefined ? new Map() : await tagsNamed(reader, repo, names);
  const { tags, prefetched } = await fetchTags(reconciliation, names, stored);
  const changed = await changedTags(reconciliation, tags, stored);
  const manifests = await fetchMissingManifests(reconciliation, tags, prefetched);
  findings.manifests += manifests.length;
  findings.same += tags.length - changed.length;
  if (isLocationStored && changed.length === 0 && manifests.length === 0) return repo;
  return writeTags(reconciliation, changed, manifests, findings);
}

/** Step 1: the digests that the tags have in the registry, and the manifests read on the way. */
async function fetchTags(
  reconciliation: RepoReconciliation,
  names: readonly string[],
  stored: ReadonlyMap<string, string>,
): Promise<{ tags: TagDigest[]; prefetched: Map<string, RemoteManifest> }> {
  const { remote, path, signal } = reconciliation;
  const prefetched = new Map<string, RemoteManifest>();
  const digestOf = async (name: string) => {
    if (stored.has(name)) return remote.digestOf(path, name, signal);
    // The manifest of a new tag is mostly new as well: one request gets both.
    const manifest = await remote.manifest(path, name, signal);
    if (manifest !== undefined && manifest.bytes.length <= MAX_PREFETCHED_BYTES) {
      prefetched.set(manifest.digest, manifest);
    }
    return manifest?.digest;
  };
  const found = await Promise.all(
    names.map(async (name) => {
      const fetched = digestOf(name);
      const logged = skipLogger(reconciliation, name);
      return { name, digest: await fallbackOnProtocolError(fetched, undefined, logged) };
    }),
  );
  const isFound = (tag: (typeof found)[number]): tag is TagDigest => tag.digest !== undefined;
  return { tags: found.filter(isFound), prefetched };
}

/** Step 2: the tags to write. */
async function changedTags(
  reconciliation: RepoReconciliation,
  tags: readonly TagDigest[],
  stored: ReadonlyMap<string, string>,
): Promise<TagDigest[]> {
  const changed: TagDigest[] = [];
  for (const tag of tags) {
    const digest = stored.get(tag.name);
    if (digest === tag.digest) continue;
    if (digest !== undefined) {
      const others = await otherLocations(reconciliation);
      const elsewhere = await digestsAt(reconciliation, others, tag.name);
      if (elsewhere.includes(digest) || elsewhere.includes(UNKNOWN_DIGEST)) continue;
    }
    changed.push(tag);
  }
  return changed;
}

/** Step 3: the manifests that are not stored. Indexes may share children, so each is listed once. */
async function fetchMissingManifests(
  reconciliation: RepoReconciliation,
  tags: readonly TagDigest[],
  prefetched: ReadonlyMap<string, RemoteManifest>,
): Promise<FetchedManifest[]> {
  const { store, remote, path, repo, architectures, time, signal } = reconciliation;
  const { reader } = store;
  const digests = [...new Set(tags.map(({ digest }) => digest))];
  const stored = repo === undefined ? new Set<string>() : await knownDigests(reader, repo, digests);
  const context = { remote, path, reader, repo, signal, prefetched, architectures };
  const trees = await Promise.all(
    digests
      .filter((digest) => !stored.has(digest))
      .map((digest) => {
        const tree = fetchManifestTree(context, digest, time);
        return fallbackOnProtocolError(tree, [], skipLogger(reconciliation, digest));
      }),
  );
  const byDigest = new Map(trees.flat().map((manifest) => [manifest.digest, manifest]));
  return [...byDigest.values()];
}

/** Step 4: the transaction. */
async function writeTags(
  reconciliation: RepoReconciliation,
  changed: readonly TagDigest[],
  manifests: readonly FetchedManifest[],
  findings: Findings,
): Promise<string | undefined> {
  const { store, remote, path, time, origin } = reconciliation;
  const { uid, outcomes } = await store.write(async (tx) => {
    const ensured = await ensureRepoForPath(reconciliation, tx, remote.host, path, origin);
    if (ensured === undefined) return { uid: undefined, outcomes: [] };
    const mutation = systemMutation(reconciliation, tx, "tag", origin);
    await recordRemoteManifests(mutation, ensured.uid, manifests);
    const recorded: string[] = [];
    for (const tag of changed) {
      recorded.push((await recordTag(mutation, ensured.uid, { ...tag, time })).outcome);
    }
    return { uid: ensured.uid, outcomes: recorded };
  });
  for (const outcome of outcomes) {
    if (outcome === "created" || outcome === "moved") findings[outcome]++;
    else findings.same++;
  }
  return uid;
}

type WithRepo = RepoReconciliation & { readonly repo: string };

/**
 * Removes the stored tags that no location of the repo has any more. The manifest of a removed tag is
 * removed too, if the registry has deleted it and the repo has no other location.
 */
export async function removeGoneTags(reconciliation: WithRepo, findings: Findings): Promise<void> {
  const { store, names, repo } = reconciliation;
  for (let last: string | undefined = ""; last !== undefined; ) {
    const page = await knownTags(store.reader, repo, last, PAGE_SIZE);
    last = page.at(-1)?.name;
    const gone = page.filter(({ name }) => !names.has(name));
    // Read after the tags: a new location is written in one transaction with its tags.
    const others = gone.length === 0 ? [] : await otherLocations(reconciliation);
    for (const tag of gone) {
      if ((await digestsAt(reconciliation, others, tag.name)).length > 0) continue;
      if (await removeGoneTag(reconciliation, tag, others.length > 0)) findings.removed++;
    }
  }
}

async function removeGoneTag(
  reconciliation: WithRepo,
  { name, digest }: TagDigest,
  hasOtherLocations: boolean,
): Promise<boolean> {
  const { store, remote, path, repo, time, signal, origin } = reconciliation;
  const keepsManifest =
    hasOtherLocations || (await remote.digestOf(path, digest, signal)) !== undefined;
  return store.write(async (tx) => {
    const mutation = systemMutation(reconciliation, tx, "tagDeletion", origin);
    const removed = await removeTag(mutation, repo, name, time);
    if (!keepsManifest) await removeManifest(mutation, repo, digest, time);
    return removed;
  });
}

/** The locations of the repo besides the one that is being reconciled. */
async function otherLocations(reconciliation: RepoReconciliation): Promise<RegistryLocation[]> {
  const { store, remote, path, repo } = reconciliation;
  const locations = repo === undefined ? [] : await locationsOf(store.reader, repo);
  return locations.filter((one) => one.host !== remote.host || one.path !== path);
}

/** The digests that a tag has at these locations; UNKNOWN_DIGEST for a registry that fails. */
async function digestsAt(
  { remotes, signal }: RepoReconciliation,
  locations: readonly RegistryLocation[],
  name: string,
): Promise<string[]> {
  const digests = locations.map(({ host, path }) =>
    remotes
      .get(host)
      ?.digestOf(path, name, signal)
      .catch(() => {
        signal.throwIfAborted();
        return UNKNOWN_DIGEST;
      }),
  );
  return (await Promise.all(digests)).filter((digest) => digest !== undefined);
}

/** Logs a tag or manifest that is skipped, because the registry answers with a protocol error. */
function skipLogger(
  { log, remote, path }: RepoReconciliation,
  reference: string,
): (error: Error) => void {
  const { host } = remote;
  return ({ message: reason }) =>
    log.warn({ host, repository: path, reference, reason }, "tag or manifest skipped");
}
