import manifest from "../../package.json" with { type: "json" };

/** Provenance of a build. */
export interface BuildInfo {
  /** The full hash of the commit, with `-dirty` if files had changed; empty if it is not known. */
  readonly commit: string;
  /** The date of the commit, not of the build, so that a build can be reproduced; empty if it is not known. */
  readonly buildDate: string;
}

/** Defined by the build (scripts/build-info.ts), not when the sources run as they are. */
declare const WHARF_BUILD: BuildInfo | undefined;

/** The version of this server. */
export const VERSION = manifest.version;

export const BUILD: BuildInfo =
  typeof WHARF_BUILD === "undefined" ? { commit: "", buildDate: "" } : WHARF_BUILD;
