import { formatPackageUrl, type PackageUrl, parsePackageUrl } from "../package-url.ts";
import { ALL_ARCHITECTURES, type Artifact, wholeArtifact } from "./artifact.ts";
import { releaseOf } from "./ecosystems.ts";

/** The package that a package URL identifies, with the names that advisories use. */
export interface Package {
  readonly type: string;
  /** Includes the namespace if it is part of the name in its ecosystem. */
  readonly name: string;
  readonly version: string;
  /** The canonical package URL of this version; empty without a version. */
  readonly product: string;
  readonly architecture: string;
  /** The release of the distribution, as OSV writes it if OSV knows it; empty if none is named. */
  readonly release: string;
}

/** Types whose namespace is the distribution, not part of the name. */
const DISTRIBUTIONS = new Set(["alpm", "apk", "deb", "rpm"]);

const IMAGES = new Set(["oci", "docker"]);

/**
 * Reads a package URL; undefined if it is invalid.
 *
 * @param otherVersion the version that a document names beside a package URL without one
 * @example packageOfUrl("pkg:apk/wolfi/openssl@3.0-r1?arch=x86_64")?.name // "openssl"
 */
export function packageOfUrl(text: string, otherVersion = ""): Package | undefined {
  const parsed = parsePackageUrl(text);
  if (parsed === undefined) return undefined;
  const isImage = IMAGES.has(parsed.type);
  const isVersioned = parsed.version !== "" || (isImage && parsed.qualifiers.has("tag"));
  const url = isVersioned || otherVersion === "" ? parsed : withVersion(parsed, otherVersion);
  const { type, segments, version, qualifiers } = url;
  return {
    product: isVersioned || otherVersion !== "" ? formatPackageUrl(url) : "",
    type: isImage ? "image" : type,
    name: isImage ? imageName(segments, qualifiers.get("repository_url")) : nameOf(type, segments),
    // An image without a digest has a tag.
    version: isImage ? version || (qualifiers.get("tag") ?? "") : version,
    architecture: qualifiers.get("arch") || ALL_ARCHITECTURES,
    release: DISTRIBUTIONS.has(type) ? releaseOf(qualifiers.get("distro") ?? "") : "",
  };
}

/** The URL of another version; of an image, versions that are no digests are tags. */
function withVersion(url: PackageUrl, version: string): PackageUrl {
  if (!IMAGES.has(url.type) || /^sha\d+:/.test(version)) return { ...url, version };
  return { ...url, version: "", qualifiers: new Map([...url.qualifiers, ["tag", version]]) };
}

/**
 * The package URL of another version of a package; empty if the text is no package URL.
 *
 * @example productUrl("pkg:npm/left-pad@1.0", "2.0") // "pkg:npm/left-pad@2.0"
 */
export function productUrl(text: string, version: string): string {
  const url = parsePackageUrl(text);
  return url === undefined ? "" : formatPackageUrl(withVersion(url, version));
}

function nameOf(type: string, segments: readonly string[]): string {
  if (DISTRIBUTIONS.has(type)) return segments.at(-1) ?? "";
  return segments.join(type === "maven" ? ":" : "/");
}

/**
 * The repository of an image. By the specification repository_url includes the name; some tools omit the
 * name from it.
 */
function imageName(segments: readonly string[], repositoryUrl: string | undefined): string {
  const name = segments.join("/");
  if (repositoryUrl === undefined || repositoryUrl === "") return name;
  const repository = repositoryUrl.replace(/^[a-z]+:\/\//, "").replace(/\/+$/, "");
  const includesName = repository.toLowerCase().endsWith(`/${name.toLowerCase()}`);
  return includesName ? repository : `${repository}/${name}`;
}

/** @example artifactOf({ type: "apk", name: "openssl", … }) */
export function artifactOf({ name, type, architecture, release }: Package): Artifact {
  const whole = wholeArtifact(name, type, architecture);
  return { ...whole, component: { ...whole.component, location: release } };
}
