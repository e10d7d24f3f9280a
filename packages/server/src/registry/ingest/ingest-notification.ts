import type { Repo } from "@wharf/contract";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { identityName } from "../../store/tables/access/identity-names.ts";
import { findManifest, type Manifest } from "../../store/tables/registry/manifests.ts";
import {
  pathDeletions,
  recordNotification,
  WHOLE_REPO,
  writePathDeletion,
} from "../../store/tables/registry/processed-notifications.ts";
import { findRepoDeletion } from "../../store/tables/registry/repo-deletions.ts";
import { resolvePath } from "../path.ts";
import { moveProblem } from "../tag-rules/enforcement.ts";
import { isAudited, writeActivity } from "./activity-events.ts";
import { type EnsuredRepo, ensureRepoForPath } from "./ensure-repo-for-path.ts";
import {
  recordPull,
  recordRemoteManifests,
  removeManifest,
  revertIfDeleted,
} from "./manifest-state.ts";
import type { RegistryNotification } from "./notification-formats.ts";
import type { OtherLocations } from "./other-locations.ts";
import { type RemovalDeps, removeLocation } from "./removal.ts";
import { type MutationOrigin, systemMutation } from "./system-mutation.ts";
import { recordTag, removeTag } from "./tag-state.ts";

/** A label of `wharf_registry_notices_total`: ingested, a duplicate, or of no repo here. */
export type IngestResult = "taken" | "known" | "elsewhere";

/** A notification with everything that is needed to ingest it. */
export interface Ingestion extends RemovalDeps {
  readonly host: string;
  readonly notification: RegistryNotification;
  readonly requestId: string;
  /** The pushed manifest, and those it refers to. */
  readonly manifests: readonly Omit<Manifest, "pulled">[];
  /** For a deletion with tag and digest: whether the registry has deleted the manifest as well. */
  readonly isManifestGone: boolean;
  /** For a deletion: what other registries still have. */
  readonly otherLocations: OtherLocations;
  /** Whether the time of this pull is recorded. */
  readonly recordsPull: boolean;
}

type NamedRepo = EnsuredRepo & Pick<Repo, "name">;

/** An ingestion with the name of its actor at the time; empty if no audit row needs it. */
interface NamedIngestion extends Ingestion {
  readonly actorName: string;
}

/** Applies a notification to the stored state, idempotently. */
export async function ingest(tx: Transaction, unnamed: Ingestion): Promise<IngestResult> {
  const { catalog, host, notification, recordsPull } = unnamed;
  if (!(await recordNotification(tx, host, notification.id, Date.now()))) return "known";
  const actorName = isAudited(notification) ? await identityName(tx, notification.actor) : "";
  const ingestion: NamedIngestion = { ...unnamed, actorName };
  const isPush = notification.action === "push" && notification.type === "manifest";
  if (isPush && (await precedesDeletion(tx, ingestion))) return "elsewhere";
  const found = isPush
    ? await ensureRepoForPath(unnamed, tx, host, notification.path, originOf(ingestion))
    : await findRepo(tx, ingestion);
  if (found === "missing" && notification.action === "delete") {
    await recordPathDeletion(tx, ingestion);
  }
  if (found === undefined || found === "missing") return "elsewhere";
  const { name = "" } = (await catalog.repos.find(tx, found.uid)) ?? {};
  const repo = { ...found, name };
  if (notification.action === "delete") return ingestDeletion(tx, ingestion, repo);
  if (isPush) return ingestPush(tx, ingestion, repo);
  if (notification.type === "manifest" && recordsPull) {
    const mutation = systemMutation(ingestion, tx, "tag", originOf(ingestion));
    await recordPull(mutation, repo.uid, notification.digest, notification.time);
  }
  writeActivity(tx, { ...ingestion, repo });
  return "taken";
}

/** Whether this is the late report of a push to a repo that a caller has deleted since. */
async function precedesDeletion(
  tx: Transaction,
  { host, notification: { path, time } }: Ingestion,
): Promise<boolean> {
  const deletion = await findRepoDeletion(tx, host, path);
  return deletion !== undefined && deletion.time >= time;
}

