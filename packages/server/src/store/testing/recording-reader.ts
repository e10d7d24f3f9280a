import assert from "node:assert/strict";
import type { Reader, Value } from "../db/connection.ts";

/** Records the statements of lists instead of running them. */
export class RecordingReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly statements: { sql: string; params: Value[] }[] = [];
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
    this.dialect = reader.dialect;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    if (sql.includes("count(*)")) this.statements.push({ sql, params });
    return this.#reader.get<R>(sql, ...params);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#reader.all<R>(sql, ...params);
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    this.statements.push({ sql, params });
    return [];
  }
}

/** PostgreSQL's plan of the last statement of a read. */
export async function postgresPlan(
  reader: Reader,
  read: (reader: Reader) => Promise<unknown>,
): Promise<string> {
  const recording = new RecordingReader(reader);
  await read(recording);
  const last = recording.statements.at(-1);
  assert.ok(last !== undefined);
  const steps = await reader.arrays<[string]>(`EXPLAIN ${last.sql}`, ...last.params);
  return steps.map(([step]) => step).join("\n");
}
