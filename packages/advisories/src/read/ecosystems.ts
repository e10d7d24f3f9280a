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

/** Distributions whose releases OSV knows, by the ID of their os-release, and how it writes them. */
const RELEASES: readonly (readonly [written: RegExp, ecosystem: string])[] = [
  [/^alpine-v?(\d+\.\d+)(\.\d+)*$/, "Alpine:v"],
  [/^debian-(\d+)(\.\d+)*$/, "Debian:"],
  [/^ubuntu-(\d+\.\d+)(\.\d+)*$/, "Ubuntu:"],
];

/** Those that have only one, whatever their os-release says. */
const ROLLING = /^(arch|chainguard|minimos|wolfi)\b/;

/**
 * The release that the qualifier `distro` of a package URL names, as OSV writes it where it knows it.
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
