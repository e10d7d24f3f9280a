import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader, Value, Writer } from "../../db/connection.ts";

/** The session of a person who signed in. Ended sessions are deleted. */
export interface StoredSession {
  readonly id: string;
  /** The uid of the person's identity. */
  readonly identity: string;
  /** The uid of the identity provider; empty for local accounts. */
  readonly provider: string;
  readonly created: number;
  readonly used: number;
  readonly expires: number;
  /** The number of refreshes; negative when it cannot be refreshed. */
  readonly generation: number;
  /** The uids of the group mappings that applied at sign-in, as a JSON array. */
  readonly mappings: string;
  /** The profile from the provider, as JSON. */
  readonly person: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

const COLUMNS = `id, identity, provider, created, used, expires, generation, mappings, person,
  remote_address AS "remoteAddress", user_agent AS "userAgent"`;

/**
 * Sessions of one identity; a new one replaces the oldest. Each exchange of a person's token creates one,
 * and all sessions of a person are deleted by one statement, which must stay short.
 */
export const MAX_SESSIONS_PER_IDENTITY = 1_000;

/** The most sessions that adding one deletes, where there are too many. */
const MAX_REPLACED = 10;

/** Adds a session. Expired ones are deleted later, in batches. */
export async function addSession(tx: Transaction, session: StoredSession): Promise<void> {
  await replaceOldest(tx, session.identity);
  await tx.run(
    `INSERT INTO sessions (id, identity, provider, created, used, expires, generation, mappings,
       person, remote_address, user_agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.id,
    session.identity,
    session.provider,
    session.created,
    session.used,
    session.expires,
    session.generation,
    session.mappings,
    session.person,
    session.remoteAddress,
    session.userAgent,
  );
}

/** Deletes the oldest sessions. Their tokens are rejected from the next request on. */
async function replaceOldest(tx: Transaction, identity: string): Promise<void> {
  const newest = "SELECT created FROM sessions WHERE identity = ? ORDER BY created DESC";
  const row = await tx.get<{ created: number }>(
    `${newest} LIMIT 1 OFFSET ${MAX_SESSIONS_PER_IDENTITY - 1}`,
    identity,
  );
  if (row === undefined) return;
  const deleted = await tx.run(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
       WHERE identity = ? AND created <= ? ORDER BY created LIMIT ${MAX_REPLACED})`,
    identity,
    row.created,
  );
  if (deleted > 0) tx.accessChanged();
}

export function findSession(reader: Reader, id: string): Promise<StoredSession | undefined> {
  return reader.get<StoredSession>(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, id);
}

/** Like findSession; no other transaction changes it before this one ends. */
export function findSessionForChange(tx: Writer, id: string): Promise<StoredSession | undefined> {
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE id = ? ${tx.dialect.lock}`;
  return tx.get<StoredSession>(sql, id);
}

/** The owner of sessions: a person, a provider, or a person at a provider. */
export interface SessionOwner {
  readonly identity?: string;
  readonly provider?: string;
}

/** The session after which a page begins. */
export interface SessionCursor {
  readonly created: number;
  readonly id: string;
}

/** Unexpired sessions, newest first. */
export function listSessions(
  reader: Reader,
  owner: SessionOwner,
  after: SessionCursor | undefined,
  limit: number,
  now: number,
): Promise<StoredSession[]> {
  const { sql, values } = conditionOf(owner);
  const afterCondition = after ? " AND (created < ? OR (created = ? AND id > ?))" : "";
  const position = after ? [after.created, after.created, after.id] : [];
  return reader.all<StoredSession>(
    `SELECT ${COLUMNS} FROM sessions WHERE ${sql} AND expires > ?${afterCondition}
     ORDER BY created DESC, id LIMIT ?`,
    ...values,
    now,
    ...position,
    limit,
  );
}

/** Records a refresh: the previous refresh token is no longer valid. */
export async function renewSession(
  tx: Transaction,
  id: string,
  generation: number,
  now: number,
): Promise<void> {
  await tx.run("UPDATE sessions SET generation = ?, used = ? WHERE id = ?", generation, now, id);
}

/** Records that a session is in use. */
export async function touchSession(tx: Transaction, id: string, now: number): Promise<void> {
  await tx.run("UPDATE sessions SET used = ? WHERE id = ? AND used < ?", now, id, now);
}

/** Replaces what a session stores of its person. */
export async function describePerson(tx: Transaction, id: string, person: string): Promise<void> {
  await tx.run("UPDATE sessions SET person = ? WHERE id = ?", person, id);
}

/** Ends a session; returns whether it existed. Its tokens are rejected from then on. */
export async function endSession(tx: Transaction, id: string): Promise<boolean> {
  if ((await tx.run("DELETE FROM sessions WHERE id = ?", id)) === 0) return false;
  tx.accessChanged();
  return true;
}

/** Ends all sessions of a person, of a provider, or of a person at a provider. */
export async function endSessions(tx: Transaction, owner: SessionOwner): Promise<number> {
  const { sql, values } = conditionOf(owner);
  const ended = await tx.run(`DELETE FROM sessions WHERE ${sql}`, ...values);
  if (ended > 0) tx.accessChanged();
  return ended;
}

/** Ends all sessions of everyone. */
export async function endAllSessions(tx: Transaction): Promise<number> {
  tx.accessChanged();
  return tx.run("DELETE FROM sessions");
}

function conditionOf(owner: SessionOwner): { sql: string; values: Value[] } {
  const columns = (["identity", "provider"] as const).filter((name) => owner[name] !== undefined);
  if (columns.length === 0) throw new Error("an owner of sessions is required");
  const sql = columns.map((name) => `${name} = ?`).join(" AND ");
  return { sql, values: columns.map((name) => owner[name] as string) };
}
