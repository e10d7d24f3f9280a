/** SBOMs as scanners write them: SPDX with licenses, checksums, package URLs, CPEs and relationships. */
import { hash } from "node:crypto";

/** @param words Distinguishes its packages from those of other documents. */
export function sbomText(packages: number, words: string): string {
  const numbers = Array.from({ length: packages }, (_, at) => at);
  return JSON.stringify({
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `image-${words}`,
    documentNamespace: `https://sbom.example/${words}`,
    creationInfo: { creators: ["Tool: scanner-1.0"], created: "2026-03-01T00:00:00Z" },
    packages: numbers.map((at) => packageAt(at, words)),
    relationships: numbers.map((at) => ({
      spdxElementId: "SPDXRef-DOCUMENT",
      relatedSpdxElement: idAt(at),
      relationshipType: "DESCRIBES",
    })),
  });
}

function idAt(at: number): string {
  return `SPDXRef-Package-npm-library-${at}`;
}

function packageAt(at: number, words: string): object {
  const [name, versionInfo] = [`library-${at}`, `1.${at % 100}.0-${words}`];
  const reference = (
    referenceCategory: string,
    referenceType: string,
    referenceLocator: string,
  ) => ({
    ...{ referenceCategory, referenceType, referenceLocator },
  });
  return {
    SPDXID: idAt(at),
    ...{ name, versionInfo, supplier: "Organization: Example", originator: "Person: Example" },
    downloadLocation: `https://packages.example/${name}/-/${name}-${versionInfo}.tgz`,
    filesAnalyzed: false,
    sourceInfo: `acquired package info from installed node module manifest file: /app/node_modules/${name}/package.json`,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: "MIT",
    copyrightText: "NOASSERTION",
    checksums: [{ algorithm: "SHA1", checksumValue: hash("sha1", name) }],
    externalRefs: [
      reference("SECURITY", "cpe23Type", `cpe:2.3:a:${name}:${name}:${versionInfo}:*:*:*:*:*:*:*`),
      reference("PACKAGE-MANAGER", "purl", `pkg:npm/${name}@${versionInfo}`),
    ],
  };
}
