import { depthOf, parentOf } from "@wharf/contract";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { renameOwnLocations } from "./locations.ts";

/**
 * The former names of folders and repos with images in the registry of this server. The former path leads to the same
 * folder or repo for a time, in which nobody else gets it. An alias names its target by uid: later renames, of the target
 * or of what is above it, change nothing, and there are no chains or loops.
 */

/** Organizations are folders, too: they have names in paths once they are verified. */
export type AliasKind = "folder" | "repo";

/** A name at a parent, which is empty for organizations. */
export interface PathName {
  readonly parent: string;
  readonly kind: AliasKind;
  readonly name: string;
}

export interface PathAlias {
  /** The uid of the folder or repo that had the name. */
  readonly target: string;
  readonly expires: number;
}

/** The time for which a former path answers: pipelines that run once a month notice the warning. */
export const ALIAS_MS = 30 * 24 * 3_600_000;

/** The alias with this name, unless it has expired. */
export function findAlias(
  reader: Reader,
  { parent, kind, name }: PathName,
  now: number,
): Promise<PathAlias | undefined> {
  const sql = `SELECT target, expires FROM path_aliases
    WHERE parent = ? AND kind = ? AND name = ? AND expires > ?`;
  return reader.get<PathAlias>(sql, parent, kind, name, now);
}

/** A change of the segment by which paths name a folder or repo. */
export interface PathRename {
  readonly uid: string;
  readonly kind: AliasKind;
  readonly from: string;
  readonly to: string;
  readonly time: number;
}

/** Records the rename of something with images: its locations move, and its former name becomes an alias. */
export async function recordRename(tx: Transaction, rename: PathRename): Promise<void> {
  const { uid, kind, from, to, time } = rename;
  await renameOwnLocations(tx, uid, { at: depthOf(uid), from, to });
  await tx.run(
    `INSERT INTO path_aliases (parent, kind, name, target, expires) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (parent, kind, name) DO UPDATE SET target = excluded.target, expires = excluded.expires`,
    parentOf(uid),
    kind,
    from,
    uid,
    time + ALIAS_MS,
  );
}

/** Ends the alias of a name that its target has again. */
export async function dropAlias(
  tx: Transaction,
  { parent, kind, name }: PathName,
  target: string,
): Promise<void> {
  const sql = "DELETE FROM path_aliases WHERE parent = ? AND kind = ? AND name = ? AND target = ?";
  await tx.run(sql, parent, kind, name, target);
}

/** Ends the aliases of a deleted folder or repo. */
export async function forgetAliases(tx: Transaction, target: string): Promise<void> {
  await tx.run("DELETE FROM path_aliases WHERE target = ?", target);
}
