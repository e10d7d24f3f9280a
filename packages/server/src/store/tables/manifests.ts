import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** What is known of the images of repos. The images themselves are in a registry elsewhere. */

/** An image, an index of images for several architectures, or anything else that a registry keeps. */
export type ManifestKind = "image" | "index" | "other";

/** A manifest that an index names, with what the index says of it. */
export interface ManifestChild {
  readonly digest: string;
  /** Empty where the index does not tell. */
  readonly architecture: string;
}

export interface Manifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly kind: ManifestKind;
  /** Of an image, as its configuration has it; empty of anything else. */
  readonly architecture: string;
  /** Bytes of the layers and the configuration. */
  readonly size: number;
  /** Of an index. */
  readonly children: readonly ManifestChild[];
  /** The digest of what it is attached to, or nothing. */
  readonly subject: string;
  readonly configDigest: string;
  readonly pushed: number;
  /** When it was last pulled; 0 for never. */
  readonly pulled: number;
}

type Row = Omit<Manifest, "children"> & { readonly children: string };

const COLUMNS = `digest, media_type AS "mediaType", kind, architecture, size, children, subject,
  config_digest AS "configDigest", pushed, pulled`;

/** @example const manifest = await findManifest(reader, repo, digest); */
export async function findManifest(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<Manifest | undefined> {
  const sql = `SELECT ${COLUMNS} FROM manifests WHERE repo = ? AND digest = ?`;
  const row = await reader.get<Row>(sql, repo, digest);
  return row && { ...row, children: JSON.parse(row.children) as ManifestChild[] };
}

/**
 * Writes what is known of a manifest, unless a later push of it is known. A digest stands for one
 * content, so only the times can differ; the time of the last pull is kept.
 */
export async function writeManifest(
  tx: Transaction,
  repo: string,
  manifest: Omit<Manifest, "pulled">,
): Promise<void> {
  await tx.run(
    `INSERT INTO manifests (repo, digest, media_type, kind, architecture, size, children, subject,
       config_digest, pushed, pulled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
     ON CONFLICT (repo, digest) DO UPDATE SET
       media_type = excluded.media_type, kind = excluded.kind,
       architecture = excluded.architecture, size = excluded.size, children = excluded.children,
       subject = excluded.subject, config_digest = excluded.config_digest, pushed = excluded.pushed
     WHERE excluded.pushed >= manifests.pushed`,
    repo,
    manifest.digest,
    manifest.mediaType,
    manifest.kind,
    manifest.architecture,
    manifest.size,
    JSON.stringify(manifest.children),
    manifest.subject,
    manifest.configDigest,
    manifest.pushed,
  );
}

/** Notes that a manifest was pulled, unless a later pull is known. */
export async function writePull(
  tx: Transaction,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  const sql = "UPDATE manifests SET pulled = ? WHERE repo = ? AND digest = ? AND pulled < ?";
  await tx.run(sql, time, repo, digest, time);
}

/** Deletes what was known at a time; what was pushed again since then stays. */
export async function deleteManifest(
  tx: Transaction,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  const sql = "DELETE FROM manifests WHERE repo = ? AND digest = ? AND pushed <= ?";
  await tx.run(sql, repo, digest, time);
}

export async function hasManifests(reader: Reader, repo: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM manifests WHERE repo = ? LIMIT 1";
  return (await reader.get(sql, repo)) !== undefined;
}

/** Which of these digests are known in a repo. */
export async function knownDigests(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<Set<string>> {
  if (digests.length === 0) return new Set();
  const marks = digests.map(() => "?").join(", ");
  const sql = `SELECT digest FROM manifests WHERE repo = ? AND digest IN (${marks})`;
  const rows = await reader.arrays<readonly [string]>(sql, repo, ...digests);
  return new Set(rows.map(([digest]) => digest));
}

/** Forgets the manifests of a repo that were pushed until a time. */
export async function forgetManifestsUntil(
  tx: Transaction,
  repo: string,
  time: number,
): Promise<void> {
  await tx.run("DELETE FROM manifests WHERE repo = ? AND pushed <= ?", repo, time);
}

/** Forgets all manifests of a repo, when it is deleted. */
export async function forgetManifests(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM manifests WHERE repo = ?", repo);
}
