import type { Transaction } from "../db/commit/transaction.ts";
import type { Reader } from "../db/connection.ts";

/**
 * Responses of creates that clients sent with an idempotency key. A row is written in the transaction of its create,
 * so it exists exactly if the create was committed; a caller adds no rows but by creating something.
 */
export interface StoredResponse {
  /** The digest of caller, method and key. */
  readonly id: string;
  /** The digest of the request. */
  readonly request: string;
  /** The sealed response: some contain a secret. */
  readonly response: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The response that is stored for a key and has not expired. */
export function findResponse(
  reader: Reader,
  id: string,
  now: number,
): Promise<StoredResponse | undefined> {
  const sql =
    "SELECT id, request, response, expires FROM idempotency_keys WHERE id = ? AND expires > ?";
  return reader.get<StoredResponse>(sql, id, now);
}

/** Stores a response. Returns false, and stores nothing, if there is one that has not expired. */
export function addResponse(
  tx: Transaction,
  { id, request, response, expires }: StoredResponse,
  now: number,
): Promise<boolean> {
  return tx.changeOne(
    `INSERT INTO idempotency_keys (id, request, response, expires) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE
     SET request = excluded.request, response = excluded.response, expires = excluded.expires
     WHERE idempotency_keys.expires <= ?`,
    id,
    request,
    response,
    expires,
    now,
  );
}
