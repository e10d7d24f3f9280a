import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { TestServer } from "./test-server.ts";

/**
 * Reads a server's database past all of our own code, as an auditor would.
 *
 * @example const rows = await rawRows(server, "SELECT uid FROM groups");
 */
export async function rawRows<Row>(server: TestServer, sql: string): Promise<Row[]> {
  const [flag, where = ""] = server.storeFlags;
  if (flag === "--data") {
    const database = new DatabaseSync(join(where, "wharf.db"), { readOnly: true });
    try {
      return database.prepare(sql).all() as Row[];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: where });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
