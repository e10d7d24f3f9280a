import type { ResourceStore } from "../engine/catalog.ts";
import { failedPrecondition } from "../lib/errors.ts";
import type { Store } from "../store/db/store.ts";
import { locationsOf } from "../store/tables/registry/locations.ts";
import type { RegistryContents } from "./client/remote.ts";
import { resolvePath } from "./path.ts";

/** The path of a repo at an attached registry. */
export interface AttachedLocation {
  readonly remote: RegistryContents;
  readonly path: string;
}

/** The locations of a repo at attached registries that may be written to. */
export async function writableLocations(
  deps: ResourceStore,
  remotes: ReadonlyMap<string, RegistryContents>,
  repo: string,
): Promise<AttachedLocation[]> {
  const { reader } = deps.store;
  const attached: AttachedLocation[] = [];
  for (const { host, path } of await locationsOf(reader, repo)) {
    const remote = remotes.get(host);
    // A path may have become another repo's; the next reconcile pass updates the location.
    const isCurrent = (await resolvePath(deps.catalog, reader, path))?.repo === repo;
    if (remote !== undefined && isCurrent) attached.push({ remote, path });
  }
  return attached;
}

/** Reads from the first attached registry that has it; undefined if none has. Failures of others do not matter then. */
export async function readFromLocations<T>(
  store: Store,
  remotes: ReadonlyMap<string, RegistryContents>,
  repo: string,
  read: (remote: RegistryContents, path: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const locations = (await locationsOf(store.reader, repo)).flatMap(({ host, path }) => {
    const remote = remotes.get(host);
    return remote === undefined ? [] : [{ remote, path }];
  });
  if (locations.length === 0) {
    const description = "no attached registry has the repo";
    throw failedPrecondition({ type: "NO_REGISTRY", description });
  }
  let failure: unknown;
  for (const { remote, path } of locations) {
    try {
      const found = await read(remote, path);
      if (found !== undefined) return found;
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
