import type { Reader, Value } from "../../db/connection.ts";
import type { AuditVia } from "./audit-and-events.ts";
import type { ChainedEntry } from "./chains.ts";

/** A stored entry. Those of versions before 0.2.0 have no names and an empty chain. */
export type StoredAuditEntry = { readonly id: number } & {
  readonly [Name in keyof ChainedEntry]-?: Exclude<ChainedEntry[Name], undefined>;
};

/** What filters compare; rows as the drivers return them, because an index reads many. */
export type AuditKeys = readonly [
  id: number,
  time: number,
  resource: string,
  actor: string,
  method: string,
  code: number,
  address: string,
  requestId: string,
  session: string,
  via: string,
];

const KEYS = "id, time, resource, actor, method, code, remote_address, request_id, session, via";

/** The keys of entries with ids from one (inclusive) to another (exclusive), at most so many. */
export async function readAuditKeys(
  reader: Reader,
  from: number,
  to: number,
  limit: number,
): Promise<AuditKeys[]> {
  const sql = `SELECT ${KEYS} FROM audit WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`;
  return reader.arrays<AuditKeys>(sql, from, to, limit);
}

/** The times of the entries of an id range. */
export async function readAuditTimes(
  reader: Reader,
  from: number,
  to: number,
): Promise<(readonly [id: number, time: number])[]> {
  return reader.arrays("SELECT id, time FROM audit WHERE id >= ? AND id < ?", from, to);
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

type Row = Readonly<Record<string, Value>>;

/** Entries by id, in the order of their ids. */
export async function readAuditEntries(
  reader: Reader,
  ids: readonly number[],
): Promise<StoredAuditEntry[]> {
  if (ids.length === 0) return [];
  const { asInteger, texts } = reader.dialect;
  const sql = `SELECT * FROM audit WHERE id IN (SELECT ${asInteger("value")} FROM (${texts}) given) ORDER BY id`;
  const rows = await reader.all<Row>(sql, JSON.stringify(ids.map(String)));
  return rows.map(entryOf);
}

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

function entryOf(row: Row): StoredAuditEntry {
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
