import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Store } from "../store/db/store.ts";
import {
  deleteUnsealed,
  readUnsealed,
  secureDelete,
  type UnsealedRow,
} from "../store/tables/secrets.ts";

/** The tables that contained plaintext secrets before, or during the migration. */
const PLAINTEXT_TABLES = ["signing_keys", "registry_keys", "installation", "unsealed"];

interface Sealer {
  put(tx: Transaction, owner: string, name: string, secret: string): Promise<void>;
}

/**
 * Seals secrets that a version without sealing stored in plaintext, and removes them from the files of
 * the database. Of several replicas that start concurrently, one does it, in one transaction.
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
  if (sealed > 0) await store.scrub(PLAINTEXT_TABLES);
}
