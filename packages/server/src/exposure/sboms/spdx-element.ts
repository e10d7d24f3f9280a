import { isObject, type JsonObject } from "./json/shape.ts";
import { isImage } from "./package-list.ts";
import type { Origin } from "./sbom.ts";
import { digestIn, isHash, type Texts } from "./texts.ts";

/** An entry of `packages`: a package, an image, a layer, an operating system or the source of one of them. */
export interface SpdxElement {
  readonly ref: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string | undefined;
  /** In upper case, with `-`. */
  readonly purpose: string;
  readonly licenses: string | undefined;
  readonly origin: Origin | undefined;
  readonly description: string | undefined;
  /** Of an image, as the document states them. */
  readonly digests: readonly string[];
  /** Whether it only groups packages, as Trivy's lock files and operating systems do. */
  readonly isGroup: boolean;
}

/** Trivy's sentence about the source package. */
const BUILT_FROM = /^built package from: (\S+) (\S+)$/;

export function spdxElement(entry: JsonObject, index: number, texts: Texts): SpdxElement {
  const name = texts.name(entry.name);
  const version = texts.name(entry.versionInfo);
  const purl = purlOf(entry.externalRefs, texts);
  const purpose = texts.name(entry.primaryPackagePurpose).toUpperCase().replaceAll("_", "-");
  return {
    ref: texts.url(entry.SPDXID) || `package-${index}`,
    name,
    version,
    purl,
    purpose,
    licenses: licenseOf(entry.licenseConcluded, texts) ?? licenseOf(entry.licenseDeclared, texts),
    origin: originOf(entry.sourceInfo),
    description: texts.prose(entry.description) ?? texts.prose(entry.summary),
    digests: mayBeImage(name, purl, purpose)
      ? digestsOf(entry, [name, version, decoded(purl)])
      : NO_DIGESTS,
    isGroup: isGroup(entry),
  };
}

function purlOf(refs: unknown, texts: Texts): string | undefined {
  if (!Array.isArray(refs)) return undefined;
  const found = refs.find((one) => isObject(one) && one.referenceType === "purl");
  return texts.url(found?.referenceLocator) || undefined;
}

function licenseOf(value: unknown, texts: Texts): string | undefined {
  const license = texts.license(value);
  return license === "NOASSERTION" || license === "NONE" ? undefined : license;
}

function originOf(info: unknown): Origin | undefined {
  if (typeof info !== "string" || info.length > 1_024) return undefined;
  const [, name, version] = BUILT_FROM.exec(info) ?? [];
  return name === undefined ? undefined : { name: name.toWellFormed(), version };
}

const NO_DIGESTS: readonly string[] = [];

function mayBeImage(name: string, purl: string | undefined, purpose: string): boolean {
  const isNamed = purpose === "CONTAINER" || name.startsWith("sha256:");
  return isNamed || (purl !== undefined && isImage(purl));
}

/** Syft writes the digest of an image as its version, apko as its name and its checksum. */
function digestsOf(entry: JsonObject, texts: readonly string[]): string[] {
  const checksums = Array.isArray(entry.checksums) ? entry.checksums.filter(isObject) : [];
  const sums = checksums
    .filter(({ algorithm }) => algorithm === "SHA256")
    .map(({ checksumValue }) => checksumValue)
    .filter(isHash)
    .map((hash) => `sha256:${hash}`);
  const written = texts.map(digestIn).filter((digest) => digest !== undefined);
  return [...new Set([...sums, ...written])];
}

function isGroup(entry: JsonObject): boolean {
  const { attributionTexts, annotations } = entry;
  const comments = Array.isArray(annotations)
    ? annotations.map((one) => (isObject(one) ? one.comment : undefined))
    : [];
  const texts = Array.isArray(attributionTexts) ? attributionTexts : [];
  return [...texts, ...comments].some((one) => typeof one === "string" && /^Class: /.test(one));
}

function decoded(purl: string | undefined): string {
  return (purl ?? "").replace(/%3a/gi, ":").replace(/%40/g, "@");
}
