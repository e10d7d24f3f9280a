import type { Mutation } from "../../engine/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import { readPage } from "../../store/resources/page.ts";
import {
  deleteManifest,
  type Manifest,
  writeManifest,
  writePull,
} from "../../store/tables/manifests.ts";
import { deletionOf, noteDeletion } from "../../store/tables/processed-notifications.ts";
import { newestEntry } from "../../store/tables/tag-history.ts";
import { lockRepo, removeTag } from "./tag-state.ts";

/** What is known of the images of repos, beside their tags; it comes twice and in any order, as those do. */

/**
 * Keeps what is known of a manifest, unless a later push of it is known, or that it was deleted.
 *
 * @example await recordManifest(change, repo.uid, facts);
 */
export async function recordManifest(
  change: Mutation,
  repo: string,
  facts: Omit<Manifest, "pulled">,
): Promise<void> {
  const { repos } = change.engine.catalog;
  if (!(await repos.table.keep(change.tx, repo))) throw notFound(repos.typeName, repo);
  const deleted = await deletionOf(change.tx, repo, facts.digest);
  if (deleted === undefined || deleted < facts.pushed) await writeManifest(change.tx, repo, facts);
}

/**
 * Notes that a manifest was pulled. Of one that is not known, nothing is kept.
 *
 * @example await recordPull(change, repo.uid, digest, notification.time);
 */
export function recordPull(
  { tx }: Mutation,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  return writePull(tx, repo, digest, time);
}

/**
 * Forgets a manifest and deletes the tags that stand for it, as registries do, unless something
 * later is known of them.
 *
 * @example await removeManifest(change, repo.uid, digest, notification.time);
 */
export async function removeManifest(
  change: Mutation,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  const { tx, engine } = change;
  await lockRepo(change, repo);
  await noteDeletion(tx, repo, digest, time);
  await deleteManifest(tx, repo, digest, time);
  const range = { childrenOf: repo, parts: engine.catalog.tags.table.shape.parts ?? [] };
  const filters = [{ column: "digest", value: digest }];
  const query = { range, filters, order: IN_ORDER, offset: 0, limit: MOST_TAGS };
  for (const [name] of await readPage(tx, engine.catalog.tags.table, query, "data")) {
    const seen = (await newestEntry(tx, repo, String(name)))?.seen ?? time;
    // Only what is known of it ends: the tag may have moved before, of which we hear later.
    if (seen <= time) await removeTag(change, repo, String(name), seen);
  }
}

/**
 * Takes back the push of a manifest that was deleted after it, where the deletion was told first.
 *
 * @example await takeBackDeleted(change, repo.uid, digest, notification.time);
 */
export async function takeBackDeleted(
  change: Mutation,
  repo: string,
  digest: string,
  pushed: number,
): Promise<void> {
  const deleted = await deletionOf(change.tx, repo, digest);
  if (deleted !== undefined && deleted >= pushed) {
    await removeManifest(change, repo, digest, deleted);
  }
}

const IN_ORDER = { column: "name", descending: false } as const;

/** No image has more names; the rest would go with the next look through the registry. */
const MOST_TAGS = 10_000;
