import type { Transaction } from "../../db/commit/transaction.ts";
import type { Dialect, Reader } from "../../db/connection.ts";
import type { Sql } from "../conditions.ts";

export interface TermKey {
  readonly kind: string;
  /** Truncated to the limit of index keys (indexable.ts). */
  readonly value: string;
}

/** A search term of a row, which can have several of each kind. */
export interface Term extends TermKey {
  /** The text that substring searches look in, for terms that can be searched. */
  readonly searched?: string;
}

/** The terms of one row, by its id. */
export interface RowTerms {
  readonly row: number;
  readonly terms: readonly Term[];
}

/** A condition that a row has one of these terms of a kind, or has none of them. */
export interface TermFilter {
  readonly kind: string;
  /** Each is indexable. */
  readonly anyOf: readonly string[];
  readonly excluded: boolean;
}

/** A condition that a text is a substring of a searched term, ignoring case. */
export interface TextFilter {
  readonly text: string;
}

/**
 * The search terms of the rows of one table. Each searched term is also stored once as a word: there are
 * far fewer words than rows, and substring searches scan the words. A word stays when its last row is
 * deleted, and then finds nothing.
 */
export class TermTable {
  readonly #of: string;
  readonly #terms: string;
  readonly #words: string;

  constructor(table: string) {
    this.#of = table;
    this.#terms = `${table}_terms`;
    this.#words = `${table}_words`;
  }

  /** The statements that create the tables, in the types of SQLite. */
  statements(): string[] {
    return [
      `CREATE TABLE ${this.#terms} (kind TEXT NOT NULL, value TEXT NOT NULL, row_id INTEGER NOT NULL, ` +
        "PRIMARY KEY (kind, value, row_id)) WITHOUT ROWID",
      `CREATE TABLE ${this.#words} (kind TEXT NOT NULL, value TEXT NOT NULL, folded TEXT NOT NULL, ` +
        "PRIMARY KEY (kind, value)) WITHOUT ROWID",
    ];
  }

  /** Replaces the terms of a row. */
  async replace(
    tx: Transaction,
    row: number,
    before: readonly TermKey[],
    after: readonly Term[],
  ): Promise<void> {
    const [had, has] = [byKey(before), byKey(after)];
    const removed = [...had].filter(([key]) => !has.has(key)).map(([, term]) => term);
    if (removed.length > 0) await this.remove(tx, [{ row, terms: removed }]);
    const added = [...has].filter(([key]) => !had.has(key)).map(([, term]) => term);
    if (added.length > 0) await this.add(tx, [{ row, terms: added }]);
  }

  /** Removes terms from rows with one statement. */
  async remove(
    tx: Transaction,
    rowTerms: readonly { readonly row: number; readonly terms: readonly TermKey[] }[],
  ): Promise<void> {
    const terms = rowTerms.flatMap(({ row, terms }) =>
      terms.map(({ kind, value }) => [kind, value, row]),
    );
    const { tuples, asInteger } = tx.dialect;
    await tx.run(
      `DELETE FROM ${this.#terms} WHERE (kind, value, row_id) IN
         (SELECT kind, value, ${asInteger("row_id")}
          FROM (${tuples("kind", "value", "row_id")}) given)`,
      JSON.stringify(terms),
    );
  }

  /** Adds terms that the rows do not have, with two statements. */
  async add(tx: Transaction, rowTerms: readonly RowTerms[]): Promise<void> {
    const terms = rowTerms.flatMap(({ row, terms }) => {
      return [...byKey(terms).values()].map(({ kind, value }) => [kind, value, row]);
    });
    const { tuples, asInteger } = tx.dialect;
    await tx.run(
      `INSERT INTO ${this.#terms} (kind, value, row_id)
       SELECT kind, value, ${asInteger("row_id")}
       FROM (${tuples("kind", "value", "row_id")}) given ORDER BY 1, 2, 3`,
      JSON.stringify(terms),
    );
    const words = [...byKey(rowTerms.flatMap(({ terms }) => terms)).values()].flatMap(
      ({ kind, value, searched }) =>
        searched === undefined ? [] : [[kind, value, fold(searched)]],
    );
    // In the order of their key: transactions that lock words in different orders deadlock.
    await tx.run(
      `INSERT INTO ${this.#words} (kind, value, folded)
       SELECT kind, value, folded FROM (${tuples("kind", "value", "folded")}) given WHERE true
       ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
      JSON.stringify(words),
    );
  }

  /** Selects the rows that have one of the terms, also for a condition that excludes them. */
  rows({ dialect }: Reader, filter: TermFilter | TextFilter): Sql {
    if ("text" in filter) {
      // Words first: SQLite keeps the order of a cross join.
      const text =
        `SELECT t.row_id FROM ${this.#words} w CROSS JOIN ${this.#terms} t ` +
        `WHERE ${dialect.isWithin("w.folded")} AND t.kind = w.kind AND t.value = w.value`;
      return { text, params: [fold(filter.text)] };
    }
    const { text, params } = this.#matching(dialect, filter);
    return { text: `SELECT row_id FROM ${this.#terms} WHERE ${text}`, params };
  }

  /** The condition as a test of one row at a time. */
  test(reader: Reader, filter: TermFilter): Sql {
    const { text, params } = this.#matching(reader.dialect, filter);
    const own = `SELECT 1 FROM ${this.#terms} WHERE ${text} AND row_id = ${this.#of}.id`;
    return { text: `${filter.excluded ? "NOT " : ""}EXISTS (${own})`, params };
  }

  /** The condition as membership in the set of all rows that meet it. */
  among(reader: Reader, filter: TermFilter | TextFilter, column = "id"): Sql {
    const { text, params } = this.rows(reader, filter);
    return { text: `${column} IN (${text})`, params };
  }

  /** Counts the rows that have a term, up to a limit. */
  async count(reader: Reader, filter: TermFilter, limit: number): Promise<number> {
    const { text, params } = this.rows(reader, filter);
    const sql = `SELECT count(*) AS total FROM (${text} LIMIT ?) some`;
    return (await reader.get<{ total: number }>(sql, ...params, limit))?.total ?? 0;
  }

  #matching({ texts }: Dialect, { kind, anyOf }: TermFilter): Sql {
    const [only, ...others] = anyOf;
    if (only !== undefined && others.length === 0) {
      return { text: "kind = ? AND value = ?", params: [kind, only] };
    }
    const text = `kind = ? AND value IN (${texts})`;
    return { text, params: [kind, JSON.stringify(anyOf)] };
  }
}

/** The terms of a row as its `terms` column keeps them: `[["alias","CVE-2026-0001"]]`. */
export function writeTerms(terms: readonly TermKey[]): string {
  return JSON.stringify(terms.map(({ kind, value }) => [kind, value]));
}

/** Reads the `terms` column. */
export function readTerms(text: string): TermKey[] {
  const pairs = JSON.parse(text) as [string, string][];
  return pairs.map(([kind, value]) => ({ kind, value }));
}

function byKey<T extends TermKey>(terms: readonly T[]): Map<string, T> {
  return new Map(terms.map((term) => [`${term.kind} ${term.value}`, term]));
}

/** A text as substring searches compare it. */
export function fold(text: string): string {
  return text.toLowerCase().toWellFormed();
}
