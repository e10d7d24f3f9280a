import type { GroupJson, ImageLocationJson } from "@wharf/contract/messages";

/** A component of a name in a registry. */
const COMPONENT = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;

/** The name of images at a location: that of an attached registry, if there is one. */
export function attachedName(locations: readonly ImageLocationJson[] = []): string | undefined {
  const location = locations.find(({ attached }) => attached) ?? locations[0];
  return location && `${location.host}/${location.path}`;
}

/**
 * The name under which a push creates a repo: the names of its groups, or their ids where a name cannot be used.
 *
 * @example pushName("registry.example.com", ["a1", "a1/b2"], groups, "app") // "registry.example.com/a1/team/app"
 */
export function pushName(
  host: string | undefined,
  path: readonly string[],
  groups: readonly GroupJson[] | undefined,
  name: string,
): string | undefined {
  if (host === undefined || groups === undefined) return undefined;
  const byUid = new Map(groups.map((group) => [group.uid, group]));
  const components = path.map((uid, depth) => {
    const group = byUid.get(uid);
    // Anyone can take any name of an organization: it counts once it is verified.
    const isUsable = COMPONENT.test(group?.name ?? "") && (depth > 0 || group?.verified);
    return isUsable ? group?.name : uid.split("/").at(-1);
  });
  return [host, ...components, name].join("/");
}
