/** What artifacts that are for every architecture call theirs. */
const ANY: ReadonlySet<string> = new Set(["", "all", "any", "noarch"]);

/** @example isAnyArchitecture("noarch") // true */
export function isAnyArchitecture(architecture: string): boolean {
  return ANY.has(architecture);
}
