import { clone, create, type DescMethod, equals } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ancestorsOf, newChildUid, type Tag, TagSchema } from "@wharf/contract";
import type { Mutation } from "../../engine/mutation.ts";
import { failedPrecondition, notFound, type WharfError } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { wantsUniqueTags } from "../../store/tables/registry-settings.ts";
import { addEntry, confirmEntry, lastDigest, newestEntry } from "../../store/tables/tag-history.ts";

/**
 * What is in the registry, as we come to know it: from its notifications, from looking through it,
 * and from those who tell us. News may come twice and in any order; the latest time wins, and what
 * is already known changes nothing. Every change of a tag or a repo leaves its audit row and its
 * event through the caller's Change.
 */

/** What is told of a tag. */
export interface TagNews {
  readonly name: string;
  readonly digest: string;
  /** When it began to stand for the digest; left out, it does so now, whatever was told before. */
  readonly time?: number;
  /** Left out, these stay as they are. */
  readonly deprecated?: boolean;
  readonly bundles?: readonly string[];
  /** The method whose event tells that it moved; that of making one where left out. */
  readonly toldBy?: DescMethod;
}

/** What came of it. "older" is news of a time before what is known; it is noted in the history. */
export interface TagOutcome {
  readonly outcome: "created" | "moved" | "unchanged" | "older";
  /** The tag as it is now; undefined when it has been deleted since the time of the news. */
  readonly tag: Tag | undefined;
  /** The digest before; empty for a new tag. */
  readonly previous: string;
}

/**
 * Makes a tag, or moves it. Its uid and the time it was made stay when it moves.
 *
 * @example const { outcome } = await recordTag(change, repo.uid, { name: "latest", digest, time });
 */
export async function recordTag(
  change: Mutation,
  repo: string,
  news: TagNews,
): Promise<TagOutcome> {
  const { tx, engine } = change;
  const { tags } = engine.catalog;
  await lockRepo(change, repo);
  const row = await tags.table.namedForChange(tx, repo, news.name);
  const before = row && tags.fromRow(row);
  if (news.time === undefined) await mustBeUnused(tx, repo, news);
  const newest = await newestEntry(tx, repo, news.name);
  const time = news.time ?? Math.max(change.call.time, newest?.seen ?? 0);
  if (newest !== undefined && time < newest.seen) {
    await noteOlder(change, repo, { ...news, time });
    return { outcome: "older", tag: before, previous: before?.digest ?? "" };
  }
  if (newest !== undefined && newest.digest === news.digest) {
    await confirmEntry(tx, newest.id, time);
  } else {
    await addEntry(tx, repo, news.name, news.digest, time);
  }
  const after = changed(before ?? newTag(repo, time), news);
  if (before !== undefined && equals(TagSchema, before, after)) {
    return { outcome: "unchanged", tag: before, previous: before.digest };
  }
  after.updateTime = timestampFromMs(time);
  if (before === undefined) {
    await change.insert(tags, after);
    return { outcome: "created", tag: after, previous: "" };
  }
  await change.update(tags, after, news.toldBy ?? tags.method("Create"));
  return { outcome: "moved", tag: after, previous: before.digest };
}

/**
 * Where tags are unique, rejects a name that stands for another digest, or stood for one before it was
 * deleted: otherwise deleting and creating would move it. What a registry reports has happened already
 * and is not asked.
 *
 * @example await mustBeUnused(tx, repo, { name: "1.0", digest });
 */
export async function mustBeUnused(
  reader: Reader,
  repo: string,
  { name, digest }: Pick<TagNews, "name" | "digest">,
): Promise<void> {
  const last = await lastDigest(reader, repo, name);
  if (last === undefined || last === digest) return;
  if (await wantsUniqueTags(reader, ancestorsOf(repo))) throw notMovable(name);
}

/** The refusal to move a tag where a group has decided that none should. */
export function notMovable(name: string): WharfError {
  const description = `tags are unique here: ${JSON.stringify(name)} cannot move to another image`;
  return failedPrecondition({ type: "TAG_NOT_MOVABLE", description });
}

function newTag(repo: string, time: number): Tag {
  return create(TagSchema, { uid: newChildUid(repo), createTime: timestampFromMs(time) });
}

function changed(before: Tag, { name, digest, deprecated, bundles }: TagNews): Tag {
  const after = clone(TagSchema, before);
  after.name = name;
  after.digest = digest;
  if (deprecated !== undefined) after.deprecated = deprecated;
  if (bundles !== undefined) after.bundles = [...bundles];
  return after;
}

/** Puts what was so before the newest entry into the history, where it stands by its time. */
async function noteOlder(
  { tx }: Mutation,
  repo: string,
  { name, digest, time }: TagNews & { readonly time: number },
): Promise<void> {
  const newest = await newestEntry(tx, repo, name);
  if (newest === undefined || (newest.digest === digest && time >= newest.time)) return;
  await addEntry(tx, repo, name, digest, time);
  // Another image had the name in between, so the newest entry begins anew after that one.
  if (time > newest.time) await addEntry(tx, repo, name, newest.digest, newest.seen);
}

/**
 * Deletes a tag, unless something later is known of it. Returns whether it was there.
 *
 * @example await removeTag(change, repo.uid, "latest", notification.time);
 */
export async function removeTag(
  change: Mutation,
  repo: string,
  name: string,
  time: number,
): Promise<boolean> {
  const { tx, engine } = change;
  await lockRepo(change, repo);
  const newest = await newestEntry(tx, repo, name);
  if (newest !== undefined && time < newest.seen) return false;
  await noteRemoval(change, repo, name, time);
  const row = await engine.catalog.tags.table.namedForChange(tx, repo, name);
  if (row === undefined) return false;
  await change.remove(engine.catalog.tags, engine.catalog.tags.fromRow(row).uid);
  return true;
}

/** Puts into the history that a tag is no more, so that older news does not bring it back. */
export async function noteRemoval(
  { tx }: Mutation,
  repo: string,
  name: string,
  time: number,
): Promise<void> {
  const newest = await newestEntry(tx, repo, name);
  const at = Math.max(time, newest?.seen ?? 0);
  if (newest?.digest === "") await confirmEntry(tx, newest.id, at);
  else await addEntry(tx, repo, name, "", at);
}

/** Changes of the tags of one repo follow one another, on all replicas. */
export async function lockRepo({ tx, engine }: Mutation, repo: string): Promise<void> {
  if ((await engine.catalog.repos.table.findForChange(tx, repo)) === undefined) {
    throw notFound(engine.catalog.repos.typeName, repo);
  }
}
