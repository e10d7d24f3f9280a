/** The notations of the releases of a distribution. */
interface Releases {
  /** Finds the number of a release in a text in lower case: of os-release, and of OSV. */
  readonly pattern: RegExp;
  /** The release as OSV writes it; without, the number. */
  readonly write?: (number: string) => string;
  /** Whether several releases of OSV have one number, because os-release has no service packs. */
  readonly isCoarse?: boolean;
  /** Numbers of code names. */
  readonly names?: Readonly<Record<string, string>>;
}

const MAJOR: Releases = { pattern: /^(\d+)(?:\.\d+)*$/ };

const DEBIAN: Releases = {
  ...MAJOR,
  names: {
    ...{ jessie: "8", stretch: "9", buster: "10", bullseye: "11", bookworm: "12", trixie: "13" },
  },
};

/** Support (`Pro`, `LTS`) is no part of a release; the packages of other variants, such as FIPS, are others. */
const UBUNTU: Releases = {
  pattern: /^(?:pro:)?(\d+\.\d+)(?:\.\d+)*(?::lts)?$/,
  names: {
    trusty: "14.04",
    xenial: "16.04",
    bionic: "18.04",
    focal: "20.04",
    jammy: "22.04",
    noble: "24.04",
  },
};

const OPENSUSE: Releases = {
  pattern: /^(?:leap )?(\d+\.\d+|tumbleweed)\b/,
  write: (number) => (number === "tumbleweed" ? "Tumbleweed" : `Leap ${number}`),
};

/** By the OSV ecosystem. All others are rolling, as Wolfi is, or no distributions. */
const RELEASES: ReadonlyMap<string, Releases> = new Map<string, Releases>([
  ["AlmaLinux", MAJOR],
  ["Alpaquita", { pattern: /^(\d+|stream)$/ }],
  // Versions of the edge branch end in a date: 3.21.0_alpha20240923.
  ["Alpine", { pattern: /^v?(\d+\.\d+)(?:\.\d+)*$/, write: (number) => `v${number}` }],
  ["Azure Linux", MAJOR],
  ["Debian", DEBIAN],
  ["Mageia", MAJOR],
  ["openEuler", { pattern: /^(\d+\.\d+)(?:-lts(?:-sp\d+)?)?$/, isCoarse: true }],
  ["openSUSE", OPENSUSE],
  ["Photon OS", { pattern: /^(\d+\.\d+)$/ }],
  // OSV has CPEs: of the system by its major release, of extended support by the minor one.
  [
    "Red Hat",
    { pattern: /^(?:enterprise_linux:|rhel_(?:aus|e4s|els|eus|tus):)?(\d+(?:\.\d+)?)(?:::\w+)?$/ },
  ],
  ["Rocky Linux", MAJOR],
  ["SUSE", { pattern: /(?:^|[a-z] )(\d+(?:(?: sp|\.)\d+)?)(?:-\w+)*$/ }],
  ["Ubuntu", UBUNTU],
]);

/** The relation of a record to the release of a package: unknown if either does not name one that can be compared. */
export type ReleaseMatch = "same" | "other" | "unknown";

/**
 * The release of a distribution as OSV writes it, if OSV has its records: `Debian:12`, `Ubuntu:24.04`,
 * `Alpine:v3.19`. `distro` is the qualifier of a package URL, or ID and VERSION_ID of os-release with a hyphen; the ID
 * may be missing.
 */
export function releaseIn(ecosystem: string, distro: string): string | undefined {
  const releases = RELEASES.get(ecosystem);
  if (releases === undefined) return undefined;
  const text = distro.toLowerCase();
  const version = text.slice(text.lastIndexOf("-") + 1);
  const isTumbleweed = text.includes("tumbleweed");
  const number = numberOf(releases, isTumbleweed ? "tumbleweed" : version);
  return number === undefined ? undefined : `${ecosystem}:${releases.write?.(number) ?? number}`;
}

function numberOf({ pattern, names = {} }: Releases, text: string): string | undefined {
  const number = Object.hasOwn(names, text) ? names[text] : undefined;
  // SUSE writes 15 SP5 in records, and 15.5 in os-release.
  return pattern.exec(number ?? text)?.[1]?.replace(" sp", ".");
}

/**
 * Compares the ecosystem of a record, such as `Ubuntu:24.04:LTS`, with the ecosystem and the release of a package. A
 * record without release is about all of them.
 */
export function matchRelease(
  recorded: string,
  ecosystem: string,
  release: string | undefined,
): ReleaseMatch {
  const [name = ""] = recorded.split(":");
  if (name !== ecosystem) return "other";
  const releases = RELEASES.get(ecosystem);
  const text = recorded.slice(name.length + 1).toLowerCase();
  if (releases === undefined || text === "") return "same";
  if (release === undefined) return "unknown";
  const number = numberOf(releases, text);
  if (ecosystem === "Red Hat") return matchRedHat(number, text, release);
  const own = numberOf(releases, release.slice(name.length + 1).toLowerCase());
  if (number !== own) return "other";
  return releases.isCoarse === true ? "unknown" : "same";
}

/** The fix of an extended support release is none for another one. Products on top of the system are not recognized. */
function matchRedHat(number: string | undefined, text: string, release: string): ReleaseMatch {
  const own = release.slice(release.indexOf(":") + 1);
  const [ownMajor = ""] = own.split(".");
  if (number === undefined) return text.endsWith(`::el${ownMajor}`) ? "unknown" : "other";
  const [major] = number.split(".");
  if (major !== ownMajor) return "other";
  if (number === major || number === own) return "same";
  return own === ownMajor ? "unknown" : "other";
}

/** Whether records of an ecosystem are about releases. */
export function hasReleases(ecosystem: string): boolean {
  return RELEASES.has(ecosystem);
}
