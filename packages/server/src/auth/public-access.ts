import { Capability } from "@wharf/contract";
import type { Grants } from "./grants.ts";

/** The capabilities that a pull needs. */
export const PULL_CAPABILITIES: readonly Capability[] = [
  Capability.CAP_REPO_LIST,
  Capability.CAP_MANIFEST_LIST,
  Capability.CAP_REPO_BLOBS_GET,
];

/** The capabilities that reading a feed needs. */
export const FEED_CAPABILITIES: readonly Capability[] = [Capability.CAP_ADVISORIES_LIST];

/**
 * Whether everyone can use a capability at a scope. The grants of the identity "anyone" count for pulls and feeds
 * alone, and only if they include everything that these need.
 */
export function isPublicAt(anyone: Grants, capability: Capability, scope: string): boolean {
  const uses = [PULL_CAPABILITIES, FEED_CAPABILITIES];
  return uses.some((needed) => needed.includes(capability) && anyone.holds(needed, scope));
}
