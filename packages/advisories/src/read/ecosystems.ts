/** The package URL type of OSV ecosystems, where it differs from the ecosystem's name. */
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
 * The package URL type of an OSV ecosystem.
 *
 * @example typeOfEcosystem("Alpine:v3.20") // "apk"
 */
export function typeOfEcosystem(ecosystem: string): string {
  const name = (ecosystem.split(":")[0] as string).toLowerCase();
  return TYPES[name] ?? name.replaceAll(/[^a-z0-9]+/g, "-");
}

/** OSV ecosystems of distribution releases, by the `distro` qualifier (ID and VERSION_ID of os-release). */
const RELEASES: readonly (readonly [written: RegExp, ecosystem: string])[] = [
  [/^alpine-v?(\d+\.\d+)(\.\d+)*$/, "Alpine:v"],
  [/^debian-(\d+)(\.\d+)*$/, "Debian:"],
  [/^ubuntu-(\d+\.\d+)(\.\d+)*$/, "Ubuntu:"],
];

/** Rolling distributions have no releases, whatever their os-release says. */
const ROLLING = /^(arch|chainguard|minimos|wolfi)\b/;

/**
 * The release that the `distro` qualifier of a package URL names, as OSV writes it if OSV knows it.
 *
 * @example releaseOf("alpine-3.20.1") // "Alpine:v3.20"
 */
export function releaseOf(distro: string): string {
  if (ROLLING.test(distro)) return "";
  for (const [written, ecosystem] of RELEASES) {
    const found = written.exec(distro);
    if (found !== null) return `${ecosystem}${found[1]}`;
  }
  return distro;
}