function originOf({ notification, requestId, actorName }: NamedIngestion): MutationOrigin {
  const { actor, remoteAddress, userAgent } = notification;
  return { actor, actorName, remoteAddress, userAgent, requestId, time: Date.now() };
}

/** The repo of a path; "missing" if the path is valid but has no repo yet. */
async function findRepo(
  tx: Transaction,
  { catalog, notification }: Ingestion,
): Promise<EnsuredRepo | "missing" | undefined> {
  const resolved = await resolvePath(catalog, tx, notification.path);
  if (resolved === undefined) return undefined;
  const { repo: uid } = resolved;
  return uid === undefined ? "missing" : { uid, isCreatedBySystem: false };
}

/** Records a deletion whose push may be reported later. */
function recordPathDeletion(tx: Transaction, { host, notification }: Ingestion): Promise<void> {
  const { path, tag, digest, time } = notification;
  return writePathDeletion(tx, host, path, tag || digest || WHOLE_REPO, time);
}

async function ingestPush(
  tx: Transaction,
  ingestion: NamedIngestion,
  repo: NamedRepo,
): Promise<IngestResult> {
  const { notification, manifests } = ingestion;
  const { uid, isCreatedBySystem } = repo;
  const { tag: name, digest, time } = notification;
  const mutation = systemMutation(ingestion, tx, "tag", originOf(ingestion));
  await recordRemoteManifests(mutation, uid, manifests);
  const { outcome, previous } =
    name === ""
      ? { outcome: "unchanged", previous: "" }
      : await recordTag(mutation, uid, { name, digest, time });
  await revertIfDeleted(mutation, uid, digest, time);
  await applyPathDeletions(tx, ingestion, uid);
  const detail = isCreatedBySystem ? { madeBy: "the installation" } : {};
  const moved = outcome === "moved" ? { previous } : {};
  const movedUniqueTag =
    outcome === "moved" &&
    (await moveProblem(ingestion.catalog, tx, uid, notification.tag)) !== undefined;
  writeActivity(tx, { ...ingestion, repo, detail, ...moved, movedUniqueTag });
  return "taken";
}

/** Applies deletions that happened after this push and were reported before the repo existed. */
async function applyPathDeletions(
  tx: Transaction,
  ingestion: NamedIngestion,
  repo: string,
): Promise<void> {
  const { host, notification } = ingestion;
  const { path, tag, digest } = notification;
  const what = [tag, digest, WHOLE_REPO];
  for (const deletion of await pathDeletions(tx, host, path, what, notification.time)) {
    const { time } = deletion;
    const mutation = systemMutation(ingestion, tx, "tagDeletion", originOf(ingestion));
    if (deletion.what === WHOLE_REPO)
      return removeLocation(ingestion, tx, { host, path, repo, time }, originOf(ingestion));
    if (deletion.what === digest) await removeManifest(mutation, repo, digest, time);
    else await removeTag(mutation, repo, tag, time);
  }
}

async function ingestDeletion(
  tx: Transaction,
  ingestion: NamedIngestion,
  { uid: repo, name }: NamedRepo,
): Promise<IngestResult> {
  const { host, notification, otherLocations } = ingestion;
  const { tag, digest, time, path } = notification;
  const mutation = systemMutation(ingestion, tx, "tagDeletion", originOf(ingestion));
  // Registries report one deletion several times, and deletions of layers like those of manifests.
  let isNew = true;
  if (tag !== "") {
    isNew = await removeTag(mutation, repo, tag, time, otherLocations);
    if (ingestion.isManifestGone)
      await removeManifest(mutation, repo, digest, time, otherLocations);
  } else if (digest !== "") {
    isNew = (await findManifest(tx, repo, digest)) !== undefined;
    await removeManifest(mutation, repo, digest, time, otherLocations);
  } else {
    await recordPathDeletion(tx, ingestion);
    await removeLocation(ingestion, tx, { host, path, repo, time }, originOf(ingestion));
  }
  if (isNew) writeActivity(tx, { ...ingestion, repo: { uid: repo, name } });
  return isNew ? "taken" : "known";
}
