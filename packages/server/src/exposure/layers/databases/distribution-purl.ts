import { formatPackageUrl } from "@wharf/advisories/package-url";
import type { Release } from "../inventory.ts";
import type { DistributionPackage } from "./distribution-package.ts";

const TYPES = { apk: "apk", dpkg: "deb", rpm: "rpm" } as const;

/** Namespaces of package URLs that differ from the ID of the os-release. */
const NAMESPACES: Readonly<Record<string, string>> = {
  azurelinux: "azure-linux",
  "opensuse-leap": "opensuse",
  "opensuse-tumbleweed": "opensuse",
  rhel: "redhat",
  sled: "suse",
  sles: "suse",
};

/** The package URL of a distribution's package; its namespace is `unknown` without an os-release. */
export function distributionPurl(found: DistributionPackage, release: Release | undefined): string {
  const { name, version, architecture, database } = found;
  const id = release?.id.toLowerCase() ?? "";
  const [, epoch = "", rest = version] =
    database === "rpm" ? (/^(\d+):(.*)$/.exec(version) ?? []) : [];
  const distro = [id, release?.versionId].filter(Boolean).join("-");
  return formatPackageUrl({
    type: TYPES[database],
    segments: [(NAMESPACES[id] ?? id) || "unknown", name],
    version: rest,
    qualifiers: new Map(Object.entries({ arch: architecture, distro, epoch, ...found.qualifiers })),
  });
}
