import { randomUUID } from "node:crypto";
import { OPERATOR_UID } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../observe/logger.ts";
import { findPlace } from "../../store/tables/registry-locations.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { leavePlace } from "../ingest/removal.ts";
import type { Occasion } from "../ingest/system-mutation.ts";
import { placeOf } from "../path.ts";
import { reconcileTags, removeGoneTags } from "./reconcile-tags.ts";

/** What a look at a repository came to: tags, and manifests that were read. */
export interface Findings {
  same: number;
  created: number;
  moved: number;
  removed: number;
  manifests: number;
}

export interface RepoParts {
  readonly engine: Engine;
  readonly remote: RemoteRegistry;
  /** All attached registries, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  /** What configurations of images have told in this pass, by their digests. */
  readonly architectures: Map<string, string>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A repository of a registry with the repo that it is here. */
export interface Sighted extends RepoParts {
  readonly path: string;
  /** Undefined until it is made, with the first of its tags. */
  readonly repo: string | undefined;
  /** Whether it is known that the repo is here. */
  readonly isSettled: boolean;
  /** All tags there are. */
  readonly names: ReadonlySet<string>;
  /** When they were listed: what is younger is left alone. */
  readonly time: number;
  readonly occasion: Occasion;
}

/** Tags looked at and written together. */
const CHUNK = 100;

/**
 * Brings what we know of one repository of a registry up to date. Returns undefined where its path
 * stands for nothing here. Rejects when the registry cannot be read; what was found until then is
 * kept.
 *
 * @example const findings = await reconcileRepo({ engine, remote, remotes, signal }, "acme/app");
 */
export async function reconcileRepo(parts: RepoParts, path: string): Promise<Findings | undefined> {
  const { engine, remote } = parts;
  const { host } = remote;
  const { store } = engine;
  const findings = { same: 0, created: 0, moved: 0, removed: 0, manifests: 0 };
  const occasion = occasionOf();
  const listing = await list(parts, path);
  const known = await findPlace(store.reader, host, path);
  if (listing === undefined) {
    if (known === undefined) return findings;
    await leavePlace(parts, { ...known, time: occasion.time }, occasion);
    return findings;
  }
  // Nobody needs a repo for a path that has nothing.
  if (known === undefined && listing.names.size === 0) return findings;
  const place = await placeOf(engine, store.reader, path);
  if (place === undefined) return undefined;
  let { repo } = place;
  let isSettled = known !== undefined && known.repo === repo;
  // It stands for another since folders were renamed: what is there is no longer the former's.
  if (known !== undefined && !isSettled)
    await leavePlace(parts, { ...known, time: occasion.time }, occasion);
  const sighted = { ...parts, ...listing, path, occasion };
  const names = [...listing.names];
  for (let at = 0; at < names.length; at += CHUNK) {
    const some = names.slice(at, at + CHUNK);
    repo = await reconcileTags({ ...sighted, repo, isSettled }, some, findings);
    if (repo === undefined) return undefined;
    isSettled = true;
  }
  if (repo !== undefined) await removeGoneTags({ ...sighted, repo, isSettled }, findings);
  return findings;
}

/** All tags of a repository; undefined when the registry does not have it. */
async function list(
  { remote, signal }: RepoParts,
  path: string,
): Promise<Pick<Sighted, "names" | "time"> | undefined> {
  const names = new Set<string>();
  let time = Number.POSITIVE_INFINITY;
  for (let next: string | undefined = ""; next !== undefined; ) {
    const page = await remote.tags(path, next, signal);
    if (page === undefined) return undefined;
    for (const name of page.names) names.add(name);
    time = Math.min(time, page.time);
    next = page.next;
  }
  return { names, time };
}

/** What we find is noted as found by the installation. */
function occasionOf(): Occasion {
  const from = { remoteAddress: "", userAgent: "reconciler" };
  return { ...from, actor: OPERATOR_UID, time: Date.now(), requestId: randomUUID() };
}
