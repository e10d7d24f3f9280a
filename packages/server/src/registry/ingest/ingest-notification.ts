import { ancestorsOf } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { findManifest, type Manifest } from "../../store/tables/manifests.ts";
import {
  firstTime,
  notePathDeletion,
  pathDeletions,
  WHOLE,
} from "../../store/tables/processed-notifications.ts";
import { wantsUniqueTags } from "../../store/tables/registry-settings.ts";
import { resolvePath } from "../path.ts";
import { writeActivity } from "./activity-events.ts";
import { type EnsuredRepo, ensureRepoForPath } from "./ensure-repo-for-path.ts";
import type { RegistryNotification } from "./envelope.ts";
import { recordManifest, recordPull, removeManifest, revertIfDeleted } from "./manifest-state.ts";
import { removeLocation } from "./removal.ts";
import { type MutationOrigin, systemMutation } from "./system-mutation.ts";
import { recordTag, removeTag } from "./tag-state.ts";

/** What came of a notification. */
export type Outcome = "taken" | "known" | "elsewhere";

/** A notification with all that it takes to take it in. */
export interface Told {
  readonly engine: Engine;
  readonly host: string;
  readonly notification: RegistryNotification;
  readonly requestId: string;
  /** Of a pushed manifest, and of what it names. */
  readonly manifests: readonly Omit<Manifest, "pulled">[];
  /** Of a deletion that names both a tag and what it stood for: whether that is gone as well. */
  readonly isGone: boolean;
  /** Whether the time of a pull is to be kept. */
  readonly keepsPull: boolean;
}

/**
 * Takes a notification into what we know, once, however often it comes.
 *
 * @example const outcome = await store.write((tx) => ingest(tx, told));
 */
export async function ingest(tx: Transaction, told: Told): Promise<Outcome> {
  const { host, notification } = told;
  if (!(await firstTime(tx, host, notification.id, Date.now()))) return "known";
  const isPush = notification.action === "push" && notification.type === "manifest";
  const repo = isPush ? await placed(tx, told) : await existing(tx, told);
  if (repo === "missing" && notification.action === "delete") await noteEarly(tx, told);
  if (repo === undefined || repo === "missing") return "elsewhere";
  if (notification.action === "delete") return remove(tx, told, repo.uid);
  if (isPush) return push(tx, told, repo);
  if (notification.type === "manifest" && told.keepsPull) {
    const change = systemMutation(told.engine, tx, "tag", originOf(told));
    await recordPull(change, repo.uid, notification.digest, notification.time);
  }
  await writeActivity(tx, { ...told, repo: repo.uid });
  return "taken";
}

function originOf({ notification, requestId }: Told): MutationOrigin {
  const { actor, remoteAddress, userAgent } = notification;
  return { actor, remoteAddress, userAgent, requestId, time: Date.now() };
}

function placed(tx: Transaction, told: Told): Promise<EnsuredRepo | undefined> {
  return ensureRepoForPath(told.engine, tx, told.host, told.notification.path, originOf(told));
}

/** Missing is a repo that a path of ours could stand for. */
async function existing(
  tx: Transaction,
  { engine, notification }: Told,
): Promise<EnsuredRepo | "missing" | undefined> {
  const place = await resolvePath(engine, tx, notification.path);
  return place && (place.repo === undefined ? "missing" : { uid: place.repo });
}

function noteEarly(tx: Transaction, { host, notification }: Told): Promise<void> {
  const { path, tag, digest, time } = notification;
  return notePathDeletion(tx, host, path, tag || digest || WHOLE, time);
}

async function push(tx: Transaction, told: Told, { uid, madeFor }: EnsuredRepo): Promise<Outcome> {
  const { engine, notification, manifests } = told;
  const { tag: name, digest, time } = notification;
  const change = systemMutation(engine, tx, "tag", originOf(told));
  for (const manifest of manifests) await recordManifest(change, uid, manifest);
  const { outcome, previous } =
    name === ""
      ? { outcome: "unchanged", previous: "" }
      : await recordTag(change, uid, { name, digest, time });
  await revertIfDeleted(change, uid, digest, time);
  await takeBackEarly(tx, told, uid);
  const note = madeFor === undefined ? {} : { madeBy: "the installation" };
  const moved = outcome === "moved" ? { previous } : {};
  const movedUniqueTag = outcome === "moved" && (await wantsUniqueTags(tx, ancestorsOf(uid)));
  await writeActivity(tx, { ...told, repo: uid, note, ...moved, movedUniqueTag });
  return "taken";
}

/** Takes back a push that was deleted after it, where that was told when there was no repo. */
async function takeBackEarly(tx: Transaction, told: Told, repo: string): Promise<void> {
  const { engine, host, notification } = told;
  const { path, tag, digest } = notification;
  const what = [tag, digest, WHOLE];
  for (const deleted of await pathDeletions(tx, host, path, what, notification.time)) {
    const { time } = deleted;
    const change = systemMutation(engine, tx, "tagDeletion", originOf(told));
    if (deleted.what === WHOLE)
      return removeLocation(engine, tx, { host, path, repo, time }, originOf(told));
    if (deleted.what === digest) await removeManifest(change, repo, digest, time);
    else await removeTag(change, repo, tag, time);
  }
}

async function remove(tx: Transaction, told: Told, repo: string): Promise<Outcome> {
  const { engine, host, notification } = told;
  const { tag, digest, time, path } = notification;
  const change = systemMutation(engine, tx, "tagDeletion", originOf(told));
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
    await removeLocation(engine, tx, { host, path, repo, time }, originOf(told));
  }
  if (isNews) await writeActivity(tx, { ...told, repo });
  return isNews ? "taken" : "known";
}
