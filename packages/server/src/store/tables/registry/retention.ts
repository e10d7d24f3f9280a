import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { OWN_HOST } from "./locations.ts";

/** The state of retention: tags, announced deletions, deleted tags, and pulls by identity. */

/** A tag as retention sees it. */
export interface TagState {
  readonly name: string;
  readonly digest: string;
  /** When it was last pushed. */
  readonly pushed: number;
  /** When it is deleted, as announced; 0 if that is not announced. */
  readonly expires: number;
  /** The policy that has announced it. */
  readonly policy: string;
}

/** The tags of a repo: the next ones after a name, or those with some names. */
export function tagStates(
  reader: Reader,
  repo: string,
  which: { readonly after: string; readonly limit: number } | { readonly names: readonly string[] },
): Promise<TagState[]> {
  const [condition, ...params] =
    "names" in which
      ? [`tags.name IN (${reader.dialect.texts})`, JSON.stringify(which.names)]
      : ["tags.name > ? ORDER BY tags.name LIMIT ?", which.after, which.limit];
  return reader.all<TagState>(
    `SELECT tags.name, tags.digest, coalesce(one.expires, 0) AS expires,
       coalesce(one.policy, '') AS policy, coalesce((
         SELECT seen FROM tag_history WHERE tag_history.repo = tags.parent
           AND tag_history.name = tags.name ORDER BY time DESC, id DESC LIMIT 1
       ), tags.updated) AS pushed
     FROM tags LEFT JOIN tag_expirations one
       ON one.repo = tags.parent AND one.name = tags.name AND one.digest = tags.digest
     WHERE tags.parent = ? AND ${condition}`,
    repo,
    ...params,
  );
}

/** The uids of groups and repos that have a policy. */
export async function policyScopes(reader: Reader): Promise<string[]> {
  const rows = await reader.arrays<readonly [string]>("SELECT uid FROM retention_policies");
  return rows.map(([uid]) => uid);
}

/** The next repos of a scope in the registry of this server, but not in one of these attached registries as well. */
export async function ownRepos(
  reader: Reader,
  scope: string,
  attached: readonly string[],
  after: string,
  limit: number,
): Promise<string[]> {
  const at = "SELECT 1 FROM registry_places WHERE registry_places.repo = repos.uid AND host";
  const rows = await reader.arrays<readonly [string]>(
    `SELECT uid FROM repos WHERE uid >= ? AND uid < ? AND uid > ? AND EXISTS (${at} = ?)
       AND NOT EXISTS (${at} IN (${reader.dialect.texts})) ORDER BY uid LIMIT ?`,
    scope,
    `${scope}0`,
    after,
    OWN_HOST,
    JSON.stringify(attached),
    limit,
  );
  return rows.map(([uid]) => uid);
}

/** An announcement of deletions. */
export interface Announcement {
  readonly repo: string;
  readonly policy: string;
  /** The time between the announcement, or the last push, and the deletion. */
  readonly notice: number;
  readonly expires: number;
}

/** Stores when tags are deleted, in place of an earlier announcement. */
export async function announceExpirations(
  tx: Transaction,
  { repo, policy, notice, expires }: Announcement,
  tags: readonly Pick<TagState, "name" | "digest">[],
): Promise<void> {
  const { dialect } = tx;
  const number = dialect.asInteger("?");
  await tx.run(
    `INSERT INTO tag_expirations (repo, policy, notice, expires, name, digest)
     SELECT ?, ?, ${number}, ${number}, name, digest FROM (${dialect.tuples("name", "digest")}) given
     WHERE true ON CONFLICT (repo, name) DO UPDATE SET digest = excluded.digest,
       policy = excluded.policy, notice = excluded.notice, expires = excluded.expires`,
    ...[repo, policy, notice, expires],
    JSON.stringify(tags.map(({ name, digest }) => [name, digest])),
  );
}

/** When a tag of this digest is deleted, as announced. */
export async function expirationOf(
  reader: Reader,
  repo: string,
  name: string,
  digest: string,
): Promise<number | undefined> {
  const sql = "SELECT expires FROM tag_expirations WHERE repo = ? AND name = ? AND digest = ?";
  return (await reader.get<{ expires: number }>(sql, repo, name, digest))?.expires;
}

/** Postpones the announced deletion of a tag that was pushed. */
export async function postponeExpiration(
  tx: Transaction,
  repo: string,
  name: string,
  pushed: number,
): Promise<void> {
  const sql = `UPDATE tag_expirations SET expires = notice + ?
    WHERE repo = ? AND name = ? AND expires < notice + ?`;
  await tx.send(sql, pushed, repo, name, pushed);
}

export async function forgetExpirations(
  tx: Transaction,
  repo: string,
  names: readonly string[],
): Promise<void> {
  const sql = `DELETE FROM tag_expirations WHERE repo = ? AND name IN (${tx.dialect.texts})`;
  await tx.send(sql, repo, JSON.stringify(names));
}

/** Revokes all announcements of a policy. */
export async function forgetAnnouncements(tx: Transaction, policy: string): Promise<void> {
  await tx.run("DELETE FROM tag_expirations WHERE policy = ?", policy);
}

