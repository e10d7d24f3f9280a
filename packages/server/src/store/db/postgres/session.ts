import type { Session } from "../connection.ts";
import type { Connection } from "./connection.ts";
import { PostgresWriter } from "./statements.ts";

/** The connection of a migration. */
export class PostgresSession extends PostgresWriter implements Session {
  readonly #client: Connection;

  constructor(client: Connection) {
    super(() => client);
    this.#client = client;
  }

  async script(sql: string): Promise<void> {
    await this.#client.query(sql);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
