import type { Value } from "../connection.ts";

/** Bytes of cached results; beyond, the cache is cleared and results in use come back. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Statements that keep their map of results when the cache is cleared. */
const MAX_STATEMENTS = 1_000;

/** Memory of a cached result besides its texts. */
const ENTRY_BYTES = 200;

/** Functions of SQLite whose results change while the database does not. */
const VOLATILE = /\b(unixepoch|random)\(/;

/** The results of a statement that must be run each time. */
class NoResults extends Map<Value, unknown> {
  override set(): this {
    return this;
  }
}

/**
 * Results of reads, valid until the database changes. Pages and groups that many callers read are read
 * once between two changes.
 *
 * No BoundedCache: every read goes through here, and a hit on two maps, by statement and by
 * parameters, takes a quarter of the time of building and hashing one key of both.
 */
export class ResultCache {
  readonly #bySql = new Map<string, Map<Value, unknown>>();
  #bytes = 0;

  get<T>(sql: string, params: readonly Value[], read: () => T): T {
    const results = this.#resultsOf(sql);
    const key = keyOf(params);
    const cached = results.get(key);
    if (cached !== undefined || results.has(key)) return cached as T;
    const result = read();
    this.#set(results, key, result);
    return result;
  }

  /** A cached result; undefined if there is none. */
  peek(sql: string, params: readonly Value[]): { readonly result: unknown } | undefined {
    const results = this.#bySql.get(sql);
    const key = keyOf(params);
    return results?.has(key) ? { result: results.get(key) } : undefined;
  }

  /** Adds a result of the current version. */
  add(sql: string, params: readonly Value[], result: unknown): void {
    this.#set(this.#resultsOf(sql), keyOf(params), result);
  }

  #resultsOf(sql: string): Map<Value, unknown> {
    let results = this.#bySql.get(sql);
    if (results === undefined) {
      results = VOLATILE.test(sql) ? new NoResults() : new Map();
      this.#bySql.set(sql, results);
      this.#bytes += ENTRY_BYTES + sql.length;
    }
    return results;
  }

  #set(results: Map<Value, unknown>, key: Value, result: unknown): void {
    this.#bytes += ENTRY_BYTES + bytesOf(key) + bytesOf(result);
    if (this.#bytes > MAX_BYTES) this.clear();
    else results.set(key, result);
  }

  clear(): void {
    if (this.#bySql.size > MAX_STATEMENTS) this.#bySql.clear();
    for (const results of this.#bySql.values()) results.clear();
    this.#bytes = 0;
  }
}

/**
 * The number of parameters of a statement is fixed: a single one is its own key. Lengths make keys of texts that contain
 * the separator distinct.
 */
function keyOf(params: readonly Value[]): Value {
  if (params.length === 1) return params[0] as Value;
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
  for (const value of Array.isArray(result) ? result : Object.values(result)) {
    bytes += bytesOf(value);
  }
  return bytes;
}
