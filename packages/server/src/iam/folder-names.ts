import { Capability, type Group, isRoot, parentOf, rootOf } from "@wharf/contract";
import type { Mutation } from "../engine/mutation.ts";
import { alreadyExists, failedPrecondition } from "../lib/errors.ts";

/**
 * The name of a folder is part of the path at which the registry keeps its images and feeds are read.
 * Of siblings that share a name, the oldest has the path, and nobody takes it from another:
 *
 * - Where paths are in use, names are unique: in organizations that are verified, and where one of the
 *   two has repos. Elsewhere the contract lets siblings share a name; the younger one has no path.
 * - Renaming a folder to the name of a younger sibling gives it that one's path, so it takes the right
 *   to rename the sibling, too.
 */

/**
 * Rejects a folder that is created, or renamed, with a name that it cannot have beside its siblings.
 * Those who want the same name follow one another, on all replicas.
 *
 * @example await mayHaveName(change, created);
 */
export async function checkNameAvailable(change: Mutation, folder: Group): Promise<void> {
  if (isRoot(folder.uid)) return;
  const { tx, engine } = change;
  const { table, typeName } = engine.catalog.groups;
  const { uid, name } = folder;
  await table.lockName(tx, parentOf(uid), name);
  const [holder] = await table.childrenNamed(tx, parentOf(uid), name, 1);
  if (holder === undefined) return;
  const mayTakePath = change.caller.grants.holds(RENAME, holder);
  const takesPath = !mayTakePath && (await table.oldestOf(tx, [uid, holder])) === uid;
  if (takesPath || (await usesPaths(change, [uid, holder]))) throw alreadyExists(typeName, name);
}

const RENAME = [Capability.CAP_IAM_GROUPS_UPDATE];

/**
 * Rejects renaming or deleting a folder where a younger sibling of the same name would take over its
 * path, and with it the images that are stored there.
 *
 * @example await mayLeaveName(change, deleted);
 */
export async function checkNameReleasable(change: Mutation, { uid, name }: Group): Promise<void> {
  if (isRoot(uid)) return;
  const { table } = change.engine.catalog.groups;
  const [holder, heir] = await table.childrenNamed(change.tx, parentOf(uid), name, 2);
  if (holder !== uid || heir === undefined || !(await usesPaths(change, [uid, heir]))) return;
  const description = `a younger folder is named ${JSON.stringify(name)} too and would take over its path: rename that one first`;
  throw failedPrecondition({ type: "NAME_SHARED", description });
}

/** Whether the names of these siblings are in use on the registry. */
async function usesPaths({ engine, tx }: Mutation, siblings: readonly [string, string]) {
  const { groups, repos } = engine.catalog;
  for (const uid of siblings) {
    if ((await tx.countBelow(repos.table.shape.name, uid)) > 0) return true;
  }
  return (await groups.find(tx, rootOf(siblings[0])))?.verified === true;
}
