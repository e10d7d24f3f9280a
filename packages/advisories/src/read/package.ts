import { imageRepository } from "../image-url.ts";
import {
  formatPackageUrl,
  isImageUrl,
  type PackageUrl,
  parsePackageUrl,
  versionOf,
} from "../package-url.ts";
import { ALL_ARCHITECTURES, type Artifact, wholeArtifact } from "./artifact.ts";
import { releaseOf } from "./ecosystems.ts";

/** The package that a package URL identifies, with the names that advisories use. */
export interface Package {
  readonly type: string;
  /** Includes the namespace if it is part of the name in its ecosystem. */
  readonly name: string;
  readonly version: string;
  /** The canonical package URL, with the version if there is one. */
  readonly product: string;
  readonly architecture: string;
  /** The release of the distribution, as OSV writes it if OSV knows it; empty if none is named. */
  readonly release: string;
}

/** Types whose namespace is the distribution, not part of the name. */
const DISTRIBUTIONS = new Set(["alpm", "apk", "deb", "rpm"]);

/**
 * Reads a package URL; undefined if it is invalid.
 *
 * @param otherVersion the version that a document names beside a package URL without one
 * @example packageOfUrl("pkg:apk/wolfi/openssl@3.0-r1?arch=x86_64")?.name // "openssl"
 */
export function packageOfUrl(text: string, otherVersion = ""): Package | undefined {
  const parsed = parsePackageUrl(text);
  if (parsed === undefined) return undefined;
  const isImage = isImageUrl(parsed);
  const isVersioned = versionOf(parsed) !== "" || otherVersion === "";
  const url = isVersioned ? parsed : withVersion(parsed, otherVersion);
  const { type, segments, qualifiers } = url;
  return {
    product: formatPackageUrl(url),
    type: isImage ? "image" : type,
    name: isImage ? imageRepository(url) : nameOf(type, segments),
    version: versionOf(url),
    architecture: qualifiers.get("arch") || ALL_ARCHITECTURES,
    release: DISTRIBUTIONS.has(type) ? releaseOf(qualifiers.get("distro") ?? "") : "",
  };
}

/** The URL of another version; of an image, versions that are no digests are tags. */
function withVersion(url: PackageUrl, version: string): PackageUrl {
  if (!isImageUrl(url)) return { ...url, version };
  const isDigest = /^sha\d+:/.test(version);
  const qualifiers = new Map([...url.qualifiers, ["tag", isDigest ? "" : version]]);
  return { ...url, version: isDigest ? version : "", qualifiers };
}

/**
 * The package URL of another version of a package, or of all versions; empty if the text is no package URL.
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

/** @example artifactOf({ type: "apk", name: "openssl", … }) */
export function artifactOf({ name, type, architecture, release }: Package): Artifact {
  const whole = wholeArtifact(name, type, architecture);
  return { ...whole, component: { ...whole.component, location: release } };
}
