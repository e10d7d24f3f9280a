import type { Reader } from "../../store/db/connection.ts";
import { readDocument, uploadedDocuments } from "../../store/tables/exposure/images/documents.ts";
import {
  type AttachedDocument,
  attachedDocuments,
  indexedAttestations,
} from "./attached-documents.ts";
import type { ImageContents } from "./image-contents.ts";

/** The objects that a document is attached to, in the order in which SBOMs are preferred. */
export const LEVELS = ["upload", "image", "index"] as const;

export type DocumentLevel = (typeof LEVELS)[number];

/** A file with documents about an image. */
export interface ImageDocument extends AttachedDocument {
  /** The manifest that it is about: the image, or an index that contains it. */
  readonly target: string;
  readonly level: DocumentLevel;
  readonly isCompressed: boolean;
  /** Undefined if it is not stored. */
  read(): Promise<Uint8Array | undefined>;
}

/** Files that are read for one image. */
const MAX_DOCUMENTS = 64;

export interface ImageIdentity {
  readonly repo: string;
  readonly digest: string;
  /** The indexes that contain it. */
  readonly indexes: readonly string[];
}

export interface FoundDocuments {
  readonly documents: readonly ImageDocument[];
  /** Files that are not read: there are too many. */
  readonly ignored: number;
}

/** The documents about an image: uploaded ones, those attached to it, and those attached to its indexes. */
export async function imageDocuments(
  reader: Reader,
  contents: ImageContents,
  identity: ImageIdentity,
  maxBytes: number,
): Promise<FoundDocuments> {
  const { digest, indexes } = identity;
  const found: ImageDocument[] = await uploads(reader, identity);
  const add = (level: DocumentLevel, target: string, attached: readonly AttachedDocument[]) =>
    found.push(
      ...attached.map((one) => ({
        ...one,
        ...{ level, target, isCompressed: false },
        read: () => contents.blob(one.digest, maxBytes),
      })),
    );
  add("image", digest, await attachedDocuments(contents, digest));
  for (const index of indexes) {
    add("image", digest, await indexedAttestations(contents, index, digest));
  }
  for (const index of indexes) add("index", index, await attachedDocuments(contents, index));
  const seen = new Set<string>();
  const documents = found.filter((one) => !seen.has(one.digest) && seen.add(one.digest));
  const ignored = Math.max(0, documents.length - MAX_DOCUMENTS);
  return { documents: documents.slice(0, MAX_DOCUMENTS), ignored };
}

async function uploads(
  reader: Reader,
  { repo, digest, indexes }: ImageIdentity,
): Promise<ImageDocument[]> {
  const heads = await uploadedDocuments(reader, repo, [digest, ...indexes]);
  // Those of the image itself first.
  heads.sort((a, b) => Number(b.digest === digest) - Number(a.digest === digest));
  return heads.map(({ digest: target, kind, document, mediaType }) => ({
    ...{ digest: document, target, mediaType, size: 0 },
    level: "upload",
    foundAs: "upload",
    isCompressed: true,
    read: async () => (await readDocument(reader, repo, target, kind))?.content,
  }));
}
