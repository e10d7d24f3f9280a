import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { buildInfo } from "../build-info.ts";
import { ROOT } from "../step.ts";

interface SpdxPackage {
  readonly name: string;
  readonly externalRefs?: readonly object[];
}

interface SpdxDocument {
  readonly name: string;
  readonly packages: readonly SpdxPackage[];
  readonly creationInfo: { readonly created: string; readonly creators: readonly string[] };
}

/**
 * The packages of a release as an SPDX 2.3 document, from the lock file, without those that only development needs. The
 * same commit yields the same document, so npm's own time and random namespace are replaced.
 */
export function sbom(): string {
  const output = execFileSync(
    "npm",
    ["sbom", "--package-lock-only", "--omit=dev", "--sbom-format=spdx"],
    { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 },
  );
  const document = JSON.parse(output) as SpdxDocument;
  const { buildDate } = buildInfo();
  const packages = document.packages.map(withoutForeignName);
  const digest = createHash("sha256").update(JSON.stringify(packages)).digest("hex");
  const made = {
    ...document,
    documentNamespace: `https://spdx.org/spdxdocs/${document.name}-${digest}`,
    creationInfo: { ...document.creationInfo, created: buildDate || "1970-01-01T00:00:00Z" },
    packages,
  };
  return `${JSON.stringify(made, null, 2)}\n`;
}

/** Ours are not in npm's registry: the package URLs that npm derives from their names are of others. */
function withoutForeignName(one: SpdxPackage): SpdxPackage {
  if (one.name !== "wharf" && !one.name.startsWith("@wharf/")) return one;
  const { externalRefs: _, ...own } = one;
  return own;
}
