import { ecosystemOfNamespace } from "@wharf/advisories/distributions";
import { typeOfEcosystem } from "@wharf/advisories/ecosystems";
import { packageKind } from "@wharf/advisories/package-kinds";
import { type PackageUrl, parsePackageUrl } from "@wharf/advisories/package-url";
import { canonicalName } from "./names.ts";
import { releaseIn } from "./releases.ts";

/** A package in an image, as OSV records identify it. */
export interface InstalledPackage {
  /** The type of the package URL, such as deb. */
  readonly type: string;
  /** The OSV ecosystem without release; undefined if no records apply to the package. */
  readonly ecosystem: string | undefined;
  /** The release as OSV writes it, such as `Debian:12`; undefined if it is unknown, or if the ecosystem has none. */
  readonly release: string | undefined;
  /** The canonical name (canonicalName), by which records are found. */
  readonly name: string;
  /** With the epoch of rpm, unless the records of the distribution have none. */
  readonly version: string;
  /** The source package from which a package of a distribution was built; undefined if it is the package itself. */
  readonly origin: Origin | undefined;
  /** Empty if it is unknown. */
  readonly distro: string;
  readonly arch: string;
  /** The module and stream of rpm, such as `nodejs:18`; empty if there is none. */
  readonly modularity: string;
  /** Whether someone else than the distribution built it, so that the distribution's records do not apply. */
  readonly isForeign: boolean;
}

export interface Origin {
  readonly name: string;
  readonly version: string;
}

/** Facts of a document about its packages, for package URLs that do not have them. */
export interface PackageContext {
  /** ID and VERSION_ID of os-release, with a hyphen. */
  readonly distro?: string;
  readonly version?: string;
  readonly origin?: Origin;
}

const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

/** Namespaces that name no distribution: of apko, and of tools that did not find os-release. */
const NO_NAMESPACE: ReadonlySet<string> = new Set(["", "unknown"]);

/** Marks of third parties that rebuild packages of distributions, in versions. */
const FOREIGN_VERSION = /\.remi\b|[.~]pgdg|sury\.org/;

/** Words of the vendors of distributions, where it is not the first word of the distribution. */
const VENDORS: ReadonlyMap<string, RegExp> = new Map([
  ["Azure Linux", /microsoft|azure/],
  ["openSUSE", /suse/],
  ["Photon OS", /vmware|broadcom|photon/],
  ["Ubuntu", /canonical|ubuntu/],
]);

/** The records of these distributions write versions without epoch. */
const WITHOUT_EPOCH: ReadonlySet<string> = new Set(["openEuler"]);

/** Identifies the package of a package URL; undefined if the text is none. */
export function installedPackage(
  text: string,
  context: PackageContext = {},
): InstalledPackage | undefined {
  const parsed = parsePackageUrl(text.trim());
  if (parsed === undefined) return undefined;
  const url = parsed.version === "" ? { ...parsed, version: context.version ?? "" } : parsed;
  return DISTRIBUTED.has(url.type) ? distributed(url, context) : library(url);
}

function library(url: PackageUrl): InstalledPackage {
  const { type, segments, version } = url;
  const ecosystem = packageKind(type)?.ecosystem;
  const name = libraryName(type, segments);
  return {
    ...{ type, ecosystem, version, release: undefined, origin: undefined, distro: "" },
    name: ecosystem === undefined ? name : canonicalName(ecosystem, name),
    arch: url.qualifiers.get("arch") ?? "",
    modularity: "",
    isForeign: false,
  };
}

/** Types whose records know packages by the last segment only. */
const UNSCOPED: ReadonlySet<string> = new Set(["bitnami", "conan", "cran", "julia", "opam"]);

function libraryName(type: string, segments: readonly string[]): string {
  if (UNSCOPED.has(type)) return segments.at(-1) as string;
  return segments.join(type === "maven" ? ":" : "/");
}

