import type { Advisory } from "@wharf/contract/messages";
import { typeOfEcosystem } from "../read/ecosystems.ts";
import { isAnyArchitecture } from "./architectures.ts";
import { APK_ECOSYSTEMS } from "./distributions.ts";

/** What kinds of packages are called in package URLs and in OSV. */
interface PackageKind {
  readonly purl: string;
  readonly ecosystem?: string;
}

const GO = { purl: "golang", ecosystem: "Go" };
const PYTHON = { purl: "pypi", ecosystem: "PyPI" };
const NPM = { purl: "npm", ecosystem: "npm" };
const RUBY = { purl: "gem", ecosystem: "RubyGems" };
const JAVA = { purl: "maven", ecosystem: "Maven" };
const RUST = { purl: "cargo", ecosystem: "crates.io" };
const PHP = { purl: "composer", ecosystem: "Packagist" };
const DOTNET = { purl: "nuget", ecosystem: "NuGet" };
const HASKELL = { purl: "hackage", ecosystem: "Hackage" };
const R = { purl: "cran", ecosystem: "CRAN" };
const DART = { purl: "pub", ecosystem: "Pub" };
const IMAGE = { purl: "oci" };

/** By what scanners, package URLs and people call them. */
const KINDS: ReadonlyMap<string, PackageKind> = new Map<string, PackageKind>([
  ...["go-module", "golang", "go"].map((name) => [name, GO] as const),
  ...["python", "pypi", "wheel"].map((name) => [name, PYTHON] as const),
  ...["npm", "javascript", "node"].map((name) => [name, NPM] as const),
  ...["gem", "ruby"].map((name) => [name, RUBY] as const),
  ...["java-archive", "maven", "java", "jar"].map((name) => [name, JAVA] as const),
  ...["rust-crate", "cargo", "rust"].map((name) => [name, RUST] as const),
  ...["php-composer", "composer", "php"].map((name) => [name, PHP] as const),
  ...["dotnet", "nuget"].map((name) => [name, DOTNET] as const),
  ...["hackage", "haskell"].map((name) => [name, HASKELL] as const),
  ...["r-package", "cran"].map((name) => [name, R] as const),
  ...["dart-pub", "pub"].map((name) => [name, DART] as const),
  ...["image", "oci", "container"].map((name) => [name, IMAGE] as const),
  ["hex", { purl: "hex", ecosystem: "Hex" }],
  ["conan", { purl: "conan", ecosystem: "ConanCenter" }],
  ["cocoapods", { purl: "cocoapods" }],
  ["swift", { purl: "swift", ecosystem: "SwiftURL" }],
  ["deb", { purl: "deb", ecosystem: "Debian" }],
  ["rpm", { purl: "rpm" }],
  ["bitnami", { purl: "bitnami", ecosystem: "Bitnami" }],
]);

/** Kinds of packages that distributions have releases of. */
const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

/** One package as scanners look for it. */
export interface PublishedPackage {
  /** What OSV calls where it comes from; undefined where OSV has no word for it. */
  readonly ecosystem: string | undefined;
  readonly name: string;
  /** Without version and qualifiers. */
  readonly purl: string;
}

/**
 * The packages that an advisory's artifact is, one for each distribution that has it.
 *
 * @example packagesOf(advisory, ["wolfi"]) // [{ ecosystem: "Wolfi", name: "openssl", purl: "pkg:apk/wolfi/openssl" }]
 */
export function packagesOf(
  { artifactType, artifactName: name, componentType, componentLocation }: Advisory,
  distributions: readonly string[],
): PublishedPackage[] {
  const type = artifactType.toLowerCase();
  const distribution = distributionOf(type, componentLocation);
  if (distribution !== undefined) {
    const purl = purlOf(type, type === "rpm" ? name : `${distribution}/${name}`);
    return [{ ecosystem: componentLocation, name, purl }];
  }
  if (type === "apk") {
    return distributions.map((distribution) => ({
      ecosystem: APK_ECOSYSTEMS[distribution],
      name,
      purl: purlOf("apk", `${distribution}/${name}`),
    }));
  }
  // A library says by its component what kind of library it is.
  const { purl, ecosystem } = KINDS.get(type) ?? kindOf(componentType);
  return [{ ecosystem, name, purl: purlOf(purl, name) }];
}

/**
 * The distribution of a package that came from OSV with its release, such as Ubuntu:24.04, which is kept
 * as the location. Under any other name its versions would be compared with those of other packages.
 *
 * @example distributionOf("deb", "Ubuntu:24.04:LTS") // "ubuntu"
 */
export function distributionOf(type: string, location: string): string | undefined {
  const [distribution = "", release] = location.split(":");
  const isRelease = release !== undefined && DISTRIBUTED.has(type);
  return isRelease && typeOfEcosystem(location) === type ? distribution.toLowerCase() : undefined;
}

/** The package URL of the component that is vulnerable, where that is not the artifact itself. */
export function componentPurl(
  { componentName, componentType, artifactName, artifactType }: Advisory,
  distribution: string,
): string | undefined {
  if (componentName === "") return undefined;
  const type = componentType.toLowerCase();
  const isSame = type === "" || type === artifactType.toLowerCase();
  if (isSame && componentName === artifactName) return undefined;
  if (type === "apk") return purlOf("apk", `${distribution}/${componentName}`);
  return purlOf(kindOf(type).purl, componentName);
}

/**
 * A package URL with a version and an architecture.
 *
 * @example versioned("pkg:apk/wolfi/openssl", "3.5.0-r0", "x86_64") // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function versioned(purl: string, version: string, architecture: string): string {
  const at = version === "" ? "" : `@${encoded(version)}`;
  return `${purl}${at}${isAnyArchitecture(architecture) ? "" : `?arch=${encoded(architecture)}`}`;
}

function kindOf(componentType: string): PackageKind {
  return KINDS.get(componentType.toLowerCase()) ?? { purl: "generic" };
}

/** What stands before the last slash, or a colon of Maven, is the namespace. */
function purlOf(type: string, name: string): string {
  const path = type === "maven" ? name.replace(":", "/") : name;
  const segments = path.split("/").filter((segment) => segment !== "");
  const cased = type === "pypi" ? segments.map(pypiName) : segments;
  return `pkg:${type}/${cased.map(encoded).join("/")}`;
}

/** PyPI takes all of these for the same name, and package URLs write only one of them. */
function pypiName(name: string): string {
  return name.toLowerCase().replace(/_/g, "-");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/%3A/g, ":");
}
