import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { isFreeLease } from "../leases.ts";

/**
 * The progress of passes through registries: those that reconcile attached ones have their hosts as names, those through the
 * content of the server's own have names that are no hosts. One replica holds the lease of a pass; when it
 * expires, another continues from the last path.
 */

export interface RegistryPass {
  /** When the pass began; 0 while none is running. */
  readonly began: number;
  /** The last path that is done; empty at the beginning. */
  readonly last: string;
  /** When the last pass finished; 0 for never. */
  readonly finished: number;
  /** When a pass was requested that has not finished yet; 0 for none. */
  readonly requested: number;
  /** The results of the running pass so far, or of the last one, as JSON. */
  readonly findings: string;
  /** Why the last attempt to read the registry failed; empty when it succeeded. */
  readonly problem: string;
}

const NEVER: RegistryPass = {
  ...{ began: 0, last: "", finished: 0, requested: 0 },
  ...{ findings: "{}", problem: "" },
};

export async function readPass(reader: Reader, host: string): Promise<RegistryPass> {
  const sql = `SELECT began, last, finished, requested, findings, problem
    FROM registry_passes WHERE host = ?`;
  return (await reader.get<RegistryPass>(sql, host)) ?? NEVER;
}

/** Requests a pass that begins at this time or later. */
export async function requestPass(tx: Transaction, host: string, time: number): Promise<void> {
  await tx.run(
    `INSERT INTO registry_passes (host, holder, expires, began, last, finished, requested)
     VALUES (?, '', 0, 0, '', 0, ?)
     ON CONFLICT (host) DO UPDATE SET requested = excluded.requested, problem = ''`,
    host,
    time,
  );
}

/** Acquires or renews the lease of a registry. Returns false while another replica holds it. */
export async function takeLease(
  tx: Transaction,
  host: string,
  holder: string,
  leaseMs: number,
): Promise<boolean> {
  const { dialect } = tx;
  const changed = await tx.run(
    `INSERT INTO registry_passes (host, holder, expires, began, last, finished)
     VALUES (?, ?, ${dialect.now} + ${leaseMs}, 0, '', 0)
     ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
     WHERE registry_passes.holder = excluded.holder
       OR ${isFreeLease(dialect, "registry_passes.expires", leaseMs)}`,
    host,
    holder,
  );
  return changed > 0;
}

/** Ends the leases of all registries, as `endLeases` does others. */
export async function endPassLeases(tx: Transaction): Promise<void> {
  await tx.run("UPDATE registry_passes SET expires = 0");
}

export async function releaseLease(tx: Transaction, host: string, holder: string): Promise<void> {
  const sql = "UPDATE registry_passes SET expires = 0 WHERE host = ? AND holder = ?";
  await tx.run(sql, host, holder);
}

/** Writes the progress of a pass. Returns false when another replica holds the lease. */
export async function writePass(
  tx: Transaction,
  host: string,
  holder: string,
  { began, last, findings }: Pick<RegistryPass, "began" | "last" | "findings">,
): Promise<boolean> {
  const sql = `UPDATE registry_passes SET began = ?, last = ?, findings = ?
    WHERE host = ? AND holder = ?`;
  return (await tx.run(sql, began, last, findings, host, holder)) > 0;
}

/**
 * Finishes a pass, which fulfills requests from before it began. Returns false when another replica holds
 * the lease.
 */
export async function finishPass(
  tx: Transaction,
  host: string,
  holder: string,
  { began, finished, findings }: Pick<RegistryPass, "began" | "finished" | "findings">,
): Promise<boolean> {
  const sql = `UPDATE registry_passes SET began = 0, last = '', finished = ?, findings = ?, problem = '',
    requested = CASE WHEN requested <= ? THEN 0 ELSE requested END
    WHERE host = ? AND holder = ?`;
  return (await tx.run(sql, finished, findings, began, host, holder)) > 0;
}

/** Records why a registry cannot be read. */
export async function recordPassProblem(
  tx: Transaction,
  host: string,
  problem: string,
): Promise<void> {
  await tx.run("UPDATE registry_passes SET problem = ? WHERE host = ?", problem, host);
}
