import { auditRoot } from "@wharf/contract";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { readInstallation, replaceInstallation } from "../installation.ts";

/** The last entry of a chain within a range of ids. */
export interface ChainHead {
  readonly root: string;
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
  readonly id: number;
}

/** The last entries of all chains in an id range (both ends inclusive). */
export async function chainHeads(reader: Reader, from: number, to: number): Promise<ChainHead[]> {
  const rows = await reader.arrays<readonly [number, string, string, string, number, string]>(
    `SELECT id, resource, actor, chain, sequence, hash FROM audit
     WHERE id >= ? AND id <= ? AND chain <> '' ORDER BY id`,
    from,
    to,
  );
  const heads = new Map<string, ChainHead>();
  for (const [id, resource, actor, chain, sequence, hash] of rows) {
    heads.set(chain, { root: auditRoot(resource, actor), chain, sequence, hash, id });
  }
  return [...heads.values()];
}

const MARKER = "audit-checkpoints";

/** The id of the last entry that checkpoints cover. */
export async function checkpointedId(reader: Reader): Promise<number> {
  return Number((await readInstallation(reader, MARKER)) ?? 0);
}

export async function setCheckpointedId(tx: Transaction, id: number): Promise<void> {
  await replaceInstallation(tx, MARKER, String(id));
}

/** The time of the first entry after an id; undefined if there is none. */
export async function firstTimeAfter(reader: Reader, id: number): Promise<number | undefined> {
  const sql = "SELECT time FROM audit WHERE id > ? ORDER BY id LIMIT 1";
  return (await reader.get<{ time: number }>(sql, id))?.time;
}
