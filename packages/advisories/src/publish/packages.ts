import type { Advisory, AdvisoryEvent } from "@wharf/contract/messages";
import { imageForms, productKey } from "../image-url.ts";
import { formatPackageUrl, type PackageUrl, parsePackageUrl, versionOf } from "../package-url.ts";
import { typeOfEcosystem } from "../read/ecosystems.ts";
import { imageArchitecture, isAnyArchitecture } from "./architectures.ts";
import { type Assessment, assessmentBy } from "./assessment.ts";
import { APK_ECOSYSTEMS } from "./distributions.ts";
import { type PackageKind, packageKind } from "./package-kinds.ts";
import type { Naming } from "./publication.ts";

/** Types of distribution packages. */
const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

const IMAGE = "oci";

/** The package URL type of packages of unknown type. */
const UNKNOWN = "generic";

/** Identifies one image; any other version of an image is a tag. */
const DIGEST = /^sha(256|512):[0-9a-f]+$/;

/** A package URL without version. */
export type UnversionedUrl = Pick<PackageUrl, "type" | "segments"> &
  Partial<Pick<PackageUrl, "qualifiers">>;

/** A package as scanners identify it. */
export interface PublishedPackage {
  /** The OSV ecosystem; undefined if OSV has none. */
  readonly ecosystem: string | undefined;
  readonly name: string;
  /** The package URL without version; images have the qualifier repository_url. */
  readonly purl: string;
  readonly url: UnversionedUrl;
}

/**
 * The packages of an advisory's artifact: one for each distribution that includes it.
 *
 * @example packagesOf(advisory, publication) // [{ ecosystem: "Wolfi", purl: "pkg:apk/wolfi/openssl", … }]
 */
export function packagesOf(
  { artifactType, artifactName: name, componentType, componentLocation }: Advisory,
  naming: Naming,
): PublishedPackage[] {
  const type = artifactType.toLowerCase();
  const distribution = distributionOf(type, componentLocation);
  if (distribution !== undefined) {
    const namespace = type === "rpm" ? [] : [distribution];
    return [published(componentLocation, name, { type, segments: [...namespace, name] })];
  }
  if (type === "apk") {
    return naming.distributions.map((distribution) =>
      published(APK_ECOSYSTEMS[distribution], name, { type, segments: [distribution, name] }),
    );
  }
  // The component type of a library is its package type.
  const { purl, ecosystem } = packageKind(type) ?? kindOf(componentType);
  return [published(ecosystem, name, urlOf(purl, name, naming))];
}

function published(
  ecosystem: string | undefined,
  name: string,
  url: UnversionedUrl,
): PublishedPackage {
  return { ecosystem, name, purl: formatPackageUrl(url), url };
}

/**
 * The distribution of a package whose location is an OSV release such as Ubuntu:24.04. Its versions must
 * not be compared with those of packages of other distributions.
 *
 * @example distributionOf("deb", "Ubuntu:24.04:LTS") // "ubuntu"
 */
export function distributionOf(type: string, location: string): string | undefined {
  const [distribution = "", release] = location.split(":");
  const isRelease = release !== undefined && DISTRIBUTED.has(type);
  return isRelease && typeOfEcosystem(location) === type ? distribution.toLowerCase() : undefined;
}

/** The package URL of the vulnerable component, unless that is the artifact itself. */
export function componentPurl(advisory: Advisory, naming: Naming): string | undefined {
  return componentPurls(advisory, naming)[0];
}

/**
 * The package URLs of the vulnerable component, one for each distribution that includes it; none if it is the
 * artifact itself.
 */
function componentPurls(advisory: Advisory, naming: Naming): string[] {
  const { componentName, componentType, artifactName, artifactType } = advisory;
  if (componentName === "") return [];
  const type = componentType.toLowerCase();
  const isSame = type === "" || type === artifactType.toLowerCase();
  if (isSame && componentName === artifactName) return [];
  const urls =
    type === "apk"
      ? naming.distributions.map((distribution) => ({
          type,
          segments: [distribution, componentName],
        }))
      : [urlOf(kindOf(type).purl, componentName, naming)];
  const purls = urls.map(formatPackageUrl);
  // The artifact type of a library and its component type may both denote the artifact.
  return purls[0] === packagesOf(advisory, naming)[0]?.purl ? [] : purls;
}

/**
 * The package URLs of the vulnerable components of an assessment: those that it names, or that of the advisory.
 *
 * @example subcomponentUrls(advisory, assessment, naming) // ["pkg:apk/wolfi/libcrypto3"]
 */
