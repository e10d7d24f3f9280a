import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader, Value } from "../../db/connection.ts";
import type { AuditVia } from "./audit-and-events.ts";
import type { ChainedEntry } from "./chains.ts";

/** A stored entry. Those of versions before 0.2.0 have no names and an empty chain. */
export type StoredAuditEntry = { readonly id: number } & {
  readonly [Name in keyof ChainedEntry]-?: Exclude<ChainedEntry[Name], undefined>;
};

/** Consecutive ids that retention deletes together. Checkpoints end with them. */
export const GROUP_IDS = 1_024;

/** The times of the entries of an id range, in order. */
export async function readAuditTimes(
  reader: Reader,
  from: number,
  to: number,
): Promise<(readonly [id: number, time: number])[]> {
  return reader.arrays("SELECT id, time FROM audit WHERE id >= ? AND id < ? ORDER BY id", from, to);
}

/** The smallest and the largest id; zeros if there are no entries. */
export async function auditIds(reader: Reader): Promise<{ first: number; last: number }> {
  const first = await edgeId(reader, "ASC");
  return { first, last: first === 0 ? 0 : await edgeId(reader, "DESC") };
}

async function edgeId(reader: Reader, direction: "ASC" | "DESC"): Promise<number> {
  const sql = `SELECT id FROM audit ORDER BY id ${direction} LIMIT 1`;
  return (await reader.get<{ id: number }>(sql))?.id ?? 0;
}

export type Row = Readonly<Record<string, Value>>;

/** Entries of an id range, in order, at most so many. */
export async function readAuditRange(
  reader: Reader,
  from: number,
  to: number,
  limit: number,
): Promise<StoredAuditEntry[]> {
  const sql = "SELECT * FROM audit WHERE id >= ? AND id < ? ORDER BY id LIMIT ?";
  return (await reader.all<Row>(sql, from, to, limit)).map(entryOf);
}

/** Deletes the entries of an id range. */
export function deleteAuditRange(tx: Transaction, from: number, to: number): Promise<number> {
  return tx.run("DELETE FROM audit WHERE id >= ? AND id < ?", from, to);
}

/** The entry of a row with all columns. */
export function entryOf(row: Row): StoredAuditEntry {
  const text = (name: string) => row[name] as string;
  const number = (name: string) => Number(row[name]);
  const changed = text("changed_fields");
  return {
    id: number("id"),
    time: number("time"),
    actor: text("actor"),
    actorName: text("actor_name"),
    method: text("method"),
    resource: text("resource"),
    resourceName: text("resource_name"),
    resourceType: text("resource_type"),
    requestId: text("request_id"),
    remoteAddress: text("remote_address"),
    userAgent: text("user_agent"),
    code: number("code"),
    detail: text("detail"),
    changedFields: changed === "" ? [] : changed.split(","),
    session: text("session"),
    via: text("via") as AuditVia,
    chain: text("chain"),
    sequence: number("sequence"),
    previousHash: text("previous_hash"),
    hash: text("hash"),
  };
}
