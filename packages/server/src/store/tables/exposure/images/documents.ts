import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** Documents that were uploaded for images and indexes: one of each kind. */

export type DocumentKind = "sbom" | "vex";

export interface DocumentHead {
  /** The digest of the manifest that it is about. */
  readonly digest: string;
  readonly kind: DocumentKind;
  /** The digest of the document. */
  readonly document: string;
  readonly mediaType: string;
  /** When it was uploaded. */
  readonly time: number;
  /** The uid of the identity that uploaded it. */
  readonly author: string;
}

export interface UploadedDocument extends DocumentHead {
  /** Compressed with gzip. */
  readonly content: Uint8Array;
}

const HEAD = `digest, kind, document, media_type AS "mediaType", time, author`;

/** The documents of manifests of a repo, without their contents. */
export function uploadedDocuments(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<DocumentHead[]> {
  const sql = `SELECT ${HEAD} FROM image_documents
    WHERE repo = ? AND digest IN (${reader.dialect.texts}) ORDER BY digest, kind`;
  return reader.all<DocumentHead>(sql, repo, JSON.stringify(digests));
}

export function readDocument(
  reader: Reader,
  repo: string,
  digest: string,
  kind: DocumentKind,
): Promise<UploadedDocument | undefined> {
  const sql = `SELECT ${HEAD}, content FROM image_documents
    WHERE repo = ? AND digest = ? AND kind = ?`;
  return reader.get<UploadedDocument>(sql, repo, digest, kind);
}

/** Stores a document in place of an earlier one of its kind. */
export async function writeDocument(
  tx: Transaction,
  repo: string,
  { digest, kind, document, mediaType, content, time, author }: UploadedDocument,
): Promise<void> {
  await tx.run(
    `INSERT INTO image_documents (repo, digest, kind, document, media_type, content, time, author)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (repo, digest, kind) DO UPDATE SET document = excluded.document,
       media_type = excluded.media_type, content = excluded.content, time = excluded.time,
       author = excluded.author`,
    ...[repo, digest, kind, document, mediaType, content, time, author],
  );
}
