import type { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Reader } from "../../store/db/connection.ts";
import { findManifest, type Manifest } from "../../store/tables/registry/manifests.ts";
import { fallbackOnProtocolError } from "../client/protocol-error.ts";
import type { RegistryContents, RemoteManifest } from "../client/remote.ts";
import { architectureOf, MAX_CHILDREN, readManifest } from "../images/manifest.ts";

/** An index may refer to indexes; deeper nesting is not followed. */
const MAX_DEPTH = 3;

export const MAX_CACHED_ARCHITECTURES = 10_000;

/** The source of manifests, and those that are stored or fetched already. */
export interface FetchContext {
  readonly remote: RegistryContents;
  readonly path: string;
  readonly reader: Reader;
  /** The uid of the repo; undefined if it does not exist yet, so that nothing is stored. */
  readonly repo: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Manifests fetched before, by digest. */
  readonly prefetched?: ReadonlyMap<string, RemoteManifest>;
  /** Architectures read before, by digest of the image configuration. */
  readonly architectures?: BoundedCache<string, string>;
}

type FetchedManifest = Omit<Manifest, "pulled">;

/**
 * Fetches the metadata of a manifest and, for an index, of everything it refers to. Stored children
 * are not fetched again. Empty if the registry does not have the manifest.
 */
export function fetchManifestTree(
  context: FetchContext,
  digest: string,
  pushed: number,
): Promise<FetchedManifest[]> {
  return fetchNode(context, digest, pushed, 0, new Set([digest]));
}

async function fetchNode(
  context: FetchContext,
  digest: string,
  pushed: number,
  depth: number,
  /** Digests visited: an index may refer to a child repeatedly, or to itself. */
  visited: Set<string>,
): Promise<FetchedManifest[]> {
  const { remote, path, reader, repo, signal } = context;
  const stored = repo === undefined ? undefined : await findManifest(reader, repo, digest);
  if (stored !== undefined) return depth > 0 ? [] : [{ ...stored, pushed }];
  const found = context.prefetched?.get(digest) ?? (await remote.manifest(path, digest, signal));
  if (found === undefined) return [];
  const { hasImageConfig, ...manifest } = parseManifest(found.bytes, found.contentType);
  const configured = hasImageConfig
    ? await architectureFromConfig(context, manifest.configDigest)
    : undefined;
  const architecture = configured ?? manifest.architecture;
  const children = (depth < MAX_DEPTH ? manifest.children.slice(0, MAX_CHILDREN) : [])
    .map((child) => child.digest)
    .filter((child) => !visited.has(child) && visited.add(child));
  const descendants = await Promise.all(
    children.map((child) =>
      fallbackOnProtocolError(fetchNode(context, child, pushed, depth + 1, visited), []),
    ),
  );
  return [{ ...manifest, architecture, digest, pushed }, ...descendants.flat()];
}

/** The architecture that an image configuration names; cached, as repositories share images. */
async function architectureFromConfig(
  context: FetchContext,
  digest: string,
): Promise<string | undefined> {
  const { remote, path, signal, architectures } = context;
  const cached = architectures?.get(digest);
  if (cached !== undefined) return cached;
  const config = await fallbackOnProtocolError(remote.config(path, digest, signal), undefined);
  if (config === undefined) return undefined;
  const architecture = parseArchitecture(config);
  architectures?.set(digest, architecture);
  return architecture;
}

/** A manifest that cannot be parsed is stored without metadata: the registry accepted it. */
function parseManifest(bytes: Uint8Array, contentType: string): ReturnType<typeof readManifest> {
  try {
    return readManifest(bytes, contentType);
  } catch {
    return readManifest(Buffer.from("{}"), contentType);
  }
}

function parseArchitecture(config: Uint8Array): string {
  try {
    return architectureOf(config);
  } catch {
    return "";
  }
}
