import { type JsonObject, objectsIn, textsIn } from "../../lib/json-values.ts";
import type { Origin } from "./sbom.ts";
import type { Texts } from "./texts.ts";

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
  /** Whether it only groups packages, as Trivy's lock files and operating systems do. */
  readonly isGroup: boolean;
}

/** Trivy's sentence about the source package. */
const BUILT_FROM = /^built package from: (\S+) (\S+)$/;

export function spdxElement(entry: JsonObject, index: number, texts: Texts): SpdxElement {
  return {
    ref: texts.url(entry.SPDXID) || `package-${index}`,
    name: texts.name(entry.name),
    version: texts.name(entry.versionInfo),
    purl: purlOf(entry.externalRefs, texts),
    purpose: texts.name(entry.primaryPackagePurpose).toUpperCase().replaceAll("_", "-"),
    licenses: licenseOf(entry.licenseConcluded, texts) ?? licenseOf(entry.licenseDeclared, texts),
    origin: originOf(entry.sourceInfo),
    description: texts.prose(entry.description) ?? texts.prose(entry.summary),
    isGroup: isGroup(entry),
  };
}

function purlOf(refs: unknown, texts: Texts): string | undefined {
  const found = objectsIn(refs).find((one) => one.referenceType === "purl");
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

function isGroup(entry: JsonObject): boolean {
  const comments = objectsIn(entry.annotations).map(({ comment }) => comment);
  const texts = [...textsIn(entry.attributionTexts), ...textsIn(comments)];
  return texts.some((one) => one.startsWith("Class: "));
}
