import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

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
  /** When one was asked for that has not ended yet; 0 for none. */
  readonly requested: number;
  /** What the one under way came to so far, or the last one, as JSON. */
  readonly findings: string;
  /** Why the registry could not be read when that was last tried; empty when it could. */
  readonly problem: string;
}

const NEVER: RegistryPass = {
  ...{ began: 0, last: "", finished: 0, requested: 0 },
  ...{ findings: "{}", problem: "" },
};

/** @example const { finished } = await readPass(reader, host); */
export async function readPass(reader: Reader, host: string): Promise<RegistryPass> {
  const sql = `SELECT began, last, finished, requested, findings, problem
    FROM registry_passes WHERE host = ?`;
  return (await reader.get<RegistryPass>(sql, host)) ?? NEVER;
}

/**
 * Asks for a pass that begins from now on.
 *
 * @example await store.write((tx) => requestPass(tx, host, call.time));
 */
export async function requestPass(tx: Transaction, host: string, time: number): Promise<void> {
  await tx.run(
    `INSERT INTO registry_passes (host, holder, expires, began, last, finished, requested)
     VALUES (?, '', 0, 0, '', 0, ?)
     ON CONFLICT (host) DO UPDATE SET requested = excluded.requested, problem = ''`,
    host,
    time,
  );
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
  { began, last, findings }: Pick<RegistryPass, "began" | "last" | "findings">,
): Promise<boolean> {
  const sql = `UPDATE registry_passes SET began = ?, last = ?, findings = ?
    WHERE host = ? AND holder = ?`;
  return (await tx.run(sql, began, last, findings, host, holder)) > 0;
}

/**
 * Keeps that a pass has ended, and so whatever was asked for before it began, unless another has
 * taken over. Returns whether it was kept.
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

/** Keeps why a registry cannot be read. */
export async function recordPassProblem(
  tx: Transaction,
  host: string,
  problem: string,
): Promise<void> {
  await tx.run("UPDATE registry_passes SET problem = ? WHERE host = ?", problem, host);
}
