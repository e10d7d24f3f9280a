import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Engine } from "../../engine/engine.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { knownTags } from "../../store/tables/known-tags.ts";
import { forgetManifestsUntil, hasManifests } from "../../store/tables/manifests.ts";
import { isHeardOfSince } from "../../store/tables/processed-notifications.ts";
import { forgetPlace, passOnMade, placesOf } from "../../store/tables/registry-locations.ts";
import { changeFor, type Occasion } from "./system-mutation.ts";
import { removeTag } from "./tag-state.ts";

/** A path of a registry that is no more. */
export interface GonePlace {
  readonly host: string;
  readonly path: string;
  readonly repo: string;
  /** When it was seen to be gone. */
  readonly time: number;
}

export interface RemovalDeps {
  readonly engine: Engine;
  /** The attached registries, by host. */
  readonly remotes: ReadonlyMap<string, unknown>;
}

/** Tags removed in one go. */
const PAGE = 200;

/**
 * Takes in that a registry no longer has a path. Where the repo is in no other place, its tags and
 * images go, unless they are newer; and the repo itself, if pushing there is all that made it: one
 * that someone made or changed stays, empty.
 *
 * @example await removePlace(deps, tx, { host, path, repo, time }, occasion);
 */
export async function removePlace(
  deps: RemovalDeps,
  tx: Transaction,
  place: GonePlace,
  occasion: Occasion,
): Promise<void> {
  const { engine } = deps;
  const { host, path, repo, time } = place;
  const row = await engine.catalog.repos.table.findForChange(tx, repo);
  const places = await placesOf(tx, repo);
  const gone = places.find((one) => one.host === host && one.path === path);
  if (row === undefined || gone === undefined || (await isElsewhere(deps, tx, place))) {
    await forgetPlace(tx, host, path);
    if (gone?.made === 1) await passOnMade(tx, repo);
    return;
  }
  for (let last: string | undefined = ""; last !== undefined; )
    last = await removeSome(engine, tx, place, last, occasion);
  await forgetManifestsUntil(tx, repo, time);
  const hasTags = await engine.catalog.tags.table.hasAny(tx, { column: "parent", value: repo });
  // What was pushed since then is there, or what was known of it is.
  if (hasTags || (await hasManifests(tx, repo)) || (await isHeardOfSince(tx, repo, time))) return;
  await forgetPlace(tx, host, path);
  const { createTime, updateTime } = engine.catalog.repos.fromRow(row);
  const isUntouched =
    createTime !== undefined &&
    updateTime !== undefined &&
    timestampMs(createTime) === timestampMs(updateTime);
  const isMadeByPushes = places.some(({ made }) => made === 1);
  if (!isMadeByPushes || !isUntouched) return;
  const change = changeFor(engine, tx, "repoDeletion", occasion);
  await engine
    .hooksOf(engine.catalog.repos)
    .beforeDelete?.(change, engine.catalog.repos.fromRow(row));
  await change.remove(engine.catalog.repos, repo);
}

/**
 * The same in several transactions, which everyone who writes waits for: a repo may have very many tags.
 *
 * @example await leavePlace(deps, { host, path, repo, time }, occasion);
 */
export async function leavePlace(
  deps: RemovalDeps,
  gone: GonePlace,
  occasion: Occasion,
): Promise<void> {
  const { engine } = deps;
  const { store } = engine;
  for (let last: string | undefined = ""; last !== undefined; ) {
    const after: string = last;
    last = await store.write(async (tx) => {
      const isLast = !(await isElsewhere(deps, tx, gone));
      return isLast ? removeSome(engine, tx, gone, after, occasion) : undefined;
    });
  }
  await store.write((tx) => removePlace(deps, tx, gone, occasion));
}

/** Whether the repo is in another place. One of a registry that is not attached is asked no more. */
async function isElsewhere(
  { remotes }: RemovalDeps,
  reader: Reader,
  { host, path, repo }: GonePlace,
): Promise<boolean> {
  const places = await placesOf(reader, repo);
  return places.some(
    (place) => remotes.has(place.host) && (place.host !== host || place.path !== path),
  );
}

/** Removes a page of tags after a name; returns the last of them, undefined at the end. */
async function removeSome(
  engine: Engine,
  tx: Transaction,
  { repo, time }: GonePlace,
  after: string,
  occasion: Occasion,
): Promise<string | undefined> {
  const change = changeFor(engine, tx, "tagDeletion", occasion);
  const page = await knownTags(tx, repo, after, PAGE);
  for (const { name } of page) await removeTag(change, repo, name, time);
  return page.at(-1)?.name;
}
