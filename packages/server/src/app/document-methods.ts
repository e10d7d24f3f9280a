import type { DescMethod, DescService } from "@bufbuild/protobuf";

/**
 * The methods whose requests contain documents, by service: imports, SBOMs, reports, and the READMEs of repos, which have up to a
 * million characters. All other requests are far smaller, and so is what a server reads of them.
 */
const WITH_DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  "wharf.exposure.v2beta1.InventoryService": ["UploadImageDocument"],
  "wharf.exposure.v2beta1.ScanReportsService": ["UploadScanReport"],
  "wharf.registry.v1.Registry": ["CreateRepo", "UpdateRepo"],
  "wharf.registry.v2beta1.ReposService": ["UpdateRepoReadme"],
  "wharf.vulnerabilities.v2beta1.AdvisoryImportsService": ["ImportAdvisories"],
};

/** The methods of these services whose requests contain documents. */
export function documentMethodsOf(services: readonly DescService[]): ReadonlySet<DescMethod> {
  return methodsNamed(services, WITH_DOCUMENTS);
}

/** The methods in a table by service. Throws for names that do not exist. */
export function methodsNamed(
  services: readonly DescService[],
  names: Readonly<Record<string, readonly string[]>>,
): ReadonlySet<DescMethod> {
  const found = new Set<DescMethod>();
  for (const { typeName, methods } of services) {
    for (const name of names[typeName] ?? []) {
      const method = methods.find((one) => one.name === name);
      if (method === undefined) throw new Error(`${typeName} has no method ${name}`);
      found.add(method);
    }
  }
  return found;
}
