import type { Transaction } from "../store/db/group-commit.ts";
import { advisories } from "./advisories.ts";

/**
 * Waits for the turn to write advisories, and gives the update time of all that is written in it, in
 * milliseconds.
 *
 * Whoever keeps a copy asks again and again for what was updated since the last update that they
 * know of. For that to leave no gaps, nothing may become visible with an update time that is not
 * later than all that could be seen before. So writers take turns, each until its transaction has
 * ended; the time is taken within the turn, and is later than any that is stored, whatever the clocks
 * of replicas say.
 *
 * @example const time = await takeUpdateTurn(tx);
 */
export async function takeUpdateTurn(tx: Transaction): Promise<number> {
  await tx.acquireLock();
  return Math.max(Date.now(), (await advisories.table.latestUpdate(tx)) + 1);
}
