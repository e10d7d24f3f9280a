/** Who publishes, where, and for which distributions: what documents say besides the advisories. */
export interface Publication {
  /** Who publishes, such as the name of the group. */
  readonly publisher: string;
  /** A URL that the publisher has to itself, without a slash at its end. */
  readonly namespace: string;
  /** Where the feed is, without a slash at its end. */
  readonly url: string;
  /** The distributions whose packages these are, by the ID of their os-release. */
  readonly distributions: readonly [string, ...string[]];
  /** The host of the registry whose images these are, where their names have none. */
  readonly registry: string;
  /** Whether everyone may read it. */
  readonly isPublic: boolean;
}

/** What the names of packages are made with. */
export type Naming = Pick<Publication, "distributions" | "registry">;

/** What writes these documents, as they say themselves. */
export const TOOL = "wharf";
