/** The type of package URLs for packages of an ecosystem of OSV, where it is not its name. */
const TYPES: Readonly<Record<string, string>> = {
  almalinux: "rpm",
  alpaquita: "apk",
  alpine: "apk",
  "azure linux": "rpm",
  chainguard: "apk",
  conancenter: "conan",
  "crates.io": "cargo",
  debian: "deb",
  "github actions": "githubactions",
  go: "golang",
  mageia: "rpm",
  minimos: "apk",
  openeuler: "rpm",
  opensuse: "rpm",
  packagist: "composer",
  "photon os": "rpm",
  "red hat": "rpm",
  "rocky linux": "rpm",
  rubygems: "gem",
  suse: "rpm",
  swifturl: "swift",
  ubuntu: "deb",
  wolfi: "apk",
};

/**
 * What packages of an ecosystem are, as package URLs call it.
 *
 * @example typeOfEcosystem("Alpine:v3.20") // "apk"
 */
export function typeOfEcosystem(ecosystem: string): string {
  const name = (ecosystem.split(":")[0] as string).toLowerCase();
  return TYPES[name] ?? name.replaceAll(/[^a-z0-9]+/g, "-");
}
