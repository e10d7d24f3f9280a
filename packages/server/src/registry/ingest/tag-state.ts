import { clone, create, type DescMethod, equals } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { newChildUid, type Tag, TagSchema } from "@wharf/contract";
import type { Catalog } from "../../engine/catalog.ts";
import { enforceQuota } from "../../engine/quotas.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { nextUpdateTime, timeAfterAll } from "../../engine/write/update-time.ts";
import { notFound } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { requestTagWork } from "../../store/tables/exposure/work/image-work.ts";
import { forgetExpirations, postponeExpiration } from "../../store/tables/registry/retention.ts";
import {
  addEntry,
  confirmEntry,
  lastDigest,
  newestEntry,
} from "../../store/tables/registry/tags.ts";
import { keepDeletedTag } from "../retention/keep-deleted-tag.ts";
import { moveProblem } from "../tag-rules/enforcement.ts";
import { NO_OTHER_LOCATIONS, type OtherLocations, UNKNOWN_DIGEST } from "./other-locations.ts";

/*
 * The tags of repos, as reported by notifications, reconcile passes and API calls. Reports may come
 * twice and in any order: the latest time wins, and a duplicate changes nothing. Every change of a tag
 * writes its audit row and event through the caller's Mutation.
 */

/** A report of a tag. */
export interface TagUpdate {
  readonly name: string;
  readonly digest: string;
  /** Since when the tag has the digest. Undefined means now, regardless of earlier reports. */
  readonly time?: number;
  /** Undefined leaves the stored value. */
  readonly deprecated?: boolean;
  readonly bundles?: readonly string[];
  /** The method in the event of a moved tag; CreateTag if undefined. */
  readonly eventMethod?: DescMethod;
}

export interface TagOutcome {
  /** "older" if the report is older than the stored state; it is then added to the history only. */
  readonly outcome: "created" | "moved" | "unchanged" | "older";
  /** The tag as stored now; undefined if it was deleted after the time of the report. */
  readonly tag: Tag | undefined;
  /** The former digest; empty for a new tag. */
  readonly previous: string;
}

/** Creates or moves a tag. A moved tag keeps its uid and creation time. */
export async function recordTag(
  mutation: Mutation,
  repo: string,
  update: TagUpdate,
): Promise<TagOutcome> {
  const { tx, deps } = mutation;
  const { tags } = deps.catalog;
  await lockRepo(mutation, repo);
  const row = await tags.table.namedForChange(tx, repo, update.name);
  const before = row && tags.fromRow(row);
  if (update.time === undefined) await checkMovable(deps.catalog, tx, repo, update);
  const newest = await newestEntry(tx, repo, update.name);
  const time = update.time ?? Math.max(await writeTime(mutation), newest?.seen ?? 0);
  if (newest !== undefined && time < newest.seen) {
    await recordOlder(mutation, repo, { ...update, time });
    return { outcome: "older", tag: before, previous: before?.digest ?? "" };
  }
  if (newest !== undefined && newest.digest === update.digest) {
    await confirmEntry(tx, newest.id, time);
  } else {
    await addEntry(tx, repo, update.name, update.digest, time);
  }
  // A push is a reason to keep the tag for another while.
  await postponeExpiration(tx, repo, update.name, time);
  const after = applyUpdate(before ?? newTag(repo, time), update);
  if (before !== undefined && equals(TagSchema, before, after)) {
    return { outcome: "unchanged", tag: before, previous: before.digest };
  }
  after.updateTime = nextUpdateTime(before ?? {}, time);
  if (before?.digest !== after.digest) {
    await requestTagWork(tx, repo, update.name, [after.digest, before?.digest ?? ""]);
  }
  if (before === undefined) {
    if (mutation.enforcesQuotas) await enforceQuota(mutation, tags, repo);
    await mutation.insert(tags, after);
    return { outcome: "created", tag: after, previous: "" };
  }
  await mutation.update(tags, after, update.eventMethod ?? tags.method("Create"));
  return { outcome: "moved", tag: after, previous: before.digest };
}

