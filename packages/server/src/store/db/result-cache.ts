import type { Value } from "./connection.ts";

/** Bytes of results kept at most; beyond, all are let go and the ones in use come back. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Statements whose results have a place of their own at most. */
const MOST_STATEMENTS = 1_000;

/** What a kept result costs besides its texts. */
const ENTRY_BYTES = 200;

/**
 * Results of reads, kept for as long as the database is what it was when they were read. What many
 * look at, the same pages and the same groups, is read once between two changes.
 *
 * @example const rows = cache.get(sql, params, () => statement.all(...params));
 */
export class ResultCache {
  readonly #bySql = new Map<string, Map<Value, unknown>>();
  #version: unknown;
  #bytes = 0;

  /** Lets everything go unless the database still has this version. */
  validate(version: unknown): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#clear();
  }

  get<T>(sql: string, params: readonly Value[], read: () => T): T {
    let results = this.#bySql.get(sql);
    if (results === undefined) {
      results = new Map();
      this.#bySql.set(sql, results);
      this.#bytes += ENTRY_BYTES + sql.length;
    }
    // A statement always has as many parameters; one needs no joining.
    const key = params.length === 1 ? (params[0] as Value) : keyOf(params);
    const known = results.get(key);
    if (known !== undefined || results.has(key)) return known as T;
    const result = read();
    this.#bytes += ENTRY_BYTES + bytesOf(key) + bytesOf(result);
    if (this.#bytes > MOST_BYTES) this.#clear();
    else results.set(key, result);
    return result;
  }

  #clear(): void {
    if (this.#bySql.size > MOST_STATEMENTS) this.#bySql.clear();
    for (const results of this.#bySql.values()) results.clear();
    this.#bytes = 0;
  }
}

/** Lengths keep texts that hold the separator apart. */
function keyOf(params: readonly Value[]): string {
  let key = "";
  for (const value of params) key += `${typeof value === "string" ? value.length : ""}:${value}|`;
  return key;
}

function bytesOf(result: unknown): number {
  if (typeof result === "string" || ArrayBuffer.isView(result)) {
    return typeof result === "string" ? result.length : result.byteLength;
  }
  if (typeof result !== "object" || result === null) return 8;
  let bytes = ENTRY_BYTES;
  for (const part of Object.values(result)) bytes += bytesOf(part);
  return bytes;
}
