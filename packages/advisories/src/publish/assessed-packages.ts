import type { Advisory } from "@wharf/contract/messages";
import { formatPackageUrl, isLimited, parsePackageUrl, versionOf } from "../package-url.ts";
import { typeOfEcosystem } from "../read/ecosystems.ts";
import { type Assessment, assessmentsOf } from "./assessment.ts";
import { ecosystemOfNamespace } from "./distributions.ts";
import { packageKind } from "./package-kinds.ts";
import { distributionOf, type PublishedPackage, packagesOf } from "./packages.ts";
import type { Naming } from "./publication.ts";

/** A package with its assessment in all versions. */
export interface AssessedPackage extends PublishedPackage {
  readonly assessment: Assessment;
}

/**
 * The packages that an advisory assesses in all versions, each with its latest assessment: those that assessments
 * name by package URL, and those of the artifact. That single versions are not affected is no assessment of all.
 *
 * @example assessedPackages(advisory, publication)[0]?.assessment.status // "fixed"
 */
export function assessedPackages(advisory: Advisory, naming: Naming): AssessedPackage[] {
  const found = new Map<string, AssessedPackage>();
  for (const assessment of assessmentsOf(advisory)) {
    if (assessment.status === "not_affected" && isLimited(assessment)) continue;
    for (const one of packagesIn(advisory, assessment, naming)) found.set(one.purl, one);
  }
  return [...found.values()];
}

function packagesIn(advisory: Advisory, assessment: Assessment, naming: Naming): AssessedPackage[] {
  if (assessment.products.length === 0) {
    return packagesOf(advisory, naming).map((one) => ({ ...one, assessment }));
  }
  const byPackage = Map.groupBy(assessment.products, unversioned);
  return [...byPackage].map(([purl, products]) => {
    const versions = products.map((one) => versionOf(parsePackageUrl(one))).filter(Boolean);
    const isFixed = assessment.status === "fixed" && versions.length > 0;
    return {
      ...namedPackage(advisory, purl),
      assessment: isFixed ? { ...assessment, fixedIn: [...new Set(versions)] } : assessment,
    };
  });
}

/**
 * A package URL without version, subpath and qualifiers, except for the repository of an image, which is part of
 * its name.
 *
 * @example unversioned("pkg:apk/alpine/busybox@1.36?arch=x86_64") // "pkg:apk/alpine/busybox"
 */
export function unversioned(purl: string): string {
  const url = parsePackageUrl(purl);
  if (url === undefined) return purl;
  const { type, segments, qualifiers } = url;
  const repository = qualifiers.get("repository_url") ?? "";
  return formatPackageUrl({
    type,
    segments,
    qualifiers: new Map([["repository_url", repository]]),
  });
}

function namedPackage(
  { artifactName: name, componentLocation }: Advisory,
  purl: string,
): PublishedPackage {
  const url = parsePackageUrl(purl) ?? { type: "generic", segments: [name] };
  const { type, segments } = url;
  const [namespace = ""] = segments.length > 1 ? segments : [];
  const ofNamespace = ecosystemOfNamespace(namespace);
  const isDistribution = ofNamespace !== undefined && typeOfEcosystem(ofNamespace) === type;
  const isRelease = distributionOf(type, componentLocation) === ofNamespace?.toLowerCase();
  const ofDistribution = isRelease ? componentLocation : ofNamespace;
  const ecosystem = isDistribution ? ofDistribution : packageKind(type)?.ecosystem;
  return { ecosystem, name, purl, url };
}
