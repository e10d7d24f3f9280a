/** Statements on a PostgreSQL past all of our own code. */
import { Socket } from "node:net";
import pg from "pg";

/** More than tests use at the same time. */
const MAX_KEPT = 4;

/** Open connections by address, the last used last: opening one costs more than most statements. */
const kept = new Map<string, RawConnection>();

/** Runs a statement, and returns its rows. A connection that was closed meanwhile is replaced. */
export async function rawQuery<Row>(url: string, sql: string): Promise<Row[]> {
  const connection = kept.get(url) ?? new RawConnection(url);
  kept.delete(url);
  kept.set(url, connection);
  const [oldest] = kept.values();
  if (kept.size > MAX_KEPT) oldest?.close();
  try {
    return await connection.query<Row>(sql);
  } catch (error) {
    if (!connection.isClosed || connection.isNew) throw error;
    return rawQuery(url, sql);
  }
}

class RawConnection {
  isClosed = false;
  /** Has not answered yet. */
  isNew = true;
  readonly #client: pg.Client;
  readonly #socket = new Socket();
  readonly #connected: Promise<unknown>;
  readonly #url: string;
  #running = 0;

  constructor(url: string) {
    this.#url = url;
    // Tests read several things at once.
    const options = { connectionString: url, pipeline: true, stream: () => this.#socket };
    this.#client = new pg.Client(options);
    const forget = () => this.#forget();
    this.#client.on("error", forget).on("end", forget);
    this.#connected = this.#client.connect().catch((error: unknown) => {
      forget();
      throw error;
    });
  }

  async query<Row>(sql: string): Promise<Row[]> {
    this.#running++;
    try {
      await this.#connected;
      this.#socket.ref();
      const { rows } = await this.#client.query(sql);
      this.isNew = false;
      return rows as Row[];
    } finally {
      this.#running--;
      // A connection without statements does not keep the process running.
      if (this.#running === 0) this.#socket.unref();
    }
  }

  close(): void {
    if (this.#running > 0) return;
    this.#forget();
    void this.#client.end();
  }

  #forget(): void {
    this.isClosed = true;
    if (kept.get(this.#url) === this) kept.delete(this.#url);
  }
}
