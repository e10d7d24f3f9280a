import { Capability, depthOf, type Group, isRoot, parentOf, rootOf } from "@wharf/contract";
import type { Mutation } from "../engine/write/mutation.ts";
import { alreadyExists, failedPrecondition } from "../lib/errors.ts";
import { segmentOf } from "../lib/path-segment.ts";
import { countBelow } from "../store/resources/counts.ts";
import {
  deleteLocationsBelow,
  hasForeignLocation,
  hasImagesElsewhere,
} from "../store/tables/registry/locations.ts";
import { hasImagesBelow } from "../store/tables/registry/manifests.ts";
import {
  type AliasKind,
  dropAlias,
  findAlias,
  recordRename,
} from "../store/tables/registry/path-aliases.ts";
import {
  deletedPathsWith,
  deletionBelow,
  hasForeignDeletion,
} from "../store/tables/registry/repo-deletions.ts";
import { requiresUniqueSiblings } from "./unique-siblings.ts";

/**
 * The name of a folder is part of the paths of its images in the registry and of its feeds. Of siblings
 * that share a name, the oldest owns the path, and no sibling can take it over:
 *
 * - A group with images in an attached registry keeps its name: that registry stores images by path, so a renamed group
 *   would leave them at a path that means something else. Images of deleted repos count, too: they stay in the
 *   registry, where tokens of this installation reach them.
 * - The registry of this server stores images by the uid of their repo: a renamed group takes them along, and its former
 *   path leads to it for a time, in which nobody else can take it.
 * - Where paths are in use, names are unique: in verified organizations, and where one of the siblings
 *   has repos; and where the organization requires it (unique-siblings.ts). Elsewhere the contract allows siblings to share a name; the younger one has no path.
 * - Renaming a folder to the name of a younger sibling takes over that sibling's path, so it requires
 *   the capability to rename the sibling, too.
 */

/**
 * Rejects creating or renaming a folder if its name conflicts with a sibling. A lock on the name
 * serializes concurrent requests on all replicas. A folder that is created is the youngest, and has no repos.
 */
export async function checkNameAvailable(
  mutation: Mutation,
  { uid, name }: Group,
  isCreated: boolean,
): Promise<void> {
  if (isRoot(uid)) return;
  const { tx, deps } = mutation;
  const { table, typeName } = deps.catalog.groups;
  const holder = await table.lockNamed(tx, parentOf(uid), name);
  if (holder === undefined) return checkNotFormer(mutation, { uid, name });
  const mayTakePath = isCreated || mutation.caller.grants.holds(RENAME, holder);
  // Together, because each is a round trip.
  const conflicts = await Promise.all([
    requiresUniqueSiblings(mutation, uid),
    usesPaths(mutation, isCreated ? [holder] : [holder, uid]),
    !mayTakePath && table.oldestOf(tx, [uid, holder]).then((oldest) => oldest === uid),
  ]);
  if (conflicts.includes(true)) throw alreadyExists(typeName, name);
}

const RENAME = [Capability.CAP_IAM_GROUPS_UPDATE];

/**
 * Rejects renaming or deleting a folder where a younger sibling of the same name would take over its
 * path, and with it the images that are stored there, those of deleted repos included.
 */
export async function checkNameReleasable(
  mutation: Mutation,
  { uid, name }: Group,
  registries: readonly string[],
): Promise<void> {
  if (isRoot(uid)) return;
  const { deps, tx } = mutation;
  const { table } = deps.catalog.groups;
  const [holder, heir] = await table.childrenNamed(tx, parentOf(uid), name, 2);
  if (holder !== uid || heir === undefined) return;
  const hasImages = (await deletionBelow(tx, registries, uid)) !== undefined;
  if (!hasImages && !(await usesPaths(mutation, [uid, heir]))) return;
  const description = `a younger folder is named ${JSON.stringify(name)} too and would take over its path: rename that one first`;
  throw failedPrecondition({ type: "NAME_SHARED", description });
}

/** Rejects a name by which former paths lead to something else. */
export async function checkNotFormer(
  { tx, call }: Mutation,
  { uid, name }: Pick<Group, "uid" | "name">,
  kind: AliasKind = "folder",
): Promise<void> {
  const alias = await findAlias(tx, { parent: parentOf(uid), kind, name }, call.time);
  if (alias === undefined || alias.target === uid) return;
  const until = new Date(alias.expires).toISOString().slice(0, 10);
  const description = `clients that use the former name ${JSON.stringify(name)} of something renamed reach it until ${until}: choose another name`;
  throw failedPrecondition({ type: "NAME_TAKEN", description });
}

