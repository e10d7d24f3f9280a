import { ancestorsOf, depthOf, type Upstream } from "@wharf/contract";
import { matchesAny } from "@wharf/contract/glob";
import type { Catalog } from "../../engine/catalog.ts";
import type { Reader } from "../../store/db/connection.ts";
import { isDockerHub } from "../client/upstream-client.ts";
import type { ResolvedPath } from "../path.ts";

/** A repository here whose images come from an upstream. */
export interface Mirror {
  readonly upstream: Upstream;
  /** The name of the repository at the upstream. */
  readonly remoteName: string;
}

/** The mirror that a repository is by its nearest upstream; undefined if its images are its own. */
export async function findMirror(
  { upstreams }: Catalog,
  reader: Reader,
  { group, repo }: ResolvedPath,
  name: string,
): Promise<Mirror | undefined> {
  const nearestFirst = [...(repo === undefined ? [] : [repo]), group, ...ancestorsOf(group)];
  const found = await upstreams.findMany(reader, nearestFirst);
  const uid = nearestFirst.find((one) => found.has(one));
  const upstream = uid === undefined ? undefined : found.get(uid);
  if (upstream === undefined) return undefined;
  const remoteName = upstream.uid === repo ? upstream.path : remoteNameOf(upstream, name);
  return matchesAny(upstream.repositories, remoteName) ? { upstream, remoteName } : undefined;
}

/** The name at the upstream of a group: each segment of the group's uid is one of the path. */
function remoteNameOf(upstream: Upstream, name: string): string {
  const below = name.split("/").slice(depthOf(upstream.uid) + 1);
  const remoteName = [...(upstream.path === "" ? [] : [upstream.path]), ...below].join("/");
  return isDockerHub(upstream.url) && !remoteName.includes("/")
    ? `library/${remoteName}`
    : remoteName;
}

/** The path here of a repository of an upstream, which the path of its group or repo begins; undefined if it has none. */
export function localNameOf(
  upstream: Upstream,
  at: string,
  remoteName: string,
): string | undefined {
  if (upstream.path === "") return `${at}/${remoteName}`;
  const prefix = `${upstream.path}/`;
  return remoteName.startsWith(prefix) ? `${at}/${remoteName.slice(prefix.length)}` : undefined;
}
