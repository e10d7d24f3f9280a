/** Longer paths are none of Linux. */
const MAX_PATH_CHARS = 4096;

/** The largest number of links that Linux follows. */
const MAX_LINKS = 40;

/**
 * The path of an entry without its leading slash, `.` and empty segments; undefined for one that contains `..` or a NUL,
 * or is too long. The root is the empty text.
 */
export function normalPath(path: string): string | undefined {
  if (path.length > MAX_PATH_CHARS || path.includes("\0")) return undefined;
  const start = path.startsWith("./") ? 2 : 0;
  if (!UNUSUAL.test(path)) return path.slice(start, path.endsWith("/") ? -1 : undefined);
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  return segments.includes("..") ? undefined : segments.join("/");
}

/** Parts that only few paths have, which must be normalized; not a leading `./`. */
const UNUSUAL = /^\/|^\.\/\/?$|^\.{1,2}$|\/\/|\/\.{1,2}(?:\/|$)|^\.\.\/|^\.\/\.{1,2}(?:\/|$)/;

/**
 * Follows the links of an image from its root, and never leaves it; undefined for links in circles.
 *
 * @param followsLast Whether the last segment is followed as well, or names the link itself.
 */
export function resolvePath(
  path: string,
  links: ReadonlyMap<string, string>,
  followsLast: boolean,
): string | undefined {
  if (links.size === 0) return path;
  let resolved: string[] = [];
  const rest = path.split("/").reverse();
  for (let followed = 0; rest.length > 0; ) {
    const segment = rest.pop() as string;
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      resolved.pop();
      continue;
    }
    resolved.push(segment);
    const target = rest.length > 0 || followsLast ? links.get(resolved.join("/")) : undefined;
    if (target === undefined) continue;
    if (++followed > MAX_LINKS || target.length > MAX_PATH_CHARS) return undefined;
    if (target.startsWith("/")) resolved = [];
    else resolved.pop();
    rest.push(...target.split("/").reverse());
  }
  return resolved.join("/");
}
