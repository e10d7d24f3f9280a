/** The publisher, URLs and distributions of a feed, which documents include besides the advisories. */
export interface Publication {
  /** The name of the publisher, such as the name of the group. */
  readonly publisher: string;
  /** A URL that belongs to the publisher, without trailing slash. */
  readonly namespace: string;
  /** The URL of the feed, without trailing slash. */
  readonly url: string;
  /** The distributions that include the packages, by the ID of their os-release. */
  readonly distributions: readonly [string, ...string[]];
  /** The registry host of images whose names have none. */
  readonly registry: string;
  /** Whether anonymous clients may read it. */
  readonly isPublic: boolean;
  /** The fingerprint of the OpenPGP key that signs CSAF documents; undefined if they are not signed. */
  readonly openpgpFingerprint?: string;
}

/** The inputs of package URLs besides the advisory. */
export type Naming = Pick<Publication, "distributions" | "registry">;

/** For comparisons of packages, which do not depend on distribution and registry. */
export const ANY_NAMING: Naming = { distributions: ["-"], registry: "-" };

/** The generator that documents name. */
export const TOOL = "wharf";
