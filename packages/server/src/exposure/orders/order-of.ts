import { apk } from "./apk.ts";
import { cran, hackage } from "./components.ts";
import { deb } from "./deb.ts";
import { gem } from "./gem.ts";
import { maven } from "./maven.ts";
import { nuget } from "./nuget.ts";
import type { VersionOrder } from "./order.ts";
import { packagist } from "./packagist.ts";
import { pep440 } from "./pep440.ts";
import { pub } from "./pub.ts";
import { rpm } from "./rpm.ts";
import { semver } from "./semver.ts";

/** Ecosystems of OSV by their orders. The semantic ones are those whose registries require Semantic Versioning. */
const ECOSYSTEMS: readonly (readonly [order: VersionOrder, ecosystems: readonly string[]])[] = [
  [apk, ["Alpaquita", "Alpine", "BellSoft Hardened Containers", "Chainguard", "MinimOS", "Wolfi"]],
  [cran, ["CRAN"]],
  [deb, ["Debian", "Echo", "Ubuntu"]],
  [gem, ["RubyGems"]],
  [hackage, ["Hackage"]],
  [maven, ["Maven"]],
  [nuget, ["NuGet"]],
  [packagist, ["Packagist"]],
  [pep440, ["PyPI"]],
  [pub, ["Pub"]],
  [
    rpm,
    [
      ...["AlmaLinux", "Azure Linux", "Mageia", "openEuler", "openSUSE", "Photon OS", "Red Hat"],
      ...["Rocky Linux", "SUSE"],
    ],
  ],
  [
    semver,
    ["Bitnami", "crates.io", "GitHub Actions", "Go", "Hex", "Julia", "npm", "SwiftURL", "VSCode"],
  ],
];

const ORDERS: ReadonlyMap<string, VersionOrder> = new Map(
  ECOSYSTEMS.flatMap(([order, names]) => names.map((name) => [name, order] as const)),
);

/** The order of an ecosystem of OSV, with or without release; undefined if its versions cannot be compared. */
export function orderOf(ecosystem: string): VersionOrder | undefined {
  const [name = ""] = ecosystem.split(":");
  return ORDERS.get(name);
}
