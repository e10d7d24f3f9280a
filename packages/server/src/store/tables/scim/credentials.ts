import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The SCIM credentials of an identity provider: digests of its tokens, never the tokens. A provider
 * without a row never had a token, and provisioning is off.
 */
export interface ScimCredentials {
  readonly provider: string;
  /** 1 while provisioning is on. */
  readonly enabled: number;
  /** SHA-256 of the current token in hex; empty without one. */
  readonly token_hash: string;
  /** Milliseconds since 1970; null for never. */
  readonly token_expires: number | null;
  /** SHA-256 of the previous token, while it is valid. */
  readonly previous_hash: string;
  readonly previous_expires: number | null;
  /** When all tokens were revoked; null while they are not. */
  readonly revoked: number | null;
  /** Grows with every change. */
  readonly version: number;
}

const COLUMNS = [
  "provider",
  "enabled",
  "token_hash",
  "token_expires",
  "previous_hash",
  "previous_expires",
  "revoked",
  "version",
] as const;

export async function readScimCredentials(
  reader: Reader,
  provider: string,
): Promise<ScimCredentials> {
  const sql = `SELECT ${COLUMNS.join(", ")} FROM scim_credentials WHERE provider = ?`;
  return (await reader.get<ScimCredentials>(sql, provider)) ?? none(provider);
}

function none(provider: string): ScimCredentials {
  return {
    provider,
    enabled: 0,
    token_hash: "",
    token_expires: null,
    previous_hash: "",
    previous_expires: null,
    revoked: null,
    version: 0,
  };
}

export async function writeScimCredentials(
  tx: Transaction,
  credentials: ScimCredentials,
): Promise<void> {
  await tx.run(
    `INSERT INTO scim_credentials (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
     ON CONFLICT (provider) DO UPDATE SET
       ${COLUMNS.slice(1)
         .map((column) => `${column} = excluded.${column}`)
         .join(", ")}`,
    ...COLUMNS.map((column) => credentials[column]),
  );
}

export async function deleteScimCredentials(tx: Transaction, provider: string): Promise<void> {
  await tx.run("DELETE FROM scim_credentials WHERE provider = ?", provider);
}
