import type { DocumentKind } from "../../store/tables/exposure/images/documents.ts";
import type { StoredImage } from "../../store/tables/exposure/images/images.ts";
import type { FoundAs } from "./attached-documents.ts";
import type { DocumentLevel } from "./image-documents.ts";

/** A document about an image, as it was read. One file may have several. */
export interface DocumentDetail {
  /** The digest of the file. */
  readonly digest: string;
  readonly mediaType: string;
  /** The manifest that it is about: the image, or an index that contains it. */
  readonly target: string;
  readonly level: DocumentLevel;
  readonly foundAs: FoundAs;
  /** Empty if it was refused. */
  readonly kind: DocumentKind | "";
  /** With the version, such as SPDX-2.3; empty if it was refused. */
  readonly format: string;
  /** Whether the packages of the image, or statements about it, are from this document. */
  readonly used: boolean;
  /** The code of the reason why it was refused; empty if it was not. */
  readonly refusal: string;
  readonly description: string;
}

/** The part of an image's row that no condition reads: `detail`, as JSON. */
export interface ImageDetail {
  /** Identifies what was read: the same files are not read again. */
  readonly fingerprint: string;
  /** The reason of the state in a sentence; empty if the packages are known. */
  readonly description: string;
  readonly format: string;
  readonly tool: string;
  /** RFC 3339; empty if it is unknown. */
  readonly generated: string;
  /** Such as alpine 3.20.3; empty if it is unknown. */
  readonly operatingSystem: string;
  readonly documents: readonly DocumentDetail[];
  readonly remarks: readonly string[];
}

export function detailOf({ detail }: Pick<StoredImage, "detail">): ImageDetail {
  return JSON.parse(detail) as ImageDetail;
}
