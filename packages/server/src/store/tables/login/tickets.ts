import { hash } from "node:crypto";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * Single-use secrets: sign-ins of a known person, authorization codes, device codes. Only the digest of a
 * secret is stored. Expired tickets are rejected at once and deleted later, in batches.
 */

export interface Ticket {
  /** A ticket for one purpose is rejected for any other. */
  readonly purpose: string;
  readonly secret: string;
  readonly payload: object;
  readonly expires: number;
  /** The uid of the identity that it signs in; empty before the sign-in. */
  readonly identity: string;
  /** The uid of the identity provider that they signed in through; empty for local accounts. */
  readonly provider?: string;
  /** The client network that it counts against; empty where its creator was signed in. */
  readonly network?: string;
}

/** Adds a ticket. Returns false, and changes nothing, if its secret exists. */
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

/** Redeems a ticket; the second caller gets undefined. */
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

/** Replaces the payload of a ticket and whom it signs in; returns whether it exists. */
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

/** The number of valid tickets that count against one client network, or all. */
export async function countTickets(
  reader: Reader,
  network: string | undefined,
  now: number,
): Promise<number> {
  const [condition, values] =
    network === undefined ? ["network > ''", []] : ["network = ?", [network]];
  const sql = `SELECT count(*) AS count FROM tickets WHERE ${condition} AND expires > ?`;
  return Number((await reader.get<{ count: number }>(sql, ...values, now))?.count ?? 0);
}

/** Deletes all tickets for a purpose. */
export async function deleteTickets(tx: Transaction, purpose: string): Promise<void> {
  await tx.run("DELETE FROM tickets WHERE purpose = ?", purpose);
}

/** Deletes all tickets of everyone. */
export async function deleteAllTickets(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM tickets");
}

/** Deletes the tickets that sign an identity in: all, those for a purpose, or through a provider. */
export async function deleteTicketsOf(
  tx: Transaction,
  identity: string,
  among: { readonly purpose?: string; readonly provider?: string } = {},
): Promise<void> {
  // Tickets from before a sign-in have no identity, and there can be many.
  if (identity === "") return;
  const columns = Object.entries(among);
  const conditions = columns.map(([column]) => ` AND ${column} = ?`).join("");
  const values = columns.map(([, value]) => value);
  await tx.run(`DELETE FROM tickets WHERE identity = ?${conditions}`, identity, ...values);
}

function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
