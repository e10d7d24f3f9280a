import type { Readable } from "node:stream";
import { fallbackOnProtocolError } from "../../registry/client/protocol-error.ts";
import type { RemoteRegistry } from "../../registry/client/remote.ts";
import { isDigest } from "../../registry/images/manifest.ts";
import type { ContentStorage } from "../../registry/storage/content-storage.ts";
import type { Store } from "../../store/db/store.ts";
import { findBlob } from "../../store/tables/registry/blobs.ts";
import { locationsOf } from "../../store/tables/registry/locations.ts";
import { readManifestContent, readManifests } from "../../store/tables/registry/manifests.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import type { RegistryAvailability } from "./registry-availability.ts";

/** Attached manifests of one digest that are read. */
const MAX_REFERRERS = 200;

/** The repository of an image, in the registry that has it. */
export interface ImageContents {
  /** A manifest by tag or digest; undefined if it does not exist. */
  manifest(reference: string): Promise<Uint8Array | undefined>;
  /** A blob of at most so many bytes; undefined if it does not exist. */
  blob(digest: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** The digests of manifests that are attached to a digest, in their order, at most MAX_REFERRERS. */
  referrers(digest: string): Promise<readonly string[]>;
  /** Opens a layer; absent where layers are not read. */
  readonly layer?: (digest: string) => Promise<Readable | undefined>;
}

export interface ContentsDeps {
  readonly store: Store;
  readonly storage: ContentStorage | undefined;
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  readonly availability: RegistryAvailability;
  /** Whether packages are read from layers of images without SBOM. */
  readonly readsLayers: boolean;
}

/**
 * Opens the repository in which a manifest is: that of this server, or the first attached registry that has the manifest.
 * Undefined if none has it. Throws WorkPostponed if a registry that may have it cannot be reached.
 */
export async function openContents(
  deps: ContentsDeps,
  repo: string,
  digest: string,
  signal: AbortSignal,
): Promise<ImageContents | undefined> {
  const { store, storage, remotes, availability, readsLayers } = deps;
  const isOwn = (await readManifestContent(store.reader, repo, digest)) !== undefined;
  if (isOwn && storage !== undefined) return ownContents(store, storage, repo, readsLayers);
  for (const { host, path } of await locationsOf(store.reader, repo)) {
    const remote = remotes.get(host);
    if (remote === undefined) continue;
    const contents = remoteContents(remote, path, availability, signal);
    if ((await contents.manifest(digest)) !== undefined) return contents;
  }
  return undefined;
}

/** A repository of this server: its manifests are rows, by the uid of the repo, whatever its path is now. */
function ownContents(
  { reader }: Store,
  storage: ContentStorage,
  repo: string,
  readsLayers: boolean,
): ImageContents {
  const open = async (digest: string, maxBytes: number): Promise<Readable | undefined> => {
    const blob = await findBlob(reader, repo, digest);
    if (blob === undefined || blob.damaged > 0 || blob.size > maxBytes) return undefined;
    return storage.read(blob);
  };
  return {
    async manifest(reference) {
      const digest = isDigest(reference)
        ? reference
        : (await newestEntry(reader, repo, reference))?.digest;
      if (!digest) return undefined;
      return (await readManifestContent(reader, repo, digest))?.content;
    },
    async blob(digest, maxBytes) {
      const content = await open(digest, maxBytes);
      return content && Buffer.concat(await Array.fromAsync(content as AsyncIterable<Buffer>));
    },
    async referrers(digest) {
      const query = { subject: digest, limit: MAX_REFERRERS };
      const found = await readManifests(reader, repo, query);
      return found.map((one) => one.digest).sort();
    },
    ...(readsLayers && { layer: (digest: string) => open(digest, Number.POSITIVE_INFINITY) }),
  };
}

/** A repository of an attached registry. What it answers against the protocol is missing: a retry would get the same. */
function remoteContents(
  remote: RemoteRegistry,
  path: string,
  availability: RegistryAvailability,
  signal: AbortSignal,
): ImageContents {
  const ask = <T>(request: () => Promise<T | undefined>): Promise<T | undefined> =>
    availability.ask(remote.host, signal, () => fallbackOnProtocolError(request(), undefined));
  return {
    manifest: async (reference) =>
      (await ask(() => remote.manifest(path, reference, signal)))?.bytes,
    blob: (digest, maxBytes) => ask(() => remote.blob(path, digest, maxBytes, signal)),
    async referrers(digest) {
      const found: string[] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const target: string = next;
        const page = await ask(() => remote.referrers(path, digest, target, signal));
        found.push(...(page?.digests ?? []));
        next = found.length < MAX_REFERRERS ? page?.next : undefined;
      }
      return found.slice(0, MAX_REFERRERS).sort();
    },
  };
}
