import type { Advisory } from "@wharf/contract/messages";
import { typeOfEcosystem } from "../read/ecosystems.ts";
import { imageArchitecture, isAnyArchitecture } from "./architectures.ts";
import { APK_ECOSYSTEMS } from "./distributions.ts";
import { type PackageKind, packageKind } from "./package-kinds.ts";
import type { Naming } from "./publication.ts";

/** Kinds of packages that distributions have releases of. */
const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

const IMAGE = "oci";

/** What package URLs call packages of no kind that they know. */
const UNKNOWN = "generic";

/** What names one image and no other; anything else is a tag. */
const DIGEST = /^sha(256|512):[0-9a-f]+$/;

/** One package as scanners look for it. */
export interface PublishedPackage {
  /** What OSV calls where it comes from; undefined where OSV has no word for it. */
  readonly ecosystem: string | undefined;
  readonly name: string;
  /** Without version; the only qualifier is the repository of an image, without which it is any of its name. */
  readonly purl: string;
}

/**
 * The packages that an advisory's artifact is, one for each distribution that has it.
 *
 * @example packagesOf(advisory, publication) // [{ ecosystem: "Wolfi", name: "openssl", purl: "pkg:apk/wolfi/openssl" }]
 */
export function packagesOf(
  { artifactType, artifactName: name, componentType, componentLocation }: Advisory,
  naming: Naming,
): PublishedPackage[] {
  const type = artifactType.toLowerCase();
  const distribution = distributionOf(type, componentLocation);
  if (distribution !== undefined) {
    const namespace = type === "rpm" ? [] : [distribution];
    return [{ ecosystem: componentLocation, name, purl: joined(type, [...namespace, name]) }];
  }
  if (type === "apk") {
    return naming.distributions.map((distribution) => ({
      ecosystem: APK_ECOSYSTEMS[distribution],
      name,
      purl: joined("apk", [distribution, name]),
    }));
  }
  // A library says by its component what kind of library it is.
  const { purl, ecosystem } = packageKind(type) ?? kindOf(componentType);
  return [{ ecosystem, name, purl: purlOf(purl, name, naming) }];
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
export function componentPurl(advisory: Advisory, naming: Naming): string | undefined {
  const { componentName, componentType, artifactName, artifactType } = advisory;
  if (componentName === "") return undefined;
  const type = componentType.toLowerCase();
  const isSame = type === "" || type === artifactType.toLowerCase();
  if (isSame && componentName === artifactName) return undefined;
  const purl =
    type === "apk"
      ? joined("apk", [naming.distributions[0], componentName])
      : purlOf(kindOf(type).purl, componentName, naming);
  // A library may be called by two types: by what it is, and by what its component is.
  return purl === packagesOf(advisory, naming)[0]?.purl ? undefined : purl;
}

/**
 * A package URL with a version and an architecture.
 *
 * @example versioned("pkg:apk/wolfi/openssl", "3.5.0-r0", "x86_64") // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function versioned(purl: string, version: string, architecture: string): string {
  const [path = "", repository] = purl.split("?");
  const isImage = path.startsWith(`pkg:${IMAGE}/`);
  const isTag = isImage && version !== "" && !DIGEST.test(version);
  const at = version === "" || isTag ? "" : `@${encoded(version)}`;
  const arch = isImage ? imageArchitecture(architecture) : architecture;
  // In the order of the alphabet, as the canonical form has them.
  const qualifiers = [
    isAnyArchitecture(arch) ? "" : `arch=${encoded(arch)}`,
    repository ?? "",
    isTag ? `tag=${encoded(version)}` : "",
  ].filter(Boolean);
  return `${path}${at}${qualifiers.length === 0 ? "" : `?${qualifiers.join("&")}`}`;
}

function kindOf(componentType: string): PackageKind {
  return packageKind(componentType) ?? { purl: UNKNOWN };
}

/** What stands before the last slash, or colon of Maven, is the namespace. */
function purlOf(type: string, name: string, { registry }: Naming): string {
  if (type === IMAGE) return imagePurl(name, registry);
  if (DISTRIBUTED.has(type)) return joined(type, [name]);
  const path = type === "maven" ? name.replaceAll(":", "/") : name;
  const segments = segmentsOf(path);
  // Scanners find archives whose group they cannot tell, and Maven has no packages without one.
  if (type === "maven" && segments.length === 1) return joined(UNKNOWN, segments);
  return joined(type, type === "pypi" ? segments.map(pypiName) : segments);
}

function joined(type: string, segments: readonly string[]): string {
  return `pkg:${type}/${segments.map(encoded).join("/")}`;
}

/**
 * Images have no namespace: they are known by the last part of their name, and by their repository, which
 * is in our registry unless the name begins with the host of another.
 */
function imagePurl(name: string, registry: string): string {
  const segments = segmentsOf(name);
  const [host = ""] = segments;
  const hasHost = segments.length > 1 && /[.:]|^localhost$/.test(host);
  const repository = (hasHost ? segments : [registry, ...segments]).join("/");
  const last = (segments.at(-1) as string).toLowerCase();
  return `pkg:${IMAGE}/${encoded(last)}?repository_url=${encoded(repository)}`;
}

/** A name of slashes alone is one segment: a package URL has a name. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  return segments.length === 0 ? [path] : segments;
}

/** PyPI takes all of these for the same name, and package URLs write only one of them. */
function pypiName(name: string): string {
  return name.toLowerCase().replace(/_/g, "-");
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%3A/g, ":");
}
