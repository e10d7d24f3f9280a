import { ancestorsOf } from "@wharf/contract";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * Groups that were deleted, by the identity that deleted them. A group is deleted with the role bindings of that
 * identity, which would otherwise not learn that the group is gone.
 */

/** Records that an identity has deleted a group. */
export async function addDeletedGroup(
  tx: Transaction,
  uid: string,
  identity: string,
  time: number,
): Promise<void> {
  await tx.run(
    "INSERT INTO deleted_groups (uid, identity, time) VALUES (?, ?, ?)",
    uid,
    identity,
    time,
  );
}

/** Deeper uids are not looked up: callers send what they like, and each level is one more uid to compare. */
const MAX_LEVELS = 64;

/** The group at or above a uid that the identity has deleted. */
export async function groupDeletedBy(
  reader: Reader,
  identity: string,
  uid: string,
): Promise<string | undefined> {
  if (uid.split("/", MAX_LEVELS + 1).length > MAX_LEVELS) return undefined;
  const row = await reader.get<{ uid: string }>(
    `SELECT uid FROM deleted_groups WHERE identity = ? AND uid IN (${reader.dialect.texts}) LIMIT 1`,
    identity,
    JSON.stringify([uid, ...ancestorsOf(uid)]),
  );
  return row?.uid;
}
