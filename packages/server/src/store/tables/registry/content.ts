import { ancestorsOf } from "@wharf/contract";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The blobs and manifests of the registry of this server by group, each digest once however many repos at and below the
 * group link to it, and the totals of groups and repos. They change in the transaction of each link, in the functions of
 * blobs.ts and manifests.ts that write links: nothing else does.
 */

/** A blob or manifest of a repo. */
export interface ContentLink {
  readonly repo: string;
  readonly digest: string;
}

export interface ContentTotals {
  /** The uid of a group or repo. */
  readonly scope: string;
  /** Blobs and manifests. */
  readonly contents: number;
  /** Bytes, each digest counted once. */
  readonly bytes: number;
  /** Bytes, each digest counted for every repo that links to it. */
  readonly linked: number;
}

/** Totals of groups after content was added that they did not have, the lowest group last. */
export type ContentGrowth = readonly ContentTotals[];

/** Counts a new link. Returns the groups that have grown by it, whose quotas the caller checks. */
export async function addContent(
  tx: Transaction,
  { repo, digest }: ContentLink,
  size: number,
): Promise<ContentGrowth> {
  const { texts, asInteger } = tx.dialect;
  const groups = ancestorsOf(repo);
  const rows = await tx.all<{ scope: string; links: number }>(
    `INSERT INTO content_links (scope, digest, size, links)
     SELECT value, ?, ${asInteger("?")}, 1 FROM (${texts}) given WHERE true
     ON CONFLICT (scope, digest) DO UPDATE SET links = content_links.links + 1
     RETURNING scope, links`,
    digest,
    size,
    JSON.stringify(groups),
  );
  const grown = rows.filter(({ links }) => links === 1).map(({ scope }) => scope);
  const totals = await addTotals(tx, [
    ...[repo, ...grown].map((scope): Change => [scope, 1, size, 0]),
    ...[repo, ...groups].map((scope): Change => [scope, 0, 0, size]),
  ]);
  const growth = totals.filter(({ scope }) => grown.includes(scope));
  return growth.sort((a, b) => a.scope.length - b.scope.length);
}

/** Links whose statements take milliseconds: the tuples of a statement are those of all groups above. */
const BATCH_SIZE = 500;

/** Counts links that were deleted, of any number of repos. */
export async function removeContent(tx: Transaction, links: readonly ContentLink[]): Promise<void> {
  for (let at = 0; at < links.length; at += BATCH_SIZE)
    await removeBatch(tx, links.slice(at, at + BATCH_SIZE));
}

async function removeBatch(tx: Transaction, links: readonly ContentLink[]): Promise<void> {
  const { tuples, asInteger } = tx.dialect;
  const lost = links.flatMap(({ repo, digest }) =>
    ancestorsOf(repo).map((scope) => [scope, digest] as const),
  );
  const rows = await tx.all<{ scope: string; digest: string; size: number; links: number }>(
    `UPDATE content_links SET links = content_links.links - lost.lost_links
     FROM (SELECT of_scope, of_digest, ${asInteger("count(*)")} AS lost_links
       FROM (${tuples("of_scope", "of_digest")}) given GROUP BY of_scope, of_digest) lost
     WHERE content_links.scope = lost.of_scope AND content_links.digest = lost.of_digest
     RETURNING scope, digest, size, links`,
    JSON.stringify(lost),
  );
  const gone = rows.filter((row) => row.links <= 0);
  await tx.run(
    `DELETE FROM content_links WHERE (scope, digest) IN
       (SELECT of_scope, of_digest FROM (${tuples("of_scope", "of_digest")}) given)`,
    JSON.stringify(gone.map(({ scope, digest }) => [scope, digest])),
  );
  const sizes = new Map(rows.map(({ digest, size }) => [digest, size]));
  const sizeOf = (digest: string) => sizes.get(digest) ?? 0;
  await addTotals(tx, [
    ...links.map(({ repo, digest }): Change => [repo, -1, -sizeOf(digest), -sizeOf(digest)]),
    ...lost.map(([scope, digest]): Change => [scope, 0, 0, -sizeOf(digest)]),
    ...gone.map(({ scope, size }): Change => [scope, -1, -size, 0]),
  ]);
}

type Change = readonly [scope: string, contents: number, bytes: number, linked: number];

/** Adds to totals, in the order of scopes, so that replicas do not deadlock; returns the new ones. */
function addTotals(tx: Transaction, changes: readonly Change[]): Promise<ContentTotals[]> {
  const { tuples, asInteger } = tx.dialect;
  const columns = ["contents", "bytes", "linked"] as const;
  const sums = columns.map((one) => asInteger(`sum(${asInteger(one)})`));
  return tx.all<ContentTotals>(
    `INSERT INTO content_totals (scope, ${columns.join(", ")})
     SELECT scope, ${sums.join(", ")} FROM (${tuples("scope", ...columns)}) given
     WHERE true GROUP BY scope ORDER BY scope
     ON CONFLICT (scope) DO UPDATE SET
       ${columns.map((one) => `${one} = content_totals.${one} + excluded.${one}`).join(", ")}
     RETURNING scope, ${columns.join(", ")}`,
    JSON.stringify(changes),
  );
}

/** The totals of scopes that have ever had content, by uid. */
export async function readContentTotals(
  reader: Reader,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, ContentTotals>> {
  const sql = `SELECT scope, contents, bytes, linked FROM content_totals
    WHERE scope IN (${reader.dialect.texts})`;
  const rows = await reader.all<ContentTotals>(sql, JSON.stringify(scopes));
  return new Map(rows.map((row) => [row.scope, row]));
}

/** Whether a group has this digest, or, without one, anything that is at least so large. */
export async function hasContent(
  reader: Reader,
  group: string,
  { digest, bytes }: { readonly digest: string | undefined; readonly bytes: number },
): Promise<boolean> {
  const [condition, value] = digest === undefined ? ["size >= ?", bytes] : ["digest = ?", digest];
  const sql = `SELECT 1 AS found FROM content_links WHERE scope = ? AND ${condition} LIMIT 1`;
  return (await reader.get(sql, group, value)) !== undefined;
}

/** Totals with the name of the repo or folder that they are of. */
export type NamedTotals = ContentTotals & { readonly name: string };

/** The repos below a group, or the folders directly in it, with the most bytes. */
export function largestContent(
  reader: Reader,
  group: string,
  kind: "repos" | "folders",
  limit: number,
): Promise<NamedTotals[]> {
  const [table, condition, params] =
    kind === "repos"
      ? ["repos", "scope > ? AND scope < ?", [`${group}/`, `${group}0`]]
      : ["groups", "named.parent = ?", [group]];
  return reader.all<NamedTotals>(
    `SELECT scope, contents, bytes, linked, named.name FROM content_totals
     JOIN ${table} named ON named.uid = content_totals.scope
     WHERE ${condition} AND bytes > 0 ORDER BY bytes DESC, scope LIMIT ?`,
    ...params,
    limit,
  );
}

/** Forgets the totals of a deleted group or repo, and their history. */
export async function forgetContent(tx: Transaction, scope: string): Promise<void> {
  await tx.run("DELETE FROM content_totals WHERE scope = ?", scope);
  await tx.run("DELETE FROM content_history WHERE scope = ?", scope);
}
