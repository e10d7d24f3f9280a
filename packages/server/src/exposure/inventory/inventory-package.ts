import { storable } from "../../store/resources/storable.ts";
import {
  keyOf,
  type PackageVersion,
} from "../../store/tables/exposure/packages/package-versions.ts";
import type { ReadInventory } from "../layers/inventory.ts";
import { type InstalledPackage, installedPackage, type PackageContext } from "../purl.ts";
import { hasReleases } from "../releases.ts";
import type { Sbom, SbomPackage } from "../sboms/sbom.ts";

/** A package of an image, before it is stored. */
export interface InventoryPackage {
  /** The key of the version. */
  readonly key: string;
  readonly version: PackageVersion;
  /** The reference of the package by which others name it as their owner. */
  readonly ref: string;
  /** The reference of the distribution's package that contains this one; empty without one. */
  readonly owner: string;
  readonly location: string;
}

/** The part of a package version that no condition reads, as JSON in `detail`. */
export type VersionDetail = Pick<
  InstalledPackage,
  "type" | "arch" | "modularity" | "distro" | "isForeign"
>;

/** A package as a document or a database describes it, beside its package URL. */
interface PackageDescription {
  readonly name: string;
  /** Empty if it is unknown. */
  readonly version: string;
  readonly origin?: SbomPackage["origin"];
  /** An SPDX license expression; empty if it is unknown. */
  readonly licenses: string;
}

/** Package URLs of packages of distributions. */
const DISTRIBUTED = /^\s*pkg:\/*(?:apk|deb|rpm)\//i;

/** Relationships by which a package of a distribution has the files of another one. */
const OWNING: ReadonlySet<string> = new Set(["CONTAINS", "OWNS"]);

/** The packages of an SBOM that have a package URL. */
export function packagesOfSbom(sbom: Sbom): InventoryPackage[] {
  const { operatingSystem: os, packages } = sbom;
  const distro = os === undefined ? "" : `${os.id}-${os.version}`;
  const named = packages.flatMap(({ purl, ...one }) =>
    purl === undefined ? [] : { ...one, purl },
  );
  const owners = ownersIn(sbom, new Map(named.map(({ ref, purl }) => [ref, purl])));
  return named.map((one) => {
    const version = versionOf(one.purl, { ...one, licenses: one.licenses ?? "" }, distro);
    const owner = owners.get(one.ref) ?? "";
    return { key: keyOf(version), version, ref: one.ref, owner, location: "" };
  });
}

/** The packages of a distribution that own packages of other kinds, by the references of these. */
function ownersIn({ edges }: Sbom, purls: ReadonlyMap<string, string>): Map<string, string> {
  const isDistributed = (ref: string) => DISTRIBUTED.test(purls.get(ref) ?? "");
  const owners = new Map<string, string>();
  for (const [from, to, type] of edges) {
    if (!OWNING.has(type) || !purls.has(to)) continue;
    if (isDistributed(from) && !isDistributed(to)) owners.set(to, from);
  }
  return owners;
}

/** The packages in the databases of an image's layers. */
export function packagesOfLayers({ packages, release }: ReadInventory): InventoryPackage[] {
  const distro = release === undefined ? "" : `${release.id}-${release.versionId}`;
  return packages.map((one) => {
    const described = { ...one, licenses: one.licenses.join(" AND ") };
    const version = versionOf(one.purl, described, distro);
    const place = { ref: one.purl, owner: one.ownedBy ?? "", location: storable(one.path) };
    return { key: keyOf(version), version, ...place };
  });
}

/** The row of a package; one whose package URL is invalid has no ecosystem. */
function versionOf(purl: string, described: PackageDescription, distro: string): PackageVersion {
  const found = installedPackage(purl, contextOf(described, distro));
  const { type = "", arch = "", modularity = "", isForeign = false } = found ?? {};
  const detail: VersionDetail = { type, arch, modularity, distro: found?.distro ?? "", isForeign };
  const { name, version } = found ?? described;
  const isOwnOrigin = found?.origin?.name === name && found.origin.version === version;
  const origin = isOwnOrigin ? undefined : found?.origin;
  return {
    purl: storable(purl),
    ecosystem: found?.ecosystem ?? "",
    release: found?.release ?? "",
    name: storable(name),
    version: storable(version),
    origin: storable(origin?.name ?? ""),
    originVersion: storable(origin?.version ?? ""),
    license: storable(described.licenses),
    detail: storable(JSON.stringify(detail)),
  };
}

function contextOf({ version, origin }: PackageDescription, distro: string): PackageContext {
  return {
    ...(distro !== "" && { distro }),
    ...(version !== "" && { version }),
    ...(origin && { origin: { name: origin.name, version: origin.version || version } }),
  };
}

/** Whether records of the ecosystem are about releases, and that of the package is unknown. */
export function lacksRelease({ version }: InventoryPackage): boolean {
  return version.release === "" && hasReleases(version.ecosystem);
}
