import type { LanguagePackage } from "./databases/language-package.ts";
import type { FailureCode, ProblemCode } from "./failure.ts";

export type DatabaseKind =
  | "apk"
  | "dpkg"
  | "rpm"
  | "npm"
  | "python"
  | "go"
  | "java"
  | "gem"
  | "composer";

/** The source package that a package was built from. */
export interface PackageOrigin {
  readonly name: string;
  /** Empty if the database does not have it. */
  readonly version: string;
}

export interface LayerPackage extends LanguagePackage {
  readonly origin?: PackageOrigin;
  /** The file that lists the package. */
  readonly path: string;
  /** The purl of the distribution's package that the file belongs to. */
  readonly ownedBy?: string;
}

/** The distribution, from its os-release. */
export interface Release {
  readonly id: string;
  readonly versionId: string;
}

/** A file that could not be read. */
export interface FileProblemReport {
  readonly code: ProblemCode;
  readonly path: string;
  readonly message: string;
}

export interface ReadInventory {
  readonly outcome: "read";
  readonly release: Release | undefined;
  readonly packages: readonly LayerPackage[];
  /** Layers that are not in the registry: the inventory lacks what they contain. */
  readonly foreignLayers: number;
  readonly problems: readonly FileProblemReport[];
  /** All problems, also those that are not listed. */
  readonly problemCount: number;
  /** Jars without Maven coordinates: what they contain is unknown. */
  readonly jarsWithoutCoordinates: number;
}

export interface FailedInventory {
  readonly outcome: "failed";
  readonly code: FailureCode;
  /** The digest of the layer; empty if the failure is not that of one. */
  readonly layer: string;
  readonly message: string;
}

export type LayerInventory = ReadInventory | FailedInventory;
