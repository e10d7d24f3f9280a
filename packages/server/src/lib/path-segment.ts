/** Segments of the names of repositories: `<organization>/[folders/]<repo>`. */

/** A path component of the OCI distribution specification. */
const SEGMENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/** The last segment of the uid of a folder, by which it can be named, too. */
const CHILD_UID = /^[0-9a-f]{16}$/;

export function isPathSegment(text: string): boolean {
  return SEGMENT.test(text);
}

export function isUidSegment(text: string): boolean {
  return CHILD_UID.test(text);
}

/** The segment of a folder: its name, or the last segment of its uid if clients cannot write the name. */
export function segmentOf({ uid, name }: { readonly uid: string; readonly name: string }): string {
  if (isPathSegment(name) && !isUidSegment(name)) return name;
  return uid.slice(uid.lastIndexOf("/") + 1);
}
