import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { buildInfo } from "../build-info.ts";
import type { DebianPackage } from "../image/debian.ts";
import { ROOT } from "../step.ts";
import { nodePackage, PLATFORMS, type Platform } from "./node-runtimes.ts";

interface SpdxPackage {
  readonly name: string;
  readonly SPDXID: string;
  readonly externalRefs?: readonly object[];
}

interface SpdxRelationship {
  readonly spdxElementId: string;
  readonly relatedSpdxElement: string;
  readonly relationshipType: string;
}

interface SpdxDocument {
  readonly name: string;
  readonly documentDescribes: readonly string[];
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly SpdxRelationship[];
  readonly creationInfo: { readonly created: string; readonly creators: readonly string[] };
}

export interface SbomContents {
  /** The platforms whose Node.js is in it. */
  readonly platforms?: readonly Platform[];
  readonly debian?: readonly DebianPackage[];
}

/**
 * The packages of a release as an SPDX 2.3 document, from the lock file, without those that only development needs. The
 * same commit yields the same document, so npm's own time and random namespace are replaced.
 */
export function sbom({ platforms = PLATFORMS, debian = [] }: SbomContents = {}): string {
  const output = execFileSync(
    "npm",
    ["sbom", "--package-lock-only", "--omit=dev", "--sbom-format=spdx"],
    { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 },
  );
  const document = JSON.parse(output) as SpdxDocument;
  const { buildDate } = buildInfo();
  const others = PLATFORMS.filter((one) => !platforms.includes(one)).map(nodePackage);
  const npm = document.packages.filter(({ name }) => !others.includes(name));
  const packages = [...npm.map(withoutForeignName), ...debian.map(debianPackage)];
  const ids = new Set(["SPDXRef-DOCUMENT", ...packages.map(({ SPDXID }) => SPDXID)]);
  const [root = ""] = document.documentDescribes;
  const relationships = [
    ...document.relationships.filter(
      (one) => ids.has(one.spdxElementId) && ids.has(one.relatedSpdxElement),
    ),
    ...debian.map((one) => ({
      spdxElementId: debianPackage(one).SPDXID,
      relatedSpdxElement: root,
      relationshipType: "DEPENDENCY_OF",
    })),
  ];
  const digest = createHash("sha256").update(JSON.stringify(packages)).digest("hex");
  const made = {
    ...document,
    documentNamespace: `https://spdx.org/spdxdocs/${document.name}-${digest}`,
    creationInfo: { ...document.creationInfo, created: buildDate || "1970-01-01T00:00:00Z" },
    packages,
    relationships,
  };
  return `${JSON.stringify(made, null, 2)}\n`;
}

/** Ours are not in npm's registry: the package URLs that npm derives from their names are of others. */
function withoutForeignName(one: SpdxPackage): SpdxPackage {
  if (one.name !== "wharf" && !one.name.startsWith("@wharf/")) return one;
  const { externalRefs: _, ...own } = one;
  return own;
}

function debianPackage(one: DebianPackage): SpdxPackage {
  const { name, version, architecture } = one;
  const id = `${name}-${version}-${architecture}`.replace(/[^a-zA-Z0-9.-]/g, ".");
  const made = {
    name,
    SPDXID: `SPDXRef-Debian-${id}`,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    externalRefs: [
      {
        referenceCategory: "PACKAGE-MANAGER",
        referenceType: "purl",
        referenceLocator: debianPackageUrl(one),
      },
    ],
  };
  return made;
}

export function debianPackageUrl({ name, version, architecture }: DebianPackage): string {
  const [encodedName, encodedVersion] = [name, version].map(encodeURIComponent);
  return `pkg:deb/debian/${encodedName}@${encodedVersion}?arch=${architecture}`;
}
