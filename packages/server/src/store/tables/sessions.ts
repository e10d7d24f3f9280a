import type { Reader, Value, Writer } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** What a person has after a login. A session that has ended is gone from here. */
export interface StoredSession {
  readonly id: string;
  /** The uid of the person's identity. */
  readonly identity: string;
  /** The uid of the identity provider that they came through; empty for local accounts. */
  readonly provider: string;
  readonly created: number;
  readonly used: number;
  readonly expires: number;
  /** How often it has been refreshed; below zero when it cannot be. */
  readonly generation: number;
  /** The uids of the group mappings that applied at login, as a JSON list. */
  readonly mappings: string;
  /** What the provider said of the person, as JSON. */
  readonly person: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

const COLUMNS = `id, identity, provider, created, used, expires, generation, mappings, person,
  remote_address AS "remoteAddress", user_agent AS "userAgent"`;

/**
 * Sessions that an identity can have; the oldest make room for new ones. Each exchange of a person's token
 * opens one, and all of a person's end in one statement, which must stay short.
 */
export const MAX_SESSIONS_PER_IDENTITY = 1_000;

/** Sessions of an identity that are deleted with one that is added, where there are too many. */
const MAX_REPLACED = 10;

/** Adds a session. Expired ones are deleted later, in small steps. */
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

/** Makes room for a session. Tokens of the replaced ones stay valid until access is compiled next. */
async function replaceOldest(tx: Transaction, identity: string): Promise<void> {
  const newest = "SELECT created FROM sessions WHERE identity = ? ORDER BY created DESC";
  const row = await tx.get<{ created: number }>(
    `${newest} LIMIT 1 OFFSET ${MAX_SESSIONS_PER_IDENTITY - 1}`,
    identity,
  );
  if (row === undefined) return;
  await tx.run(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
       WHERE identity = ? AND created <= ? ORDER BY created LIMIT ${MAX_REPLACED})`,
    identity,
    row.created,
  );
}

/**
 * @example const session = await findSession(store.reader, token.session);
 */
export function findSession(reader: Reader, id: string): Promise<StoredSession | undefined> {
  return reader.get<StoredSession>(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, id);
}

/** Like findSession, and nobody else changes it before the transaction ends. */
export function findSessionForChange(tx: Writer, id: string): Promise<StoredSession | undefined> {
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE id = ? ${tx.dialect.lock}`;
  return tx.get<StoredSession>(sql, id);
}

/** Whose sessions: a person's, a provider's, or a person's at a provider. */
export interface SessionOwner {
  readonly identity?: string;
  readonly provider?: string;
}

/** Where a page of sessions begins: after the one that was made then, and has this id. */
export interface SessionCursor {
  readonly created: number;
  readonly id: string;
}

/**
 * Sessions that have not ended, newest first.
 *
 * @example const rows = await listSessions(store.reader, { identity }, undefined, 50, Date.now());
 */
export function listSessions(
  reader: Reader,
  owner: SessionOwner,
  after: SessionCursor | undefined,
  limit: number,
  now: number,
): Promise<StoredSession[]> {
  const { sql, values } = conditionOf(owner);
  const further = after ? " AND (created < ? OR (created = ? AND id > ?))" : "";
  const position = after ? [after.created, after.created, after.id] : [];
  return reader.all<StoredSession>(
    `SELECT ${COLUMNS} FROM sessions WHERE ${sql} AND expires > ?${further}
     ORDER BY created DESC, id LIMIT ?`,
    ...values,
    now,
    ...position,
    limit,
  );
}

/** Notes that a session was refreshed: the refresh token before this one is spent. */
export async function renewSession(
  tx: Transaction,
  id: string,
  generation: number,
  now: number,
): Promise<void> {
  await tx.run("UPDATE sessions SET generation = ?, used = ? WHERE id = ?", generation, now, id);
}

/** Ends one session; says whether there was one. Every token that came of it is refused from then on. */
export async function endSession(tx: Transaction, id: string): Promise<boolean> {
  if ((await tx.run("DELETE FROM sessions WHERE id = ?", id)) === 0) return false;
  tx.accessChanged();
  return true;
}

/**
 * Ends all sessions of a person, of a provider, or of a person at a provider.
 *
 * @example await endSessions(tx, { identity: deleted.uid });
 */
export async function endSessions(tx: Transaction, owner: SessionOwner): Promise<number> {
  const { sql, values } = conditionOf(owner);
  const ended = await tx.run(`DELETE FROM sessions WHERE ${sql}`, ...values);
  if (ended > 0) tx.accessChanged();
  return ended;
}

/** Ends every session there is. */
export async function endAllSessions(tx: Transaction): Promise<number> {
  tx.accessChanged();
  return tx.run("DELETE FROM sessions");
}

function conditionOf(owner: SessionOwner): { sql: string; values: Value[] } {
  const given = (["identity", "provider"] as const).filter((name) => owner[name] !== undefined);
  if (given.length === 0) throw new Error("sessions of everyone are nobody's to ask for");
  const sql = given.map((name) => `${name} = ?`).join(" AND ");
  return { sql, values: given.map((name) => owner[name] as string) };
}