/** A deleted tag that can be restored. */
export interface DeletedTagRow {
  readonly name: string;
  readonly digest: string;
  readonly deleted: number;
  /** Until when it can be restored. */
  readonly expires: number;
  readonly actor: string;
  readonly actorName: string;
}

/** Keeps a deleted tag whose image the registry of this server has. */
export async function addDeletedTag(
  tx: Transaction,
  repo: string,
  { name, digest, deleted, expires, actor, actorName }: DeletedTagRow,
): Promise<void> {
  const number = tx.dialect.asInteger("?");
  await tx.run(
    `INSERT INTO deleted_tags (repo, digest, name, deleted, expires, actor, actor_name)
     SELECT repo, digest, ?, ${number}, ${number}, ?, ? FROM manifests
     WHERE repo = ? AND digest = ? AND content IS NOT NULL
     ON CONFLICT (repo, name) DO UPDATE SET digest = excluded.digest, deleted = excluded.deleted,
       expires = excluded.expires, actor = excluded.actor, actor_name = excluded.actor_name`,
    ...[name, deleted, expires, actor, actorName, repo, digest],
  );
}

/** The next tags of a repo that can be restored at a time. */
export function deletedTags(
  reader: Reader,
  repo: string,
  now: number,
  after: string,
  limit: number,
): Promise<DeletedTagRow[]> {
  const sql = `SELECT name, digest, deleted, expires, actor, actor_name AS "actorName"
    FROM deleted_tags WHERE repo = ? AND name > ? AND expires > ? ORDER BY name LIMIT ?`;
  return reader.all<DeletedTagRow>(sql, repo, after, now, limit);
}

/** The digest of a tag that can be restored at a time. */
export async function digestToRestore(
  reader: Reader,
  repo: string,
  name: string,
  now: number,
): Promise<string | undefined> {
  const sql = "SELECT digest FROM deleted_tags WHERE repo = ? AND name = ? AND expires > ?";
  return (await reader.get<{ digest: string }>(sql, repo, name, now))?.digest;
}

/** The digests among some that a deleted tag can get back at a time. */
export async function digestsToRestore(
  reader: Reader,
  repo: string,
  digests: readonly string[],
  now: number,
): Promise<Set<string>> {
  const sql = `SELECT DISTINCT digest FROM deleted_tags
    WHERE repo = ? AND digest IN (${reader.dialect.texts}) AND expires > ?`;
  const rows = await reader.arrays<readonly [string]>(sql, repo, JSON.stringify(digests), now);
  return new Set(rows.map(([digest]) => digest));
}

export async function forgetDeletedTag(tx: Transaction, repo: string, name: string): Promise<void> {
  await tx.run("DELETE FROM deleted_tags WHERE repo = ? AND name = ?", repo, name);
}

/** Forgets deleted tags that can be restored no longer; returns whether there were any. */
export async function forgetExpiredDeletions(
  tx: Transaction,
  now: number,
  limit: number,
): Promise<boolean> {
  const sql = `DELETE FROM deleted_tags WHERE (repo, name) IN (
    SELECT repo, name FROM deleted_tags WHERE expires <= ? ORDER BY expires LIMIT ?)`;
  return (await tx.run(sql, now, limit)) > 0;
}

export async function hasExpiredDeletions(reader: Reader, now: number): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM deleted_tags WHERE expires <= ? LIMIT 1";
  return (await reader.get(sql, now)) !== undefined;
}

/** The last pull of an image by an identity. */
export type ManifestPull = readonly [digest: string, identity: string, time: number];

/** Records the pull of an image that is stored by an identity, unless a later one is. */
export async function writePullBy(
  tx: Transaction,
  repo: string,
  [digest, identity, time]: ManifestPull,
): Promise<void> {
  await tx.run(
    `INSERT INTO manifest_pulls (repo, digest, identity, time)
     SELECT repo, digest, ?, ${tx.dialect.asInteger("?")} FROM manifests WHERE repo = ? AND digest = ?
     ON CONFLICT (repo, digest, identity) DO UPDATE SET time = excluded.time
     WHERE excluded.time > manifest_pulls.time`,
    ...[identity, time, repo, digest],
  );
}

/** The pulls of a repo: the next ones after one, or those of some images. */
export async function manifestPulls(
  reader: Reader,
  repo: string,
  which:
    | { readonly after: ManifestPull; readonly limit: number }
    | { readonly digests: readonly string[] },
): Promise<ManifestPull[]> {
  const [condition, ...params] =
    "digests" in which
      ? [`digest IN (${reader.dialect.texts})`, JSON.stringify(which.digests)]
      : [
          "(digest, identity) > (?, ?) ORDER BY digest, identity LIMIT ?",
          which.after[0],
          which.after[1],
          which.limit,
        ];
  const sql = `SELECT digest, identity, time FROM manifest_pulls WHERE repo = ? AND ${condition}`;
  return reader.arrays<ManifestPull>(sql, repo, ...params);
}

/** Forgets everything about a deleted repo. */
export async function forgetRetention(tx: Transaction, repo: string): Promise<void> {
  for (const table of ["tag_expirations", "deleted_tags", "manifest_pulls"]) {
    await tx.run(`DELETE FROM ${table} WHERE repo = ?`, repo);
  }
}
