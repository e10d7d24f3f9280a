/** A package that a document says is installed. */
export interface SbomPackage {
  /** Unique within the document. */
  readonly ref: string;
  readonly name: string;
  readonly version: string;
  /** As it is written, even if it is not valid. */
  readonly purl?: string | undefined;
  /** An SPDX license expression. */
  readonly licenses?: string | undefined;
  /** The source package that it was built from, if the document names it outside of the package URL. */
  readonly origin?: Origin | undefined;
  readonly description?: string | undefined;
}

export interface Origin {
  readonly name: string;
  readonly version?: string | undefined;
}

/** A relationship between packages, or of a root, from the container or dependent to what it contains or needs. */
export type Edge = readonly [from: string, to: string, type: string];

/** The contents of an SBOM that findings and inventories need. */
export interface Sbom {
  readonly format: "spdx" | "cyclonedx";
  readonly specVersion: string;
  readonly name?: string | undefined;
  readonly tool?: string | undefined;
  /** RFC 3339, in UTC. Absent for the start of 1970, which reproducible builds write. */
  readonly generatedAt?: string | undefined;
  readonly authors: readonly string[];
  readonly operatingSystem?: { readonly id: string; readonly version: string } | undefined;
  readonly packages: readonly SbomPackage[];
  /** Packages without incoming edges are directly below a root. */
  readonly edges: readonly Edge[];
  /** The references of what the document is about. */
  readonly roots: readonly string[];
  /** Packages without a package URL: no advisory can match them. */
  readonly withoutPurl: number;
  /** Packages whose package URL cannot be parsed. */
  readonly invalidPurls: number;
}
