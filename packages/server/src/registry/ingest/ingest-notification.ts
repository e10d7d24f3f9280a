import { ancestorsOf } from "@wharf/contract";
import type { Transaction } from "../../store/db/group-commit.ts";
import { findManifest, type Manifest } from "../../store/tables/manifests.ts";
import {
  firstTime,
  notePathDeletion,
  pathDeletions,
  WHOLE,
} from "../../store/tables/processed-notifications.ts";
import { wantsUniqueTags } from "../../store/tables/registry-settings.ts";
import { placeOf } from "../path.ts";
import { writeTraffic } from "./activity-events.ts";
import { type Placed, placeRepo } from "./ensure-repo-for-path.ts";
import type { Notice } from "./envelope.ts";
import { recordManifest, recordPull, removeManifest, takeBackDeleted } from "./manifest-state.ts";
import { type RemovalDeps, removePlace } from "./removal.ts";
import { changeFor, type Occasion } from "./system-mutation.ts";
import { recordTag, removeTag } from "./tag-state.ts";

/** What came of a notice. */
export type Outcome = "taken" | "known" | "elsewhere";

/** A notice with all that it takes to take it in. */
export interface Told extends RemovalDeps {
  readonly host: string;
  readonly notice: Notice;
  readonly requestId: string;
  /** Of a pushed manifest, and of what it names. */
  readonly facts: readonly Omit<Manifest, "pulled">[];
  /** Of a deletion that names both a tag and what it stood for: whether that is gone as well. */
  readonly isGone: boolean;
  /** Whether the time of a pull is to be kept. */
  readonly keepsPull: boolean;
}

/**
 * Takes a notice into what we know, once, however often it comes.
 *
 * @example const outcome = await store.write((tx) => takeIn(tx, told));
 */
export async function takeIn(tx: Transaction, told: Told): Promise<Outcome> {
  const { host, notice } = told;
  if (!(await firstTime(tx, host, notice.id, Date.now()))) return "known";
  const isPush = notice.action === "push" && notice.type === "manifest";
  const repo = isPush ? await placed(tx, told) : await existing(tx, told);
  if (repo === "missing" && notice.action === "delete") await noteEarly(tx, told);
  if (repo === undefined || repo === "missing") return "elsewhere";
  if (notice.action === "delete") return remove(tx, told, repo.uid);
  if (isPush) return push(tx, told, repo);
  if (notice.type === "manifest" && told.keepsPull) {
    const change = changeFor(told.engine, tx, "tag", occasionOf(told));
    await recordPull(change, repo.uid, notice.digest, notice.time);
  }
  await writeTraffic(tx, { ...told, repo: repo.uid });
  return "taken";
}

function occasionOf({ notice, requestId }: Told): Occasion {
  const { actor, remoteAddress, userAgent } = notice;
  return { actor, remoteAddress, userAgent, requestId, time: Date.now() };
}

function placed(tx: Transaction, told: Told): Promise<Placed | undefined> {
  return placeRepo(told.engine, tx, told.host, told.notice.path, occasionOf(told));
}

/** Missing is a repo that a path of ours could stand for. */
async function existing(
  tx: Transaction,
  { engine, notice }: Told,
): Promise<Placed | "missing" | undefined> {
  const place = await placeOf(engine, tx, notice.path);
  return place && (place.repo === undefined ? "missing" : { uid: place.repo });
}

function noteEarly(tx: Transaction, { host, notice }: Told): Promise<void> {
  const { path, tag, digest, time } = notice;
  return notePathDeletion(tx, host, path, tag || digest || WHOLE, time);
}

async function push(tx: Transaction, told: Told, { uid, madeFor }: Placed): Promise<Outcome> {
  const { engine, notice, facts } = told;
  const { tag: name, digest, time } = notice;
  const change = changeFor(engine, tx, "tag", occasionOf(told));
  for (const manifest of facts) await recordManifest(change, uid, manifest);
  const { outcome, previous } =
    name === ""
      ? { outcome: "unchanged", previous: "" }
      : await recordTag(change, uid, { name, digest, time });
  await takeBackDeleted(change, uid, digest, time);
  await takeBackEarly(tx, told, uid);
  const note = madeFor === undefined ? {} : { madeBy: "the installation" };
  const moved = outcome === "moved" ? { previous } : {};
  const isUnwanted = outcome === "moved" && (await wantsUniqueTags(tx, ancestorsOf(uid)));
  await writeTraffic(tx, { ...told, repo: uid, note, ...moved, isUnwanted });
  return "taken";
}

/** Takes back a push that was deleted after it, where that was told when there was no repo. */
async function takeBackEarly(tx: Transaction, told: Told, repo: string): Promise<void> {
  const { engine, host, notice } = told;
  const { path, tag, digest } = notice;
  const what = [tag, digest, WHOLE];
  for (const deleted of await pathDeletions(tx, host, path, what, notice.time)) {
    const { time } = deleted;
    const change = changeFor(engine, tx, "tagDeletion", occasionOf(told));
    if (deleted.what === WHOLE)
      return removePlace(told, tx, { host, path, repo, time }, occasionOf(told));
    if (deleted.what === digest) await removeManifest(change, repo, digest, time);
    else await removeTag(change, repo, tag, time);
  }
}

async function remove(tx: Transaction, told: Told, repo: string): Promise<Outcome> {
  const { engine, host, notice } = told;
  const { tag, digest, time, path } = notice;
  const change = changeFor(engine, tx, "tagDeletion", occasionOf(told));
  // Registries tell of one deletion several times, and of those of layers in the same way.
  let isNews = true;
  if (tag !== "") {
    isNews = await removeTag(change, repo, tag, time);
    if (told.isGone) await removeManifest(change, repo, digest, time);
  } else if (digest !== "") {
    isNews = (await findManifest(tx, repo, digest)) !== undefined;
    await removeManifest(change, repo, digest, time);
  } else {
    await noteEarly(tx, told);
    await removePlace(told, tx, { host, path, repo, time }, occasionOf(told));
  }
  if (isNews) await writeTraffic(tx, { ...told, repo });
  return isNews ? "taken" : "known";
}
