import { isObject, type JsonObject, objectsIn } from "../../lib/json-values.ts";
import { isImage } from "./package-list.ts";
import type { Origin, SbomPackage } from "./sbom.ts";
import { digestIn, isHash, type Texts } from "./texts.ts";

/** Components that are content of a product or its surroundings, not software with advisories, unless a package URL says so. */
const NO_PACKAGES: ReadonlySet<string> = new Set([
  ...["container", "cryptographic-asset", "data", "device", "file", "machine-learning-model"],
  ...["operating-system", "platform"],
]);

/** A component of a BOM, without the components in it. */
export interface CycloneComponent {
  readonly type: string;
  readonly package: SbomPackage;
  readonly properties: ReadonlyMap<string, string>;
}

export function cycloneComponent(entry: JsonObject, index: number, texts: Texts): CycloneComponent {
  const group = texts.name(entry.group);
  const own = texts.name(entry.name);
  const version = texts.name(entry.version);
  const purl = texts.url(entry.purl) || undefined;
  const properties = propertiesOf(entry.properties);
  const name = group === "" ? own : `${group}/${own}`;
  return {
    type: texts.name(entry.type),
    package: {
      ref: texts.url(entry["bom-ref"]) || purl || `component-${index}`,
      name,
      version,
      purl,
      licenses: licensesOf(entry.licenses, texts),
      origin: originOf(properties),
      description: texts.prose(entry.description),
    },
    properties,
  };
}

/** Whether a component counts as a package; one without a package URL counts, if it is software. */
export function isPackage({ type, package: { purl }, properties }: CycloneComponent): boolean {
  if (type === "operating-system") return false;
  if (purl !== undefined) return !isImage(purl);
  return !NO_PACKAGES.has(type) && !properties.has("aquasecurity:trivy:Class");
}

/** Syft states the distribution's id beside its name. */
export function systemOf({ package: { name, version }, properties }: CycloneComponent) {
  return {
    id: properties.get("syft:distro:id") ?? name,
    version: properties.get("syft:distro:versionID") ?? version,
  };
}

const MAX_PROPERTY_LENGTH = 1_024;

const PROPERTIES: ReadonlySet<string> = new Set([
  ...["Class", "RepoDigest", "SrcName", "SrcVersion", "SrcEpoch", "SrcRelease"].map(
    (name) => `aquasecurity:trivy:${name}`,
  ),
  ...["syft:distro:id", "syft:distro:versionID", "syft:metadata:originPackage"],
]);

const NONE: ReadonlyMap<string, string> = new Map();

function propertiesOf(list: unknown): ReadonlyMap<string, string> {
  const read = objectsIn(list).flatMap(({ name, value }): [string, string][] => {
    if (typeof name !== "string" || !PROPERTIES.has(name)) return [];
    if (typeof value !== "string" || value.length > MAX_PROPERTY_LENGTH) return [];
    return [[name, value.replaceAll("\0", "").toWellFormed()]];
  });
  return read.length === 0 ? NONE : new Map(read);
}

/** Trivy states the source package in parts, by the tools of the distribution: epoch, version, release. */
function originOf(properties: ReadonlyMap<string, string>): Origin | undefined {
  const name =
    properties.get("aquasecurity:trivy:SrcName") ?? properties.get("syft:metadata:originPackage");
  if (name === undefined || name === "") return undefined;
  const version = properties.get("aquasecurity:trivy:SrcVersion");
  if (version === undefined) return { name };
  const epoch = properties.get("aquasecurity:trivy:SrcEpoch");
  const release = properties.get("aquasecurity:trivy:SrcRelease");
  const prefix = epoch === undefined ? "" : `${epoch}:`;
  return { name, version: `${prefix}${version}${release === undefined ? "" : `-${release}`}` };
}

/** All licenses hold together. Names that are no ids become references, as expressions require. */
function licensesOf(list: unknown, texts: Texts): string | undefined {
  const found = objectsIn(list).map((one) => licenseOf(one, texts));
  const unique = [...new Set(found.filter((one) => one !== undefined))];
  const [only] = unique;
  if (unique.length <= 1) return only;
  return texts.license(unique.map((one) => (/ OR /i.test(one) ? `(${one})` : one)).join(" AND "));
}

function licenseOf({ expression, license }: JsonObject, texts: Texts): string | undefined {
  if (typeof expression === "string") return texts.license(expression);
  if (!isObject(license)) return undefined;
  const id = texts.license(license.id);
  if (id !== undefined) return id;
  const name = texts
    .license(license.name)
    ?.replace(/[^A-Za-z0-9.]+/g, "-")
    .replace(/^-|-$/g, "");
  return name ? `LicenseRef-${name}` : undefined;
}

/** The digests that a document states of its subject, if that is an image: each tool writes them elsewhere. */
export function digestsOf(
  entry: JsonObject,
  { package: one, properties }: CycloneComponent,
): string[] {
  const sums = entry.type === "container" ? objectsIn(entry.hashes) : [];
  const hexes = sums.filter(({ alg }) => alg === "SHA-256").map(({ content }) => content);
  const purl = one.purl !== undefined && isImage(one.purl) ? one.purl.replace(/%3a/gi, ":") : "";
  const texts = [one.version, properties.get("aquasecurity:trivy:RepoDigest") ?? "", purl];
  const written = texts.map(digestIn).filter((digest) => digest !== undefined);
  return [...new Set([...hexes.filter(isHash).map((hex) => `sha256:${hex}`), ...written])];
}
