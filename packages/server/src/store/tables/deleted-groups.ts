import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

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

/** The first of these groups that the identity has deleted. */
export async function groupDeletedBy(
  reader: Reader,
  identity: string,
  uids: readonly string[],
): Promise<string | undefined> {
  const marks = uids.map(() => "?").join(", ");
  const sql = `SELECT uid FROM deleted_groups WHERE identity = ? AND uid IN (${marks}) LIMIT 1`;
  return (await reader.get<{ uid: string }>(sql, identity, ...uids))?.uid;
}
