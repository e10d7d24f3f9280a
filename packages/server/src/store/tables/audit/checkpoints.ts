import { hash } from "node:crypto";
import { checkpointName } from "@wharf/contract/audit";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** A signed statement that a chain of a root has a certain hash at a certain entry. */
export interface StoredCheckpoint {
  readonly root: string;
  /** Checkpoints of a root are numbered from 1 on. */
  readonly number: number;
  readonly time: number;
  readonly chain: string;
  readonly sequence: number;
  /** The id of the last entry that it covers. */
  readonly lastEntry: number;
  /** A compact JWS. */
  readonly signed: string;
}

const COLUMNS = "root, number, time, chain, sequence, last_entry, signed";

type Row = readonly [string, number, number, string, number, number, string];

function checkpointOf([root, number, time, chain, sequence, lastEntry, signed]: Row) {
  return { root, number, time, chain, sequence, lastEntry, signed };
}

export async function addCheckpoint(tx: Transaction, added: StoredCheckpoint): Promise<void> {
  const { root, number, time, chain, sequence, lastEntry, signed } = added;
  await tx.run(
    `INSERT INTO audit_checkpoints (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[root, number, time, chain, sequence, lastEntry, signed],
  );
}

/** The last checkpoint of a root. */
export async function lastCheckpoint(
  reader: Reader,
  root: string,
): Promise<StoredCheckpoint | undefined> {
  const rows = await reader.arrays<Row>(
    `SELECT ${COLUMNS} FROM audit_checkpoints WHERE root = ? ORDER BY number DESC LIMIT 1`,
    root,
  );
  return rows[0] && checkpointOf(rows[0]);
}

/** The hash of a checkpoint, by which the next one names it. */
export function checkpointHash(signed: string): string {
  return hash("sha256", signed, "hex");
}

/** The names of the last checkpoints of roots, by which new chains name them; roots without any are left out. */
export async function lastCheckpointNames(
  reader: Reader,
  roots: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const root of roots) {
    const last = await lastCheckpoint(reader, root);
    if (last !== undefined) {
      names.set(root, checkpointName(last.number, checkpointHash(last.signed)));
    }
  }
  return names;
}

/** The checkpoints of a root after a number, in order, at most so many. */
export async function readCheckpoints(
  reader: Reader,
  root: string,
  after: number,
  limit: number,
): Promise<StoredCheckpoint[]> {
  const rows = await reader.arrays<Row>(
    `SELECT ${COLUMNS} FROM audit_checkpoints WHERE root = ? AND number > ? ORDER BY number LIMIT ?`,
    ...[root, after, limit],
  );
  return rows.map(checkpointOf);
}

/** The oldest checkpoints of a root, up to the first one that covers an entry after an id; at most so many. */
export async function coveringUntil(
  reader: Reader,
  root: string,
  entry: number,
  limit: number,
): Promise<StoredCheckpoint[]> {
  const oldest = await readCheckpoints(reader, root, 0, limit);
  const end = oldest.findIndex(({ lastEntry }) => lastEntry > entry);
  return end < 0 ? oldest : oldest.slice(0, end);
}

/** The chains that the checkpoints of a root from a number on cover. */
export async function coveredChains(
  reader: Reader,
  root: string,
  from: number,
): Promise<Set<string>> {
  const sql = "SELECT DISTINCT chain FROM audit_checkpoints WHERE root = ? AND number >= ?";
  const rows = await reader.arrays<readonly [string]>(sql, root, from);
  return new Set(rows.map(([chain]) => chain));
}

export function deleteCheckpoints(tx: Transaction, root: string, before: number): Promise<number> {
  return tx.run("DELETE FROM audit_checkpoints WHERE root = ? AND number < ?", root, before);
}

/** Checkpoints of all roots after an id, in order, at most so many. They are added one after the other. */
export async function readCheckpointsAfter(
  reader: Reader,
  id: number,
  limit: number,
): Promise<(Pick<StoredCheckpoint, "time" | "signed"> & { readonly id: number })[]> {
  const rows = await reader.arrays<readonly [number, number, string]>(
    "SELECT id, time, signed FROM audit_checkpoints WHERE id > ? ORDER BY id LIMIT ?",
    ...[id, limit],
  );
  return rows.map(([at, time, signed]) => ({ id: at, time, signed }));
}

/** The first root after another that has checkpoints. */
export async function nextCheckpointRoot(
  reader: Reader,
  after: string | undefined,
): Promise<string | undefined> {
  const sql =
    after === undefined
      ? "SELECT root FROM audit_checkpoints ORDER BY root LIMIT 1"
      : "SELECT root FROM audit_checkpoints WHERE root > ? ORDER BY root LIMIT 1";
  const row = await reader.get<{ root: string }>(sql, ...(after === undefined ? [] : [after]));
  return row?.root;
}

/** Stores a public key for as long as checkpoints that it signed may be verified: forever. */
export async function addAuditKey(tx: Transaction, kid: string, jwk: string): Promise<void> {
  const sql = "INSERT INTO audit_keys (kid, jwk) VALUES (?, ?) ON CONFLICT (kid) DO NOTHING";
  await tx.run(sql, kid, jwk);
}

/** The public keys of all checkpoints. */
export async function readCheckpointKeys(reader: Reader): Promise<string[]> {
  const rows = await reader.arrays<readonly [string]>("SELECT jwk FROM audit_keys ORDER BY kid");
  return rows.map(([jwk]) => jwk);
}
