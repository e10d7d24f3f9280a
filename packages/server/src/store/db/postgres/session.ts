import type { Client } from "pg";
import type { Session } from "../connection.ts";
import { PostgresWriter } from "./statements.ts";

/** The connection of a migration. */
export class PostgresSession extends PostgresWriter implements Session {
  readonly #client: Client;

  constructor(client: Client) {
    super(async () => client);
    this.#client = client;
  }

  async script(sql: string): Promise<void> {
    await this.#client.query(sql);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
