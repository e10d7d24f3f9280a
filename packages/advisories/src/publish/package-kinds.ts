/** The package URL type and OSV ecosystem of a type of package. */
export interface PackageKind {
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

/** By the names that scanners, package URLs and users have for them. */
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
  ["julia", { purl: "julia", ecosystem: "Julia" }],
  ["opam", { purl: "opam", ecosystem: "opam" }],
  ["swift", { purl: "swift", ecosystem: "SwiftURL" }],
  ["deb", { purl: "deb", ecosystem: "Debian" }],
  ["rpm", { purl: "rpm" }],
  ["bitnami", { purl: "bitnami", ecosystem: "Bitnami" }],
]);

/**
 * The kind of package with this name.
 *
 * @example packageKind("go-module")?.purl // "golang"
 */
export function packageKind(name: string): PackageKind | undefined {
  return KINDS.get(name.toLowerCase());
}
