import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** Signatures of manifests with the results of their verification. */

/** The forms of signatures. The numbers are those of SignatureForm. */
export const SIGNATURE_FORMS = { bundle: 1, simple: 2, envelope: 3, notary: 4 } as const;

export type SignatureForm = keyof typeof SIGNATURE_FORMS;

/** The part of a signature that no condition reads, as JSON. */
export interface SignatureDetail {
  /** Why it is not verified, in a sentence; empty if it is. */
  readonly description: string;
  /** Of an attestation. */
  readonly predicateType: string;
  /** The subject and the issuer in the certificate; empty without one. */
  readonly subject: string;
  readonly issuer: string;
  /** When it was made, by a log or a timestamp authority that the key trusts, in milliseconds; 0 if none says so. */
  readonly time: number;
  /** The digest of the attached manifest; empty if it was found by a tag. */
  readonly manifest: string;
  /** The digest of the blob with the signature or its payload. */
  readonly document: string;
}

/** The result of reading a signature. */
export interface StoredSignature {
  readonly form: (typeof SIGNATURE_FORMS)[SignatureForm];
  /** The verification key that has verified it, with its update time; empty if none has. */
  readonly keyUid: string;
  readonly keyVersion: number;
  /** The code of the reason why it is not verified; empty if it is. */
  readonly reason: string;
  readonly detail: SignatureDetail;
  /** When it was verified, or not, in milliseconds since 1970. */
  readonly checked: number;
}

/** Replaces the signatures of a manifest. */
export async function replaceSignatures(
  tx: Transaction,
  repo: string,
  digest: string,
  signatures: readonly StoredSignature[],
): Promise<void> {
  await tx.run("DELETE FROM image_signatures WHERE repo = ? AND digest = ?", repo, digest);
  if (signatures.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const names = ["position", "form", "key_uid", "key_version", "reason", "detail", "checked"];
  const texts = new Set(["key_uid", "reason", "detail"]);
  const values = names.map((name) => (texts.has(name) ? name : asInteger(name)));
  await tx.run(
    `INSERT INTO image_signatures (repo, digest, ${names.join(", ")})
     SELECT ?, ?, ${values.join(", ")} FROM (${tuples(...names)}) given`,
    repo,
    digest,
    JSON.stringify(
      signatures.map(({ form, keyUid, keyVersion, reason, detail, checked }, position) => [
        ...[position, form, keyUid, keyVersion, reason, JSON.stringify(detail), checked],
      ]),
    ),
  );
}

/** A verification counts only while the key is as it was then: a deleted key has verified nothing. */
const KEY_OF_SIGNATURE = `LEFT JOIN verification_keys k
  ON k.uid = s.key_uid AND k.updated = s.key_version AND s.key_uid <> ''`;

export interface CurrentSignature extends StoredSignature {
  /** The name of the key; null if the signature is not verified, or not any more. */
  readonly keyName: string | null;
}

/** The signatures of a manifest, in their order. */
export async function signaturesOf(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<CurrentSignature[]> {
  const rows = await reader.all<Omit<CurrentSignature, "detail"> & { readonly detail: string }>(
    `SELECT form, key_uid AS "keyUid", key_version AS "keyVersion", reason, detail, checked,
       k.name AS "keyName" FROM image_signatures s ${KEY_OF_SIGNATURE}
     WHERE s.repo = ? AND s.digest = ? ORDER BY s.position`,
    repo,
    digest,
  );
  return rows.map((row) => ({
    ...row,
    detail: JSON.parse(row.detail) as SignatureDetail,
    checked: Number(row.checked),
  }));
}

export interface SignatureCounts {
  readonly digest: string;
  readonly signatures: number;
  readonly verified: number;
}

/** The numbers of signatures of those of the digests that have some. */
export async function signatureCounts(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<SignatureCounts[]> {
  const rows = await reader.all<SignatureCounts>(
    `SELECT s.digest AS digest, count(*) AS signatures, count(k.uid) AS verified
     FROM image_signatures s ${KEY_OF_SIGNATURE}
     WHERE s.repo = ? AND s.digest IN (${reader.dialect.texts})
     GROUP BY s.digest ORDER BY s.digest`,
    repo,
    JSON.stringify(digests),
  );
  return rows.map(({ digest, signatures, verified }) => ({
    ...{ digest, signatures: Number(signatures), verified: Number(verified) },
  }));
}

/** A verification key as it is stored. */
export interface KeyRow {
  readonly uid: string;
  readonly parent: string;
  readonly updated: number;
  readonly data: Uint8Array;
}

/** The verification keys of groups. */
export async function keysOfGroups(
  reader: Reader,
  groups: readonly string[],
  limit: number,
): Promise<KeyRow[]> {
  const rows = await reader.all<KeyRow>(
    `SELECT uid, parent, updated, data FROM verification_keys
     WHERE parent IN (${reader.dialect.texts}) ORDER BY parent DESC, name, uid LIMIT ?`,
    JSON.stringify(groups),
    limit,
  );
  return rows.map((row) => ({ ...row, updated: Number(row.updated) }));
}

/** Tags that attach signatures or attestations to a digest. */
function attachingTags(digest: string): string[] {
  const name = digest.replace(":", "-");
  return [name, `${name}.sig`, `${name}.att`];
}

/** Whether a manifest may have signatures: something is attached to its digest. */
export async function hasAttached(reader: Reader, repo: string, digest: string): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM manifests WHERE repo = ? AND subject = ? AND subject <> ''
    UNION ALL SELECT 1 AS found FROM tags WHERE parent = ? AND name IN (?, ?, ?) LIMIT 1`;
  return (await reader.get(sql, repo, digest, repo, ...attachingTags(digest))) !== undefined;
}

export interface SignedManifest {
  readonly repo: string;
  readonly digest: string;
}

/** The next manifests below a group that have signatures, by repo and digest. */
export function signedBelow(
  reader: Reader,
  group: string,
  { repo, digest }: SignedManifest,
  limit: number,
): Promise<SignedManifest[]> {
  // What is below a uid is between `uid/` and `uid0`.
  return reader.all<SignedManifest>(
    `SELECT DISTINCT repo, digest FROM image_signatures
     WHERE repo > ? AND repo < ? AND (repo, digest) > (?, ?) ORDER BY repo, digest LIMIT ?`,
    `${group}/`,
    `${group}0`,
    repo,
    digest,
    limit,
  );
}
