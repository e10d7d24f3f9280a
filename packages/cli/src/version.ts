import { BUILD, type BuildInfo } from "@wharf/server/lib/version.ts";
import manifest from "../package.json" with { type: "json" };

/** The version of this build. */
export function version(): string {
  return manifest.version;
}

/** The output of `wharf version -o json`. */
export interface VersionDetails extends BuildInfo {
  readonly version: string;
  readonly nodeVersion: string;
  readonly platform: string;
}

export function versionDetails(): VersionDetails {
  return {
    version: version(),
    ...BUILD,
    nodeVersion: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}
