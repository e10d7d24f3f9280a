/** Names of "every architecture". */
const ANY: ReadonlySet<string> = new Set(["", "all", "any", "noarch"]);

/** @example isAnyArchitecture("noarch") // true */
export function isAnyArchitecture(architecture: string): boolean {
  return ANY.has(architecture);
}

/** The architectures of OCI images, by their names in packages. */
const IMAGE_ARCHITECTURES: Readonly<Record<string, string>> = {
  aarch64: "arm64",
  armv7: "arm",
  i686: "386",
  x86: "386",
  x86_64: "amd64",
};

/** @example imageArchitecture("x86_64") // "amd64" */
export function imageArchitecture(architecture: string): string {
  return IMAGE_ARCHITECTURES[architecture] ?? architecture;
}
