/** The OSV ecosystems of apk distributions, by the ID of their os-release. */
export const APK_ECOSYSTEMS: Readonly<Record<string, string>> = {
  alpaquita: "Alpaquita",
  alpine: "Alpine",
  chainguard: "Chainguard",
  minimos: "MinimOS",
  wolfi: "Wolfi",
};

/** The architectures that most apk distributions build. */
const USUAL_ARCHITECTURES = ["aarch64", "x86_64"];

const ALPINE_ARCHITECTURES = [
  ...["aarch64", "armhf", "armv7", "loongarch64", "ppc64le"],
  ...["riscv64", "s390x", "x86", "x86_64"],
];

/**
 * The architectures that a distribution builds packages for.
 *
 * @example architecturesOf("wolfi") // ["aarch64", "x86_64"]
 */
export function architecturesOf(distribution: string): readonly string[] {
  return distribution === "alpine" ? ALPINE_ARCHITECTURES : USUAL_ARCHITECTURES;
}

/** The distributions that feeds support. */
export const DISTRIBUTIONS: readonly string[] = Object.keys(APK_ECOSYSTEMS);

/** The OSV ecosystems of other distributions. */
const OTHER_ECOSYSTEMS = [
  ...["AlmaLinux", "Azure Linux", "Debian", "Echo", "Mageia", "openEuler", "openSUSE", "Photon OS"],
  ...["Red Hat", "Rocky Linux", "SUSE", "Ubuntu"],
];

/** Ecosystems by the namespaces of package URLs, which spell the names without spaces, or with dashes. */
const BY_NAMESPACE: ReadonlyMap<string, string> = new Map([
  ...[...Object.values(APK_ECOSYSTEMS), ...OTHER_ECOSYSTEMS].map(
    (ecosystem) => [letters(ecosystem), ecosystem] as const,
  ),
  ["alma", "AlmaLinux"],
  ["opensuseleap", "openSUSE"],
  ["opensusetumbleweed", "openSUSE"],
  ["photon", "Photon OS"],
  ["rhel", "Red Hat"],
  ["rocky", "Rocky Linux"],
  ["sled", "SUSE"],
  ["sles", "SUSE"],
  ["suselinuxenterpriseserver", "SUSE"],
]);

/**
 * The OSV ecosystem of a distribution, by the namespace of its package URLs; undefined if OSV has none.
 *
 * @example ecosystemOfNamespace("redhat") // "Red Hat"
 */
export function ecosystemOfNamespace(namespace: string): string | undefined {
  return BY_NAMESPACE.get(letters(namespace));
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}
