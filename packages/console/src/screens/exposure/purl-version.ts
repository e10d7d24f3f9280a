/**
 * The version of a package URL; the whole text, if it has none.
 *
 * @example versionOf("pkg:apk/alpine/musl@1.2.5-r0?arch=x86_64") // "1.2.5-r0"
 */
export function versionOf(purl = ""): string {
  const [, version] = /^[^?#]*@([^@?#]+)(?:[?#].*)?$/s.exec(purl) ?? [];
  if (version === undefined) return purl;
  try {
    return decodeURIComponent(version);
  } catch {
    return version;
  }
}
