import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Engine } from "../engine/engine.ts";
import type { Transaction } from "../store/group-commit.ts";
import { knownTags } from "../store/known-tags.ts";
import { forgetManifestsUntil, hasManifests } from "../store/manifests.ts";
import { isHeardOfSince } from "../store/registry-notices.ts";
import { forgetPlace, passOnMade, placesOf } from "../store/registry-places.ts";
import { changeFor, type Occasion } from "./acting.ts";
import { removeTag } from "./contents.ts";

/** A path of a registry that is no more. */
export interface GonePlace {
  readonly host: string;
  readonly path: string;
  readonly repo: string;
  /** When it was seen to be gone. */
  readonly time: number;
}

/** Tags removed in one go. */
const PAGE = 1_000;

/**
 * Takes in that a registry no longer has a path. Where the repo is in no other place, its tags and
 * images go, unless they are newer; and the repo itself, if pushing there is all that made it: one
 * that someone made or changed stays, empty.
 *
 * @example await removePlace(engine, tx, { host, path, repo, time }, occasion);
 */
export async function removePlace(
  engine: Engine,
  tx: Transaction,
  { host, path, repo, time }: GonePlace,
  occasion: Occasion,
): Promise<void> {
  const row = await engine.repos.table.findForChange(tx, repo);
  const places = await placesOf(tx, repo);
  const gone = places.find((place) => place.host === host && place.path === path);
  // A registry that is no longer attached is asked no more: what it had does not keep anything.
  const { registryUrls } = engine.settings;
  const isElsewhere = places.some((place) => place !== gone && registryUrls.has(place.host));
  if (row === undefined || gone === undefined || isElsewhere) {
    await forgetPlace(tx, host, path);
    if (gone?.made === 1) await passOnMade(tx, repo);
    return;
  }
  await removeTags(engine, tx, repo, time, occasion);
  await forgetManifestsUntil(tx, repo, time);
  const hasTags = await engine.tags.table.hasAny(tx, { column: "parent", value: repo });
  // What was pushed since then is there, or what was known of it is.
  if (hasTags || (await hasManifests(tx, repo)) || (await isHeardOfSince(tx, repo, time))) return;
  await forgetPlace(tx, host, path);
  const { createTime, updateTime } = engine.repos.fromRow(row);
  const isUntouched =
    createTime !== undefined &&
    updateTime !== undefined &&
    timestampMs(createTime) === timestampMs(updateTime);
  const isMadeByPushes = places.some(({ made }) => made === 1);
  if (!isMadeByPushes || !isUntouched) return;
  const change = changeFor(engine, tx, "repoDeletion", occasion);
  await engine.repos.definition.beforeDelete?.(change, engine.repos.fromRow(row));
  await change.remove(engine.repos, repo);
}

async function removeTags(
  engine: Engine,
  tx: Transaction,
  repo: string,
  time: number,
  occasion: Occasion,
): Promise<void> {
  const change = changeFor(engine, tx, "tagDeletion", occasion);
  for (let last: string | undefined = ""; last !== undefined; ) {
    const page = await knownTags(tx, repo, last, PAGE);
    for (const { name } of page) await removeTag(change, repo, name, time);
    last = page.at(-1)?.name;
  }
}
