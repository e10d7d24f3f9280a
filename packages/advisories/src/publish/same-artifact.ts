import type { Advisory } from "@wharf/contract/messages";
import { componentPurl, packagesOf, versioned } from "./packages.ts";
import type { Naming } from "./publication.ts";

/**
 * Whether two advisories are on the same artifact, by whichever of its names: documents call a python
 * library `pkg:pypi/…`, and an image by its whole repository.
 *
 * @example isSameArtifact(stored, given, publication)
 */
export function isSameArtifact(one: Advisory, other: Advisory, naming: Naming): boolean {
  return artifactUrl(one, naming) === artifactUrl(other, naming);
}

/**
 * Whether two advisories on the same artifact are on the same component of it, as far as documents tell.
 *
 * @example isSameComponent(stored, given, publication)
 */
export function isSameComponent(one: Advisory, other: Advisory, naming: Naming): boolean {
  const isSamePlace = one.componentLocation === other.componentLocation;
  return isSamePlace && componentUrl(one, naming) === componentUrl(other, naming);
}

function artifactUrl(advisory: Advisory, naming: Naming): string | undefined {
  const [first] = packagesOf(advisory, naming);
  return first && versioned(first.url, "", advisory.artifactArchitecture);
}

/** A component that is called as the artifact is, is the artifact. */
function componentUrl(advisory: Advisory, naming: Naming): string | undefined {
  return componentPurl(advisory, naming) ?? packagesOf(advisory, naming)[0]?.purl;
}
