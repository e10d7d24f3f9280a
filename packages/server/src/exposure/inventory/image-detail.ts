import type { DocumentKind } from "../../store/tables/exposure/images/documents.ts";
import type { StoredImage } from "../../store/tables/exposure/images/images.ts";
import type { ReadSbom } from "./document-messages.ts";
import type { ImageDocument } from "./image-documents.ts";

/** A document about an image, as it was read. One file may have several. */
export interface DocumentDetail
  extends Pick<ImageDocument, "digest" | "mediaType" | "target" | "level" | "foundAs"> {
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
export interface ImageDetail
  extends Pick<ReadSbom, "format" | "tool" | "generated" | "operatingSystem"> {
  /** Identifies what was read: the same files are not read again. */
  readonly fingerprint: string;
  /** The reason of the state in a sentence; empty if the packages are known. */
  readonly description: string;
  readonly documents: readonly DocumentDetail[];
  readonly remarks: readonly string[];
}

export function detailOf({ detail }: Pick<StoredImage, "detail">): ImageDetail {
  return JSON.parse(detail) as ImageDetail;
}
