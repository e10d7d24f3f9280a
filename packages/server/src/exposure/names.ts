/** Ecosystems whose names are equal in upper and lower case. */
const CASELESS: ReadonlySet<string> = new Set(["NuGet", "Packagist"]);

/**
 * The name by which packages and records of an ecosystem are compared. Records and package URLs differ in it: PyPI's
 * names are equal after PEP 503, those of NuGet in both cases.
 */
export function canonicalName(ecosystem: string, name: string): string {
  if (ecosystem === "PyPI") return name.toLowerCase().replace(/[-_.]+/g, "-");
  if (ecosystem === "SwiftURL") return name.toLowerCase().replace(/^https:\/\/|\.git$/g, "");
  // Records have the standard library as a module, with this name.
  if (ecosystem === "Go" && name === "std") return "stdlib";
  return CASELESS.has(ecosystem) ? name.toLowerCase() : name;
}