/**
 * Lets a renamed group take its images along, if the registry of this server has all of them; rejects otherwise. The group
 * is locked against pushes, which lock the groups of their path. Organizations are in paths by uid until they are verified.
 */
export async function moveImages(
  mutation: Mutation,
  before: Group,
  after: Group,
  registries: readonly string[],
): Promise<void> {
  const { tx, deps, call } = mutation;
  const { uid, name, verified } = before;
  const parent = parentOf(uid);
  await dropAlias(tx, { parent, kind: "folder", name: after.name }, uid);
  if (isRoot(uid) && !verified) return;
  const hasImages = await hasImagesBelow(tx, uid);
  if (hasImages && (await hasImagesElsewhere(tx, uid))) {
    const description = `cannot rename group ${JSON.stringify(name)} with images in attached registries: they store them by path, and the path contains the name; push them to another group, then delete them here`;
    throw failedPrecondition({ type: "RESOURCE_NOT_EMPTY", subject: uid, description });
  }
  const left = await deletionBelow(tx, registries, uid);
  if (left !== undefined) {
    const description = `cannot rename group ${JSON.stringify(name)}: ${left.host}/${left.path} still has the images of a deleted repo; create the repo again, then delete it with its images`;
    throw failedPrecondition({ type: "RESOURCE_NOT_EMPTY", subject: uid, description });
  }
  if (!hasImages) return deleteLocationsBelow(tx, uid);
  // Paths have the uid of a group whose name clients cannot write, and of a younger sibling with the same name.
  const [holder] = isRoot(uid)
    ? [uid]
    : await deps.catalog.groups.table.childrenNamed(tx, parent, name, 1);
  if (holder !== uid || segmentOf(before) !== name) return;
  const to = isRoot(uid) && !after.verified ? uid : segmentOf(after);
  await recordRename(tx, { uid, kind: "folder", from: name, to, time: call.time });
}

/**
 * Rejects giving a folder a name whose path has images of deleted repos: they belonged to a folder that was
 * deleted since, and would belong to those who have access to this one.
 */
export async function checkNothingIsLeft(
  { tx }: Mutation,
  { uid, name }: Group,
  registries: readonly string[],
): Promise<void> {
  if (isRoot(uid) || registries.length === 0) return;
  const parent = parentOf(uid);
  const paths = await deletedPathsWith(tx, registries, parent, name, MAX_DELETED_PATHS);
  const isLeft = paths.some((path) => path.split("/")[depthOf(uid)] === name);
  if (!isLeft && paths.length < MAX_DELETED_PATHS) return;
  const description = `registries have images of deleted repos below a folder ${JSON.stringify(name)} that was here before: delete them there, or choose another name`;
  throw failedPrecondition({ type: "NAME_TAKEN", subject: uid, description });
}

/** Beyond this many deleted repos, one of them is assumed to be at the path. */
const MAX_DELETED_PATHS = 1_000;

/**
 * Rejects verifying an organization whose name is in the paths of another one's images. The other was verified
 * under that name before: its images would belong to whom the path means now.
 */
export async function checkPathsAreFree(
  { tx }: Mutation,
  { uid, name }: Group,
  registries: readonly string[],
): Promise<void> {
  const isForeign = await hasForeignLocation(tx, name, uid);
  if (!isForeign && !(await hasForeignDeletion(tx, registries, name, uid))) return;
  const description = `registries have images of another organization below ${JSON.stringify(`${name}/`)}: delete them there and here first`;
  throw failedPrecondition({ type: "NAME_TAKEN", subject: uid, description });
}

/** Whether the paths of these siblings are in use. */
async function usesPaths({ deps, tx }: Mutation, siblings: readonly [string, ...string[]]) {
  const { groups, repos } = deps.catalog;
  const [isVerified, ...counts] = await Promise.all([
    groups.table.isMarked(tx, rootOf(siblings[0]), "verified_name"),
    ...siblings.map((uid) => countBelow(tx, repos.table.shape.name, uid)),
  ]);
  return isVerified || counts.some((count) => count > 0);
}
