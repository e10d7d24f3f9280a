import type { ResourceStore } from "../../engine/catalog.ts";
import { locationsOf } from "../../store/tables/registry/locations.ts";
import { tagsOfDigests } from "../../store/tables/registry/tags.ts";
import type { RegistryContents } from "../client/remote.ts";
import { resolvePath } from "../path.ts";
import type { RegistryNotification } from "./notification-formats.ts";

/** In place of a digest: a registry that may have the tag does not answer. */
export const UNKNOWN_DIGEST = "";

/** The state of a tag or manifest, deleted at one location of a repo, at its other locations. */
export interface OtherLocations {
  /** Whether one of them has the manifest, or does not answer. */
  readonly hasManifest: boolean;
  /** The digests that they have for tags, or UNKNOWN_DIGEST; without tags that none of them has. */
  readonly tags: ReadonlyMap<string, string>;
}

export const NO_OTHER_LOCATIONS: OtherLocations = { hasManifest: false, tags: new Map() };

/** Tags of a deleted manifest that are looked up; beyond that, the next reconcile pass removes them. */
const MAX_TAGS = 1_000;

/** Asks the other registries that have the repo, so that a deletion in one leaves what they have. */
export async function fetchOtherLocations(
  deps: ResourceStore,
  remotes: ReadonlyMap<string, RegistryContents>,
  host: string,
  { path, tag, digest }: RegistryNotification,
): Promise<OtherLocations> {
  const { reader } = deps.store;
  const repo = (await resolvePath(deps.catalog, reader, path))?.repo;
  if (repo === undefined) return NO_OTHER_LOCATIONS;
  const others = (await locationsOf(reader, repo)).flatMap((location) => {
    const remote = remotes.get(location.host);
    const isSame = location.host === host && location.path === path;
    return remote === undefined || isSame ? [] : [{ remote, path: location.path }];
  });
  if (others.length === 0) return NO_OTHER_LOCATIONS;
  const digestOf = async (reference: string): Promise<string | undefined> => {
    const found = await Promise.all(
      others.map(({ remote, path: at }) =>
        remote.digestOf(at, reference).catch(() => UNKNOWN_DIGEST),
      ),
    );
    return found.find(Boolean) ?? found.find((one) => one !== undefined);
  };
  const named = digest === "" ? [] : await tagsOfDigests(reader, repo, [digest]);
  const names = new Set([...(tag === "" ? [] : [tag]), ...named.map(({ name }) => name)]);
  const tags = new Map<string, string>();
  for (const [index, name] of [...names].entries()) {
    const current = index < MAX_TAGS ? await digestOf(name) : UNKNOWN_DIGEST;
    if (current !== undefined) tags.set(name, current);
  }
  return { hasManifest: digest !== "" && (await digestOf(digest)) !== undefined, tags };
}