/** The time of a change that a caller makes now; registries report their own. */
export function writeTime({ tx, deps, call }: Mutation): Promise<number> {
  return timeAfterAll(tx, deps.catalog.tags.table, call.time);
}

/**
 * If tags are unique or a rule makes this one immutable, rejects a tag that has another digest, or had one before it was
 * deleted: otherwise deleting and creating it would move it. Reports of registries are not checked, as they have happened
 * already.
 */
export async function checkMovable(
  catalog: Catalog,
  reader: Reader,
  repo: string,
  { name, digest }: Pick<TagUpdate, "name" | "digest">,
): Promise<void> {
  const last = await lastDigest(reader, repo, name);
  if (last === undefined || last === digest) return;
  const problem = await moveProblem(catalog, reader, repo, name);
  if (problem !== undefined) throw problem;
}

function newTag(repo: string, time: number): Tag {
  return create(TagSchema, { uid: newChildUid(repo), createTime: timestampFromMs(time) });
}

function applyUpdate(before: Tag, { name, digest, deprecated, bundles }: TagUpdate): Tag {
  const after = clone(TagSchema, before);
  after.name = name;
  after.digest = digest;
  if (deprecated !== undefined) after.deprecated = deprecated;
  if (bundles !== undefined) after.bundles = [...bundles];
  return after;
}

/** Inserts a report that is older than the newest history entry. */
async function recordOlder(
  { tx }: Mutation,
  repo: string,
  { name, digest, time }: TagUpdate & { readonly time: number },
): Promise<void> {
  const newest = await newestEntry(tx, repo, name);
  if (newest === undefined || (newest.digest === digest && time >= newest.time)) return;
  await addEntry(tx, repo, name, digest, time);
  // The tag moved away and back in between, so the newest digest gets a second entry.
  if (time > newest.time) await addEntry(tx, repo, name, newest.digest, newest.seen);
}

/**
 * Deletes a tag, unless a later report is stored. A tag that other locations of the repo have stays, with
 * the digest that it has there. Returns whether it existed.
 */
export async function removeTag(
  mutation: Mutation,
  repo: string,
  name: string,
  time: number,
  otherLocations: OtherLocations = NO_OTHER_LOCATIONS,
): Promise<boolean> {
  const { tx, deps } = mutation;
  await lockRepo(mutation, repo);
  const newest = await newestEntry(tx, repo, name);
  if (newest !== undefined && time < newest.seen) return false;
  const kept = otherLocations.tags.get(name);
  if (kept !== undefined) {
    const isMoved = kept !== UNKNOWN_DIGEST && kept !== newest?.digest;
    if (isMoved) await recordTag(mutation, repo, { name, digest: kept, time });
    return true;
  }
  await recordRemoval(mutation, repo, name, time);
  const row = await deps.catalog.tags.table.namedForChange(tx, repo, name);
  if (row === undefined) return false;
  await mutation.remove(deps.catalog.tags, deps.catalog.tags.fromRow(row).uid);
  return true;
}

/** Adds a deletion to the history, so that an older report does not restore the tag; a caller may for some days. */
export async function recordRemoval(
  mutation: Mutation,
  repo: string,
  name: string,
  time: number,
): Promise<void> {
  const { tx } = mutation;
  const newest = await newestEntry(tx, repo, name);
  const at = Math.max(time, newest?.seen ?? 0);
  if (newest?.digest) await keepDeletedTag(mutation, repo, { name, digest: newest.digest }, at);
  await forgetExpirations(tx, repo, [name]);
  await requestTagWork(tx, repo, name, [newest?.digest ?? ""]);
  if (newest?.digest === "") await confirmEntry(tx, newest.id, at);
  else await addEntry(tx, repo, name, "", at);
}

/** Serializes changes of the tags of one repo, across replicas. */
export async function lockRepo({ tx, deps }: Mutation, repo: string): Promise<void> {
  if ((await deps.catalog.repos.table.findForChange(tx, repo)) === undefined) {
    throw notFound(deps.catalog.repos.typeName, repo);
  }
}
