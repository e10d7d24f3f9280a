import type { Transaction } from "../store/db/group-commit.ts";
import type { Store } from "../store/db/store.ts";
import {
  deleteUnsealed,
  readUnsealed,
  secureDelete,
  type UnsealedRow,
} from "../store/tables/secrets.ts";

/** The tables that held private keys and secrets in plain, and the one that they waited in. */
const HELD_PLAIN = ["signing_keys", "registry_keys", "installation", "unsealed"];

/** What seals a value into a transaction. */
interface Sealer {
  put(tx: Transaction, owner: string, name: string, secret: string): Promise<void>;
}

/**
 * Seals what a version before sealing kept in plain, and removes it from the database's files. One of
 * the replicas that start together does it, in one transaction.
 *
 * @example await sealUnsealed(store, secrets);
 */
export async function sealUnsealed(store: Store, sealer: Sealer): Promise<void> {
  if ((await readUnsealed(store.reader)).length === 0) return;
  const sealed = await store.write(async (tx) => {
    await tx.acquireLock();
    const rows: readonly UnsealedRow[] = await readUnsealed(tx);
    for (const { owner, name, value } of rows) await sealer.put(tx, owner, name, value);
    await secureDelete(tx, true);
    await deleteUnsealed(tx);
    await secureDelete(tx, false);
    return rows.length;
  });
  if (sealed > 0) await store.scrub(HELD_PLAIN);
}
