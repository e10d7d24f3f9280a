import type { Advisory } from "@wharf/contract/messages";
import { componentPurl, packagesOf, versioned } from "./packages.ts";
import type { Naming } from "./publication.ts";

/**
 * Whether two advisories have the same artifact, possibly under different names: documents identify a Python
 * library by `pkg:pypi/…`, and an image by its whole repository.
 *
 * @example isSameArtifact(stored, given, publication)
 */
export function isSameArtifact(one: Advisory, other: Advisory, naming: Naming): boolean {
  return artifactUrl(one, naming) === artifactUrl(other, naming);
}

/**
 * Whether two advisories on the same artifact have the same component in published documents.
 *
 * @example isSameComponent(stored, given, publication)
 */
export function isSameComponent(one: Advisory, other: Advisory, naming: Naming): boolean {
  const isSameLocation = one.componentLocation === other.componentLocation;
  return isSameLocation && componentUrl(one, naming) === componentUrl(other, naming);
}

function artifactUrl(advisory: Advisory, naming: Naming): string | undefined {
  const [first] = packagesOf(advisory, naming);
  return first && versioned(first.url, "", advisory.artifactArchitecture);
}

/** A component with the name of the artifact is the artifact. */
function componentUrl(advisory: Advisory, naming: Naming): string | undefined {
  return componentPurl(advisory, naming) ?? packagesOf(advisory, naming)[0]?.purl;
}