export function subcomponentUrls(
  advisory: Advisory,
  { subcomponents }: Assessment,
  naming: Naming,
): readonly string[] {
  return subcomponents.length > 0 ? subcomponents : componentPurls(advisory, naming);
}

/**
 * A package URL with a version and an architecture.
 *
 * @example versioned(url, "3.5.0-r0", "x86_64") // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function versioned(url: UnversionedUrl, version: string, architecture: string): string {
  const isImage = url.type === IMAGE;
  const isTag = isImage && !DIGEST.test(version);
  const arch = isImage ? imageArchitecture(architecture) : architecture;
  const qualifiers = new Map(url.qualifiers);
  if (!isAnyArchitecture(arch)) qualifiers.set("arch", arch);
  if (isTag) qualifiers.set("tag", version);
  return formatPackageUrl({ ...url, version: isTag ? "" : version, qualifiers });
}

/** A product of an assessment. */
export interface ProductUrl {
  readonly purl: string;
  readonly name: string;
  readonly version: string;
}

/**
 * The products that an assessment is about: those that it names, or the artifact of each distribution, in the fixed
 * versions if there are any. Images are in each form that scanners ask with.
 *
 * @example productUrls(advisory, assessment, naming)[0]?.purl // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function productUrls(
  advisory: Advisory,
  { status, fixedIn, products }: Assessment,
  naming: Naming,
): ProductUrl[] {
  const { artifactName, artifactArchitecture } = advisory;
  const inAllForms = (one: ProductUrl) => imageForms(one.purl).map((purl) => ({ ...one, purl }));
  if (products.length > 0) {
    return products
      .map((purl) => ({ purl, name: artifactName, version: versionOf(parsePackageUrl(purl)) }))
      .flatMap(inAllForms);
  }
  const versions = status === "fixed" ? fixedIn : [""];
  return packagesOf(advisory, naming).flatMap(({ url, name }) =>
    versions
      .map((version) => ({ purl: versioned(url, version, artifactArchitecture), name, version }))
      .flatMap(inAllForms),
  );
}

/**
 * Keys of the package URLs that documents have for an event about no single products: those of its products, and of
 * the component in them. An import of such a document repeats them.
 *
 * @example publishedNames(advisory, event, naming).has(productKey("pkg:apk/wolfi/openssl"))
 */
export function publishedNames(
  advisory: Advisory,
  event: AdvisoryEvent,
  naming: Naming,
): ReadonlySet<string> {
  const assessment = assessmentBy(event);
  if (assessment === undefined) return new Set();
  const products = productUrls(advisory, assessment, naming).map(({ purl }) => purl);
  return new Set([...products, ...componentPurls(advisory, naming)].map(productKey));
}

function kindOf(componentType: string): PackageKind {
  return packageKind(componentType) ?? { purl: UNKNOWN };
}

/** The namespace ends at the last slash, or at the last colon of Maven. */
function urlOf(type: string, name: string, { registry }: Naming): UnversionedUrl {
  if (type === IMAGE) return imageUrl(name, registry);
  if (DISTRIBUTED.has(type)) return { type, segments: [name] };
  const path = type === "maven" ? name.replaceAll(":", "/") : name;
  const segments = segmentsOf(path);
  // Scanners find Java archives of unknown group, and Maven packages have a group.
  if (type === "maven" && segments.length === 1) return { type: UNKNOWN, segments };
  return { type, segments: type === "pypi" ? segments.map(pypiName) : segments };
}

/**
 * Images have no namespace: they are identified by the last segment of their name, and by their repository,
 * which is in this installation's registry unless the name begins with a host.
 */
function imageUrl(name: string, registry: string): UnversionedUrl {
  const segments = segmentsOf(name);
  const [host = ""] = segments;
  const hasHost = segments.length > 1 && /[.:]|^localhost$/.test(host);
  const repository = (hasHost ? segments : [registry, ...segments]).join("/");
  const last = (segments.at(-1) as string).toLowerCase();
  return { type: IMAGE, segments: [last], qualifiers: new Map([["repository_url", repository]]) };
}

/** A name that consists of slashes is one segment: a package URL must have a name. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  return segments.length === 0 ? [path] : segments;
}

/** The name as the package URL specification normalizes it. */
function pypiName(name: string): string {
  return name.toLowerCase().replace(/_/g, "-");
}