function distributed(url: PackageUrl, context: PackageContext): InstalledPackage {
  const { type, qualifiers } = url;
  const name = url.segments.at(-1) as string;
  const namespace = url.segments.length > 1 ? (url.segments[0] as string) : "";
  const distro = qualifiers.get("distro") || (context.distro ?? "");
  const named = distributionOf(type, namespace, distro);
  const isForeign = isForeignBuild(url, named);
  const ecosystem = isForeign ? undefined : named;
  const version = versionIn(url, ecosystem);
  return {
    ...{ type, ecosystem, name, version, distro, isForeign },
    release: ecosystem === undefined ? undefined : releaseOfDistro(ecosystem, distro),
    origin: originOf(url, version) ?? context.origin,
    arch: qualifiers.get("arch") ?? "",
    modularity: modularityOf(qualifiers),
  };
}

/** The ecosystem of the distribution that a namespace names; without namespace, of the `distro` qualifier. */
function distributionOf(type: string, namespace: string, distro: string): string | undefined {
  const name = NO_NAMESPACE.has(namespace) ? idIn(distro) : namespace;
  const ecosystem = ecosystemOfNamespace(name);
  return ecosystem !== undefined && typeOfEcosystem(ecosystem) === type ? ecosystem : undefined;
}

/** The ID of os-release: the text before the version. Empty for a version alone. */
function idIn(distro: string): string {
  return (
    distro.slice(0, Math.max(distro.lastIndexOf("-"), 0)) || (/^\d/.test(distro) ? "" : distro)
  );
}

/** A `distro` qualifier of another distribution, as derived distributions have, names no release of this one. */
function releaseOfDistro(ecosystem: string, distro: string): string | undefined {
  const id = distro.includes("-") ? idIn(distro) : "";
  const named = id === "" ? ecosystem : ecosystemOfNamespace(id);
  return named === ecosystem ? releaseIn(ecosystem, distro) : undefined;
}

/** A vendor that is not the distribution, or a mark in the version. */
function isForeignBuild(
  { version, qualifiers }: PackageUrl,
  ecosystem: string | undefined,
): boolean {
  if (FOREIGN_VERSION.test(version)) return true;
  const vendor = (qualifiers.get("vendor") ?? "").toLowerCase();
  if (vendor === "" || ecosystem === undefined) return false;
  const [distribution = ""] = ecosystem.toLowerCase().split(" ");
  return !(VENDORS.get(ecosystem)?.test(vendor) ?? vendor.includes(distribution));
}

function versionIn(
  { type, version, qualifiers }: PackageUrl,
  ecosystem: string | undefined,
): string {
  if (type !== "rpm") return version;
  if (WITHOUT_EPOCH.has(ecosystem ?? "")) return version.replace(/^\d+:/, "");
  const epoch = qualifiers.get("epoch") ?? "";
  const isMissing = /^\d+$/.test(epoch) && version !== "" && !version.includes(":");
  return isMissing ? `${epoch}:${version}` : version;
}

/** A source package of rpm, as a file name: the epoch is that of its packages. */
const SOURCE_RPM = /^(.+)-([^-]+-[^-]+)\.(?:no)?src\.rpm$/;

/** `upstream` of syft: `name`, `name@version`, or the file of a source package. Without version, that of the package. */
function originOf({ type, qualifiers, segments }: PackageUrl, version: string): Origin | undefined {
  const text = qualifiers.get("upstream") || (qualifiers.get("origin") ?? "");
  const origin = type === "rpm" ? rpmOrigin(text, version) : sourceOrigin(text, version);
  const isSame = origin.name === segments.at(-1) && origin.version === version;
  return origin.name === "" || isSame ? undefined : origin;
}

function sourceOrigin(text: string, version: string): Origin {
  const at = text.lastIndexOf("@");
  return at <= 0
    ? { name: text, version }
    : { name: text.slice(0, at), version: text.slice(at + 1) };
}

function rpmOrigin(text: string, version: string): Origin {
  const found = SOURCE_RPM.exec(text);
  if (found === null) return { name: text, version };
  const [epoch = ""] = /^\d+:/.exec(version) ?? [];
  return { name: found[1] as string, version: `${epoch}${found[2]}` };
}

/** The first two parts of `nodejs:18:8060020220523160029:ad008a3a`. */
function modularityOf(qualifiers: ReadonlyMap<string, string>): string {
  const label = qualifiers.get("rpmmod") || (qualifiers.get("modularitylabel") ?? "");
  return label.split(":").slice(0, 2).join(":");
}
