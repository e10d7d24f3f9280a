import type { Engine } from "../engine/engine.ts";
import { locationsOf } from "../store/tables/registry-locations.ts";
import type { RemoteRegistry } from "./client/remote.ts";
import { resolvePath } from "./path.ts";

/** The path of a repo at an attached registry. */
export interface AttachedLocation {
  readonly remote: RemoteRegistry;
  readonly path: string;
}

/** The locations of a repo at attached registries that may be written to. */
export async function writableLocations(
  engine: Engine,
  remotes: ReadonlyMap<string, RemoteRegistry>,
  repo: string,
): Promise<AttachedLocation[]> {
  const { reader } = engine.store;
  const attached: AttachedLocation[] = [];
  for (const { host, path } of await locationsOf(reader, repo)) {
    const remote = remotes.get(host);
    // A path may have become another repo's; the next reconcile pass updates the location.
    const isCurrent = (await resolvePath(engine, reader, path))?.repo === repo;
    if (remote !== undefined && isCurrent) attached.push({ remote, path });
  }
  return attached;
}
