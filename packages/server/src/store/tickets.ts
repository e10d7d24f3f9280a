import { hash } from "node:crypto";
import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/**
 * Things that can be had once, by whoever knows a secret: a login on its way through the browser, a
 * code at its end, a device that waits. Only the secret's digest is kept.
 */

export interface Ticket {
  /** What it is for; a ticket for one thing is no good for another. */
  readonly purpose: string;
  readonly secret: string;
  readonly payload: object;
  readonly expires: number;
}

/**
 * Leaves a ticket, and drops those whose time is over. Says whether it did: of two with the same
 * secret the first stays.
 *
 * @example await putTicket(tx, { purpose: "code", secret, payload, expires: now + 60_000 }, now);
 */
export async function putTicket(tx: Transaction, ticket: Ticket, now: number): Promise<boolean> {
  await tx.run("DELETE FROM tickets WHERE expires <= ?", now);
  const added = await tx.run(
    `INSERT INTO tickets (digest, purpose, payload, expires) VALUES (?, ?, ?, ?)
     ON CONFLICT (digest) DO NOTHING`,
    digestOf(ticket.secret),
    ticket.purpose,
    JSON.stringify(ticket.payload),
    ticket.expires,
  );
  return added > 0;
}

/**
 * Takes a ticket: whoever comes second finds none.
 *
 * @example const login = await takeTicket<Login>(tx, "login", secret, now);
 */
export async function takeTicket<P>(
  tx: Transaction,
  purpose: string,
  secret: string,
  now: number,
): Promise<P | undefined> {
  const payload = await readTicket<P>(tx, purpose, secret, now);
  const digest = digestOf(secret);
  const sql = "DELETE FROM tickets WHERE digest = ? AND purpose = ?";
  return payload !== undefined && (await tx.run(sql, digest, purpose)) > 0 ? payload : undefined;
}

/** Looks at a ticket and leaves it. */
export async function readTicket<P>(
  reader: Reader,
  purpose: string,
  secret: string,
  now: number,
): Promise<P | undefined> {
  const row = await reader.get<{ payload: string }>(READ, digestOf(secret), purpose, now);
  return row && (JSON.parse(row.payload) as P);
}

/** Like readTicket, and nobody else changes it before the transaction ends. */
export async function holdTicket<P>(
  tx: Transaction,
  purpose: string,
  secret: string,
  now: number,
): Promise<P | undefined> {
  const sql = `${READ} ${tx.dialect.lock}`;
  const row = await tx.get<{ payload: string }>(sql, digestOf(secret), purpose, now);
  return row && (JSON.parse(row.payload) as P);
}

const READ = "SELECT payload FROM tickets WHERE digest = ? AND purpose = ? AND expires > ?";

/** Writes something else on a ticket; says whether it is still there. */
export async function rewriteTicket(
  tx: Transaction,
  { purpose, secret, payload }: Omit<Ticket, "expires">,
): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE tickets SET payload = ? WHERE digest = ? AND purpose = ?",
    JSON.stringify(payload),
    digestOf(secret),
    purpose,
  );
  return changed > 0;
}

/** Drops all tickets for a purpose. */
export async function dropTickets(tx: Transaction, purpose: string): Promise<void> {
  await tx.run("DELETE FROM tickets WHERE purpose = ?", purpose);
}

/** Drops every ticket there is. */
export async function dropAllTickets(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM tickets");
}

/**
 * Drops the tickets that name an identity: all of them, such as logins on their way and codes at
 * their end, or those for one purpose.
 *
 * @example await dropTicketsOf(tx, account.identity);
 */
export async function dropTicketsOf(
  tx: Transaction,
  identity: string,
  purpose?: string,
): Promise<void> {
  const sql = "DELETE FROM tickets WHERE payload LIKE ?";
  const named = `%${JSON.stringify({ identity }).slice(1, -1)}%`;
  if (purpose === undefined) await tx.run(sql, named);
  else await tx.run(`${sql} AND purpose = ?`, named, purpose);
}

function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
