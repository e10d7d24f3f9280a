import { WharfError } from "../lib/errors.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";

/** The owner of the sealed numbers of the last checkpoints, by root. */
const OWNER = "audit-checkpoints";

/**
 * The number of the next checkpoint of a root. The number of the last one is sealed with the secret key: someone who can
 * write the store, and has no key, can remove the last checkpoints but cannot seal an earlier number. Where the store
 * has less than what was sealed, or the seal is gone, numbers are left out, which every verification finds.
 */
export async function nextCheckpointNumber(
  tx: Transaction,
  secrets: Secrets,
  root: string,
  stored: number,
): Promise<number> {
  const sealed = await unseal(tx, secrets, root);
  const isUnsealed = sealed === undefined && stored > 0;
  const number = Math.max(stored, sealed ?? 0) + (isUnsealed ? 2 : 1);
  await secrets.put(tx, OWNER, root, String(number));
  return number;
}

/** The sealed number of a root; undefined if there is none, or somebody has changed it. */
async function unseal(
  tx: Transaction,
  secrets: Secrets,
  root: string,
): Promise<number | undefined> {
  try {
    const text = await secrets.get(tx, OWNER, root);
    return text === undefined ? undefined : Number(text);
  } catch (error) {
    // The secret key is not there: nothing can be said.
    if (error instanceof WharfError) throw error;
    return undefined;
  }
}
