import { hash } from "node:crypto";
import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/**
 * One-time secrets: a login whose person is known, the code at its end, a device that waits. Only the
 * digest of a secret is stored. Expired tickets are rejected at once and deleted later, in small steps.
 */

export interface Ticket {
  /** A ticket for one purpose is rejected for any other. */
  readonly purpose: string;
  readonly secret: string;
  readonly payload: object;
  readonly expires: number;
  /** The uid of the identity that it signs in; empty while nobody has signed in. */
  readonly identity: string;
  /** The uid of the identity provider that they signed in through; empty for local accounts. */
  readonly provider?: string;
  /** The client network that it counts against; empty where its creator had to sign in. */
  readonly network?: string;
}

/**
 * Stores a ticket. Returns false if there is one with the same secret, which then stays.
 *
 * @example await addTicket(tx, { purpose: "code", secret, payload, expires: now + 60_000, identity });
 */
export async function addTicket(tx: Transaction, ticket: Ticket): Promise<boolean> {
  const { secret, purpose, payload, expires, identity, provider = "", network = "" } = ticket;
  const added = await tx.run(
    `INSERT INTO tickets (digest, purpose, payload, expires, identity, provider, network)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING`,
    digestOf(secret),
    purpose,
    JSON.stringify(payload),
    expires,
    identity,
    provider,
    network,
  );
  return added > 0;
}

/**
 * Redeems a ticket: the second caller finds none.
 *
 * @example const login = await consumeTicket<Login>(tx, "login", secret, now);
 */
export async function consumeTicket<P>(
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

/** Reads a ticket without redeeming it. */
export async function readTicket<P>(
  reader: Reader,
  purpose: string,
  secret: string,
  now: number,
): Promise<P | undefined> {
  const row = await reader.get<{ payload: string }>(READ, digestOf(secret), purpose, now);
  return row && (JSON.parse(row.payload) as P);
}

/** Like readTicket, and locks the ticket until the transaction ends. */
export async function lockTicket<P>(
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

/** Replaces what a ticket says and whom it signs in; returns whether there is one. */
export async function rewriteTicket(
  tx: Transaction,
  { purpose, secret, payload, identity, provider = "" }: Omit<Ticket, "expires" | "network">,
): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE tickets SET payload = ?, identity = ?, provider = ? WHERE digest = ? AND purpose = ?",
    JSON.stringify(payload),
    identity,
    provider,
    digestOf(secret),
    purpose,
  );
  return changed > 0;
}

/** How many valid tickets count against client networks: one of them, or all. */
export async function countTickets(
  reader: Reader,
  network: string | undefined,
  now: number,
): Promise<number> {
  const [which, values] = network === undefined ? ["network > ''", []] : ["network = ?", [network]];
  const sql = `SELECT count(*) AS count FROM tickets WHERE ${which} AND expires > ?`;
  return Number((await reader.get<{ count: number }>(sql, ...values, now))?.count ?? 0);
}

/** Deletes all tickets for a purpose. */
export async function deleteTickets(tx: Transaction, purpose: string): Promise<void> {
  await tx.run("DELETE FROM tickets WHERE purpose = ?", purpose);
}

/** Drops every ticket there is. */
export async function deleteAllTickets(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM tickets");
}

/** Deletes the tickets that sign an identity in: all, those for a purpose, or through a provider. */
export async function deleteTicketsOf(
  tx: Transaction,
  identity: string,
  among: { readonly purpose?: string; readonly provider?: string } = {},
): Promise<void> {
  // Tickets of nobody have no identity, and there can be many.
  if (identity === "") return;
  const given = Object.entries(among);
  const conditions = given.map(([column]) => ` AND ${column} = ?`).join("");
  const values = given.map(([, value]) => value);
  await tx.run(`DELETE FROM tickets WHERE identity = ?${conditions}`, identity, ...values);
}

function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
