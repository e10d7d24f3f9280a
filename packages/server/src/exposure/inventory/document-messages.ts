import type { Sbom } from "../sboms/sbom.ts";
import type { VexStatement } from "../sboms/vex-statement.ts";
import type { ReportReading } from "../scans/read-report.ts";
import type { SignatureReading, SignatureRequest } from "../signatures/signature-messages.ts";
import type { InventoryPackage } from "./inventory-package.ts";

/** A document to read. */
export interface DocumentRequest {
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Whether it is compressed with gzip. */
  readonly isCompressed: boolean;
  /** The digests that attestations must be about: those of the image and of its indexes. */
  readonly digests: readonly string[];
  /** Whether readings contain the whole SBOM, with its relationships. */
  readonly isWhole?: boolean;
  /** The document is a signature, or its payload, to be verified only. */
  readonly signature?: SignatureRequest;
}

/** The part of an SBOM that is stored. */
export interface ReadSbom {
  /** With the version, such as SPDX-2.3. */
  readonly format: string;
  readonly tool: string;
  /** RFC 3339; empty if it is unknown. */
  readonly generated: string;
  /** Such as alpine 3.20.3; empty if it is unknown. */
  readonly operatingSystem: string;
  /** The packages with a package URL. */
  readonly packages: readonly InventoryPackage[];
  readonly withoutPurl: number;
  readonly invalidPurls: number;
}

/** Contents of a document, or the reason why it was refused. */
export interface DocumentReading {
  readonly sbom?: ReadSbom | undefined;
  readonly whole?: Sbom | undefined;
  /** Whether the document is wrapped in an attestation. */
  readonly isAttested?: boolean;
  readonly statements?: readonly VexStatement[] | undefined;
  readonly refusal?: { readonly code: string; readonly message: string } | undefined;
  readonly signature?: SignatureReading;
}

/** A report of a scanner to read. */
export interface ReportRequest {
  readonly id: number;
  readonly report: Uint8Array;
}

export interface ThreadAnswer {
  readonly id: number;
  /** One for each SBOM and VEX document of a file: an attestation may have several. */
  readonly readings?: readonly DocumentReading[];
  readonly report?: ReportReading;
  /** An error of the program, not of the document. */
  readonly error?: string;
}
