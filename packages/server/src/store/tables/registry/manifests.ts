import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { addContent, type ContentGrowth, removeContent } from "./content.ts";

/** Metadata of the images of repos, and the bytes of those manifests that the registry of this server has. */

/** An image, an index of images for several architectures, or another artifact. */
export type ManifestKind = "image" | "index" | "other";

/** A manifest that an index lists. */
export interface ManifestChild {
  readonly digest: string;
  /** Empty where the index does not give it. */
  readonly architecture: string;
}

export interface Manifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly kind: ManifestKind;
  /** The architecture in the configuration of an image; empty for other kinds. */
  readonly architecture: string;
  /** Bytes of the layers and the configuration. */
  readonly size: number;
  /** The manifests that an index lists. */
  readonly children: readonly ManifestChild[];
  /** The digest of the manifest it is attached to, or empty. */
  readonly subject: string;
  readonly configDigest: string;
  readonly pushed: number;
  /** When it was last pulled; 0 for never. */
  readonly pulled: number;
}

type Row = Omit<Manifest, "children"> & { readonly children: string };

const COLUMNS = `digest, media_type AS "mediaType", kind, architecture, size, children, subject,
  config_digest AS "configDigest", pushed, pulled`;

export async function findManifest(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<Manifest | undefined> {
  const sql = `SELECT ${COLUMNS} FROM manifests WHERE repo = ? AND digest = ?`;
  const row = await reader.get<Row>(sql, repo, digest);
  return row && fromRow(row);
}

function fromRow(row: Row): Manifest {
  return { ...row, children: JSON.parse(row.children) as ManifestChild[] };
}

/** The place of a manifest in a list, the last push first. */
export type ManifestPosition = Pick<Manifest, "pushed" | "digest">;

/** The next manifests of a repo, the last push first; only those attached to a subject, or with digests, if given. */
export async function readManifests(
  reader: Reader,
  repo: string,
  given: {
    readonly subject?: string;
    readonly digests?: readonly string[];
    readonly after?: ManifestPosition | undefined;
    readonly limit: number;
  },
): Promise<Manifest[]> {
  const { subject = "", digests = [], after, limit } = given;
  const named = digests.length === 0 ? "" : ` AND digest IN (${digests.map(() => "?").join(", ")})`;
  const attached = subject === "" ? "" : " AND subject = ?";
  const older = after === undefined ? "" : " AND (pushed, digest) < (?, ?)";
  const rows = await reader.all<Row>(
    `SELECT ${COLUMNS} FROM manifests WHERE repo = ?${attached}${named}${older}
     ORDER BY pushed DESC, digest DESC LIMIT ?`,
    repo,
    ...(subject === "" ? [] : [subject]),
    ...digests,
    ...(after === undefined ? [] : [after.pushed, after.digest]),
    limit,
  );
  return rows.map(fromRow);
}

/** Indexes read at a time. */
const INDEX_BATCH_SIZE = 500;

/** All indexes of a repo. */
export async function* indexesOf(reader: Reader, repo: string): AsyncIterable<Manifest> {
  const sql = `SELECT ${COLUMNS} FROM manifests
    WHERE repo = ? AND kind = 'index' AND digest > ? ORDER BY digest LIMIT ?`;
  for (let last: string | undefined = ""; last !== undefined; ) {
    const rows: Row[] = await reader.all<Row>(sql, repo, last, INDEX_BATCH_SIZE);
    yield* rows.map(fromRow);
    last = rows.length < INDEX_BATCH_SIZE ? undefined : rows.at(-1)?.digest;
  }
}

/**
 * Upserts the metadata of a manifest, unless a later push is stored. A digest identifies the content, so
 * only the times can differ; the time of the last pull is kept.
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

/** The bytes of a manifest and its media type; undefined if only an attached registry has it. */
export async function readManifestContent(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<{ readonly mediaType: string; readonly content: Uint8Array } | undefined> {
  const sql = `SELECT media_type AS "mediaType", content FROM manifests
    WHERE repo = ? AND digest = ? AND content IS NOT NULL`;
  return reader.get(sql, repo, digest);
}

/**
 * Stores the bytes of a manifest that is stored, and the blobs and manifests that it refers to. Returns the groups that
 * have grown, for their quotas.
 */
export async function writeManifestContent(
  tx: Transaction,
  repo: string,
  digest: string,
  content: Uint8Array,
  references: readonly string[],
): Promise<ContentGrowth> {
  // The same digest has the same bytes.
  const sql = "UPDATE manifests SET content = ? WHERE repo = ? AND digest = ? AND content IS NULL";
  if ((await tx.run(sql, content, repo, digest)) === 0) return [];
  await tx.run(
    `INSERT INTO manifest_references (repo, manifest, digest)
     SELECT ?, ?, value FROM (${tx.dialect.texts}) given WHERE true ON CONFLICT DO NOTHING`,
    repo,
    digest,
    JSON.stringify([...new Set(references)]),
  );
  return addContent(tx, { repo, digest }, content.length);
}

/** The sizes of those of the digests that are manifests with content in a repo. */
export async function storedManifests(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const sql = `SELECT digest, length(content) AS size FROM manifests
    WHERE repo = ? AND content IS NOT NULL AND digest IN (${reader.dialect.texts})`;
  const rows = await reader.arrays<readonly [string, number]>(sql, repo, JSON.stringify(digests));
  return new Map(rows);
}

export interface StoredContent {
  readonly digest: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The bytes of manifests that are attached to a subject, in the order of their digests. */
export function readReferrers(
  reader: Reader,
  repo: string,
  subject: string,
  after: string,
  limit: number,
): Promise<StoredContent[]> {
  const sql = `SELECT digest, media_type AS "mediaType", content FROM manifests
    WHERE repo = ? AND subject = ? AND subject <> '' AND digest > ? AND content IS NOT NULL
    ORDER BY digest LIMIT ?`;
  return reader.all(sql, repo, subject, after, limit);
}

/** The indexes of a repo that list one of these manifests that the registry of this server has. */
export async function indexesListing(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<{ readonly digest: string; readonly children: readonly string[] }[]> {
  // References are also those of an attached index to its subject.
  const rows = await reader.all<Pick<Row, "digest" | "children">>(
    `SELECT digest, children FROM manifests WHERE repo = ? AND kind = 'index' AND digest IN (
       SELECT manifest FROM manifest_references WHERE repo = ? AND digest IN (${reader.dialect.texts}))`,
    repo,
    repo,
    JSON.stringify(digests),
  );
  const listed = new Set(digests);
  const indexes = rows.map(({ digest, children }) => ({
    digest,
    children: childDigests(children),
  }));
  return indexes.filter(({ children }) => children.some((child) => listed.has(child)));
}

function childDigests(json: string): string[] {
  return (JSON.parse(json) as ManifestChild[]).map(({ digest }) => digest);
}

/** A manifest as retention sees it. */
export interface ManifestState {
  readonly digest: string;
  readonly pushed: number;
  /** When it was last pulled; 0 for never. */
  readonly pulled: number;
  /** Since when retention knows that it has no tag; 0 if it has one. */
  readonly untagged: number;
  readonly subject: string;
  /** The manifests that an index lists. */
  readonly children: readonly string[];
}

/** The manifests of a repo: the next ones after a digest, or those with some digests. */
export async function manifestStates(
  reader: Reader,
  repo: string,
  which:
    | { readonly after: string; readonly limit: number }
    | { readonly digests: readonly string[] },
): Promise<ManifestState[]> {
  const [condition, ...params] =
    "digests" in which
      ? [`digest IN (${reader.dialect.texts})`, JSON.stringify(which.digests)]
      : ["digest > ? ORDER BY digest LIMIT ?", which.after, which.limit];
  const sql = `SELECT digest, pushed, pulled, untagged, subject, children FROM manifests
    WHERE repo = ? AND ${condition}`;
  const rows = await reader.all<Omit<ManifestState, "children"> & { readonly children: string }>(
    sql,
    repo,
    ...params,
  );
  return rows.map((row) => ({ ...row, children: childDigests(row.children) }));
}

/** Records since when manifests have no tag; 0 for those that have one again. */
export async function markUntagged(
  tx: Transaction,
  repo: string,
  digests: readonly string[],
  since: number,
): Promise<void> {
  const changed = since === 0 ? "untagged > 0" : "untagged = 0";
  const sql = `UPDATE manifests SET untagged = ? WHERE repo = ? AND ${changed} AND digest IN (${tx.dialect.texts})`;
  await tx.run(sql, since, repo, JSON.stringify(digests));
}

/** Forgets since when the manifests of a repo, or of all repos below a group, have no tag. */
export async function forgetUntagged(tx: Transaction, scope: string): Promise<void> {
  const sql = "UPDATE manifests SET untagged = 0 WHERE repo >= ? AND repo < ? AND untagged > 0";
  await tx.run(sql, scope, `${scope}0`);
}

/** A reference of a manifest: to a blob, another manifest or its subject. */
export type ManifestReference = readonly [manifest: string, digest: string];

/** The next references of the manifests of a repo. */
export async function referencesAfter(
  reader: Reader,
  repo: string,
  [manifest, digest]: ManifestReference,
  limit: number,
): Promise<ManifestReference[]> {
  const sql = `SELECT manifest, digest FROM manifest_references
    WHERE repo = ? AND (manifest, digest) > (?, ?) ORDER BY manifest, digest LIMIT ?`;
  return reader.arrays<ManifestReference>(sql, repo, manifest, digest, limit);
}

/** Whether a manifest of a repo refers to a digest. */
export async function isReferred(reader: Reader, repo: string, digest: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM manifest_references WHERE digest = ? AND repo = ? LIMIT 1";
  return (await reader.get(sql, digest, repo)) !== undefined;
}

/** A manifest of a repo that refers to a digest. */
export function findReferrer(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<StoredContent | undefined> {
  const sql = `SELECT manifests.digest, media_type AS "mediaType", content FROM manifest_references referring
    JOIN manifests ON manifests.repo = referring.repo AND manifests.digest = referring.manifest
    WHERE referring.digest = ? AND referring.repo = ? AND content IS NOT NULL LIMIT 1`;
  return reader.get(sql, digest, repo);
}

/** Deletes references of manifests that are not stored any more. */
async function deleteReferences(tx: Transaction, repo: string): Promise<void> {
  await tx.run(
    `DELETE FROM manifest_references WHERE repo = ? AND NOT EXISTS (
       SELECT 1 FROM manifests WHERE manifests.repo = manifest_references.repo
         AND manifests.digest = manifest_references.manifest)`,
    repo,
  );
}

/** Records a pull, unless a later one is stored. */
export async function writePull(
  tx: Transaction,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  const sql = "UPDATE manifests SET pulled = ? WHERE repo = ? AND digest = ? AND pulled < ?";
  await tx.run(sql, time, repo, digest, time);
}

/** Deletes a manifest, unless it was pushed after this time. */
export async function deleteManifest(
  tx: Transaction,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  if ((await deleteRows(tx, repo, " AND digest = ? AND pushed <= ?", digest, time)) === 0) return;
  await tx.run("DELETE FROM manifest_references WHERE repo = ? AND manifest = ?", repo, digest);
  await tx.run("DELETE FROM manifest_pulls WHERE repo = ? AND digest = ?", repo, digest);
}

/** Deletes manifests of a repo, and returns how many. */
async function deleteRows(
  tx: Transaction,
  repo: string,
  condition = "",
  ...params: (string | number)[]
): Promise<number> {
  const rows = await tx.all<{ digest: string; size: number | null }>(
    `DELETE FROM manifests WHERE repo = ?${condition} RETURNING digest, length(content) AS size`,
    repo,
    ...params,
  );
  const stored = rows.filter(({ size }) => size !== null);
  await removeContent(
    tx,
    stored.map(({ digest }) => ({ repo, digest })),
  );
  return rows.length;
}

export async function hasManifests(reader: Reader, repo: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM manifests WHERE repo = ? LIMIT 1";
  return (await reader.get(sql, repo)) !== undefined;
}

/** Whether a repo anywhere below a group has tags or manifests. */
export async function hasImagesBelow(reader: Reader, group: string): Promise<boolean> {
  // The children of a uid are between `uid/` and `uid0`.
  const [from, to] = [`${group}/`, `${group}0`];
  const tagged = "SELECT 1 AS found FROM tags WHERE parent > ? AND parent < ? LIMIT 1";
  if ((await reader.get(tagged, from, to)) !== undefined) return true;
  const stored = "SELECT 1 AS found FROM manifests WHERE repo > ? AND repo < ? LIMIT 1";
  return (await reader.get(stored, from, to)) !== undefined;
}

/** The digests that a repo has metadata of. */
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

/** Deletes the manifests of a repo that were pushed up to a time. */
export async function forgetManifestsUntil(
  tx: Transaction,
  repo: string,
  time: number,
): Promise<void> {
  await deleteRows(tx, repo, " AND pushed <= ?", time);
  await deleteReferences(tx, repo);
}

/** Deletes all manifests of a deleted repo. */
export async function forgetManifests(tx: Transaction, repo: string): Promise<void> {
  await deleteRows(tx, repo);
  await deleteReferences(tx, repo);
}
