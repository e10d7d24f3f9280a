import type { Reader } from "../../db/connection.ts";

/** The name of an identity; empty if there is none. */
export async function identityName(reader: Reader, uid: string): Promise<string> {
  const sql = "SELECT name FROM identities WHERE uid = ?";
  return (await reader.get<{ name: string }>(sql, uid))?.name ?? "";
}
