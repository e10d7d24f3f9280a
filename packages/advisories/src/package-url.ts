/** A package URL (https://github.com/package-url/purl-spec), decoded. */
export interface PackageUrl {
  /** In lower case. */
  readonly type: string;
  /** The namespace, if any, and the name. */
  readonly segments: readonly string[];
  readonly version: string;
  /** Keys in lower case. */
  readonly qualifiers: ReadonlyMap<string, string>;
  /** As it is written, except for white space, which is encoded. */
  readonly subpath: string;
}

/** Types of package URLs of images. */
const IMAGES: ReadonlySet<string> = new Set(["oci", "docker"]);

const PACKAGE_URL = /^pkg:\/*([a-zA-Z][a-zA-Z0-9.+-]*)\/([^?#]+)(?:\?([^#]*))?(?:#(.*))?$/;

/**
 * Parses a package URL; undefined if it is invalid.
 *
 * This is the only parser. The library packageurl-js 2.0.1 would change what is imported: it lowercases names of
 * npm, PyPI, Debian and others, from which the ids of stored advisories are derived; it rejects package URLs
 * of public feeds, such as `pkg:cran/A3` and `pkg:maven/lib`; it reads `+` in qualifiers as a space and removes
 * tabs, as `URL` does; and it throws a ReferenceError for `pkg:golang/x/y@v1`.
 *
 * @example parsePackageUrl("pkg:apk/wolfi/openssl@3.0-r1?arch=x86_64")?.segments // ["wolfi", "openssl"]
 */
export function parsePackageUrl(text: string): PackageUrl | undefined {
  const found = PACKAGE_URL.exec(text);
  if (found === null) return undefined;
  const [, type = "", rest = "", query = "", subpath = ""] = found;
  try {
    const [path, version] = splitVersion(rest);
    const segments = path.split("/").map(decodeURIComponent).filter(Boolean);
    if (segments.length === 0) return undefined;
    return {
      type: type.toLowerCase(),
      segments,
      version: decodeURIComponent(version),
      qualifiers: parseQualifiers(query),
      subpath: subpath.replace(/\s/g, encodeURIComponent),
    };
  } catch {
    // Invalid percent-encoding.
    return undefined;
  }
}

/**
 * Whether a text is a package URL. White space must be percent-encoded: ids of documents are separated by it.
 *
 * @example isPackageUrl("pkg:npm/left-pad@1.0") // true
 */
export function isPackageUrl(text: string): boolean {
  return !/\s/.test(text) && parsePackageUrl(text) !== undefined;
}

/**
 * Whether a package URL is one of an image.
 *
 * @example isImageUrl({ type: "oci" }) // true
 */
export function isImageUrl({ type }: Pick<PackageUrl, "type">): boolean {
  return IMAGES.has(type);
}

/**
 * The version that a package URL names: of an image without a digest, the tag. Empty for all versions.
 *
 * @example versionOf(parsePackageUrl("pkg:oci/web?tag=1.0")) // "1.0"
 */
export function versionOf(url: PackageUrl | undefined): string {
  if (url === undefined || url.version !== "") return url?.version ?? "";
  return isImageUrl(url) ? (url.qualifiers.get("tag") ?? "") : "";
}

/**
 * Whether package URLs of products, and of components in them, name some versions only.
 *
 * @example isLimited({ products: ["pkg:npm/left-pad@1.0"], subcomponents: [] }) // true
 */
export function isLimited({
  products = [],
  subcomponents = [],
}: {
  readonly products?: readonly string[];
  readonly subcomponents?: readonly string[];
}): boolean {
  return [products, subcomponents].some(
    (urls) => urls.length > 0 && urls.every((url) => versionOf(parsePackageUrl(url)) !== ""),
  );
}

/** At the last `@`, except for one that begins a segment: an npm scope that is not percent-encoded. */
function splitVersion(text: string): [path: string, version: string] {
  const at = text.lastIndexOf("@");
  return at <= 0 || text[at - 1] === "/" ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Between qualifiers. Ubuntu's records write a second question mark: `?arch=source?distro=jammy`. */
const BETWEEN = /&|\?(?=(?:arch|distro|epoch|upstream)=)/;

/** Not URLSearchParams, which reads `+` as a space. */
function parseQualifiers(query: string): ReadonlyMap<string, string> {
  return new Map(
    query.split(BETWEEN).map((pair): [string, string] => {
      const [key = "", ...value] = pair.split("=");
      return [key.toLowerCase(), decodeURIComponent(value.join("="))];
    }),
  );
}

/**
 * The canonical form of a package URL: qualifiers are sorted, empty ones omitted.
 *
 * @example formatPackageUrl({ type: "apk", segments: ["wolfi", "openssl"] }) // "pkg:apk/wolfi/openssl"
 */
export function formatPackageUrl({
  type,
  segments,
  version = "",
  qualifiers = new Map(),
  subpath = "",
}: Partial<PackageUrl> & Pick<PackageUrl, "type" | "segments">): string {
  const path = segments.map(encoded).join("/");
  const pairs = [...qualifiers]
    .filter(([, value]) => value !== "")
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}=${encoded(value)}`);
  const query = pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  const fragment = subpath === "" ? "" : `#${subpath}`;
  return `pkg:${type}/${path}${version === "" ? "" : `@${encoded(version)}`}${query}${fragment}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%3A/g, ":");
}
