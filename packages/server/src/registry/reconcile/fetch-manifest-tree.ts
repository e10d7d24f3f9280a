import type { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Reader } from "../../store/db/connection.ts";
import { findManifest, type Manifest } from "../../store/tables/manifests.ts";
import { unlessOdd } from "../client/protocol-error.ts";
import type { RemoteManifest, RemoteRegistry } from "../client/remote.ts";
import { architectureOf, readManifest } from "../images/manifest.ts";

/** Indexes may name indexes; nobody nests them deeper. */
const DEEPEST = 3;

/** An index that names more than this is known by what it says of them. */
export const MOST_CHILDREN = 256;

/** Where to look, and what is known there. */
export interface Sight {
  readonly remote: RemoteRegistry;
  readonly path: string;
  readonly reader: Reader;
  /** The uid of the repo; undefined while there is none, and so nothing known. */
  readonly repo: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Manifests that were read already, by digest. */
  readonly inHand?: ReadonlyMap<string, RemoteManifest>;
  /** Architectures that were read already, by the digest of the configuration that tells them. */
  readonly architectures?: BoundedCache<string, string>;
}

/** Architectures cached during a reconcile pass. */
export const MAX_CACHED_ARCHITECTURES = 10_000;

/**
 * What there is to know of a manifest and, of an index, of all that it names: from the registry
 * where it is not known. Nothing for what the registry does not have.
 *
 * @example const facts = await lookAt(sight, digest, notice.time);
 */
export function lookAt(sight: Sight, digest: string, pushed: number): Promise<Facts[]> {
  return lookInto(sight, digest, pushed, 0, new Set([digest]));
}

type Facts = Omit<Manifest, "pulled">;

async function lookInto(
  sight: Sight,
  digest: string,
  pushed: number,
  depth: number,
  /** Named so far: an index may name the same a hundred times, and be named so itself. */
  named: Set<string>,
): Promise<Facts[]> {
  const { remote, path, reader, repo, signal } = sight;
  const known = repo === undefined ? undefined : await findManifest(reader, repo, digest);
  if (known !== undefined) return depth > 0 ? [] : [{ ...known, pushed }];
  const found = sight.inHand?.get(digest) ?? (await remote.manifest(path, digest, signal));
  if (found === undefined) return [];
  const { hasImageConfig, ...said } = read(found.bytes, found.contentType);
  const told = hasImageConfig ? await toldArchitecture(sight, said.configDigest) : undefined;
  const architecture = told ?? said.architecture;
  const children = (depth < DEEPEST ? said.children.slice(0, MOST_CHILDREN) : [])
    .map((child) => child.digest)
    .filter((child) => !named.has(child) && named.add(child));
  const below = await Promise.all(
    children.map((child) => unlessOdd(lookInto(sight, child, pushed, depth + 1, named), [])),
  );
  return [{ ...said, architecture, digest, pushed }, ...below.flat()];
}

/** What the configuration of an image says. The same image is often in many repositories. */
async function toldArchitecture(sight: Sight, digest: string): Promise<string | undefined> {
  const { remote, path, signal, architectures } = sight;
  const known = architectures?.get(digest);
  if (known !== undefined) return known;
  const config = await unlessOdd(remote.config(path, digest, signal), undefined);
  if (config === undefined) return undefined;
  const architecture = readArchitecture(config);
  architectures?.set(digest, architecture);
  return architecture;
}

/** What cannot be read is something that a registry keeps, of which no more is known. */
function read(bytes: Uint8Array, contentType: string): ReturnType<typeof readManifest> {
  try {
    return readManifest(bytes, contentType);
  } catch {
    return readManifest(Buffer.from("{}"), contentType);
  }
}

function readArchitecture(config: Uint8Array): string {
  try {
    return architectureOf(config);
  } catch {
    return "";
  }
}
