import manifest from "../package.json" with { type: "json" };

/** The version of this build. */
export function version(): string {
  return manifest.version;
}
