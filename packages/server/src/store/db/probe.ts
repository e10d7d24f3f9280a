import { randomBytes } from "node:crypto";
import type { Store } from "./store.ts";

/** The size of a typical write with its audit entry and event; random, so that it does not compress. */
const PROBE_BYTES = 16 * 1024;

/** Writes a row and deletes it again, in two transactions: the first needs space on the disk. */
export async function probe(store: Pick<Store, "write">): Promise<void> {
  const sql = "INSERT INTO store_probes (filler) VALUES (?)";
  await store.write((tx) => tx.run(sql, randomBytes(PROBE_BYTES)));
  await store.write((tx) => tx.run("DELETE FROM store_probes"));
}
