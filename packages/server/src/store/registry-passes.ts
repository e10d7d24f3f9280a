import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/**
 * How far the looks through registries have come. One replica does each; a lease that ends lets
 * another go on where it stopped.
 */

export interface RegistryPass {
  /** When it began; 0 while none is under way. */
  readonly began: number;
  /** The path that all before are done; empty at the beginning. */
  readonly last: string;
  /** When the last one ended; 0 for never. */
  readonly finished: number;
}

/** @example const { finished } = await readPass(reader, host); */
export async function readPass(reader: Reader, host: string): Promise<RegistryPass> {
  const sql = "SELECT began, last, finished FROM registry_passes WHERE host = ?";
  return (await reader.get<RegistryPass>(sql, host)) ?? { began: 0, last: "", finished: 0 };
}

/**
 * Takes the lease of a registry, or keeps it. Returns false while another has it.
 *
 * @example if (!(await takeLease(tx, host, me, Date.now(), Date.now() + 60_000))) return;
 */
export async function takeLease(
  tx: Transaction,
  host: string,
  holder: string,
  now: number,
  expires: number,
): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO registry_passes (host, holder, expires, began, last, finished)
     VALUES (?, ?, ?, 0, '', 0)
     ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
     WHERE registry_passes.holder = excluded.holder OR registry_passes.expires < ?`,
    host,
    holder,
    expires,
    now,
  );
  return changed > 0;
}

/** Lets go of the lease. */
export async function releaseLease(tx: Transaction, host: string, holder: string): Promise<void> {
  const sql = "UPDATE registry_passes SET expires = 0 WHERE host = ? AND holder = ?";
  await tx.run(sql, host, holder);
}

/** Keeps how far a pass has come, unless another has taken over. Returns whether it was kept. */
export async function writePass(
  tx: Transaction,
  host: string,
  holder: string,
  { began, last, finished }: RegistryPass,
): Promise<boolean> {
  const sql = `UPDATE registry_passes SET began = ?, last = ?, finished = ?
    WHERE host = ? AND holder = ?`;
  return (await tx.run(sql, began, last, finished, host, holder)) > 0;
}
