import type { Dialect, Reader, Value } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

export interface TermKey {
  readonly kind: string;
  /** Indexable. */
  readonly value: string;
}

/** Something that a row is found by and of which it can have several. */
export interface Term extends TermKey {
  /** The text that rows are found by any part of, where they are. */
  readonly searched?: string;
}

/** The terms of one row, by its number. */
export interface RowTerms {
  readonly row: number;
  readonly terms: readonly Term[];
}

/** A condition that a row has any of these as terms of a kind, or has none of them. */
export interface TermFilter {
  readonly kind: string;
  /** Indexable, each. */
  readonly anyOf: readonly string[];
  readonly excluded: boolean;
}

/** A condition that a text is part of one of the terms that are searched, in either case. */
export interface TextFilter {
  readonly text: string;
}

/** A piece of a statement, with its parameters. */
interface Sql {
  readonly text: string;
  readonly params: readonly Value[];
}

/**
 * The terms of the rows of one table. Beside them, each that is searched stands once among the
 * words: there are far fewer of these than rows, so that a search looks through words, not rows.
 * Words stay when the last row that has them goes; they lead nowhere then.
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

  schema({ text, integer, withoutRowid }: Dialect): string[] {
    return [
      `CREATE TABLE IF NOT EXISTS ${this.#terms} (
        kind ${text} NOT NULL, value ${text} NOT NULL, row_id ${integer} NOT NULL,
        PRIMARY KEY (kind, value, row_id)) ${withoutRowid}`,
      `CREATE TABLE IF NOT EXISTS ${this.#words} (
        kind ${text} NOT NULL, value ${text} NOT NULL, folded ${text} NOT NULL,
        PRIMARY KEY (kind, value)) ${withoutRowid}`,
    ];
  }

  /** Makes the terms of a row these, where they were those. */
  async replace(
    tx: Transaction,
    row: number,
    before: readonly TermKey[],
    after: readonly Term[],
  ): Promise<void> {
    const [had, has] = [byKey(before), byKey(after)];
    const gone = [...had].filter(([key]) => !has.has(key)).map(([, term]) => term);
    if (gone.length > 0) await this.remove(tx, [{ row, terms: gone }]);
    const added = [...has].filter(([key]) => !had.has(key)).map(([, term]) => term);
    if (added.length > 0) await this.add(tx, [{ row, terms: added }]);
  }

  /** Takes terms from rows, with one statement for any number of them. */
  async remove(
    tx: Transaction,
    given: readonly { readonly row: number; readonly terms: readonly TermKey[] }[],
  ): Promise<void> {
    const terms = given.flatMap(({ row, terms }) =>
      terms.map(({ kind, value }) => [kind, value, row]),
    );
    const { triples, asInteger } = tx.dialect;
    await tx.run(
      `DELETE FROM ${this.#terms} WHERE (kind, value, row_id) IN
         (SELECT first, second, ${asInteger("third")} FROM (${triples}) given)`,
      JSON.stringify(terms),
    );
  }

  /** Gives rows terms that they do not have, with few statements for any number of them. */
  async add(tx: Transaction, given: readonly RowTerms[]): Promise<void> {
    const terms = given.flatMap(({ row, terms }) => {
      return [...byKey(terms).values()].map(({ kind, value }) => [kind, value, row]);
    });
    const { triples } = tx.dialect;
    await tx.run(
      `INSERT INTO ${this.#terms} (kind, value, row_id)
       SELECT first, second, ${tx.dialect.asInteger("third")} FROM (${triples}) given ORDER BY 1, 2, 3`,
      JSON.stringify(terms),
    );
    const words = [...byKey(given.flatMap(({ terms }) => terms)).values()].flatMap(
      ({ kind, value, searched }) =>
        searched === undefined ? [] : [[kind, value, fold(searched)]],
    );
    // In the order of their key, as others do: whoever takes them in another waits in circles.
    await tx.run(
      `INSERT INTO ${this.#words} (kind, value, folded)
       SELECT first, second, third FROM (${triples}) given WHERE true
       ORDER BY first, second ON CONFLICT DO NOTHING`,
      JSON.stringify(words),
    );
  }

  /** The rows that a condition is about, whatever it says of them. */
  rows({ dialect }: Reader, filter: TermFilter | TextFilter): Sql {
    if ("text" in filter) {
      // The words come first: SQLite keeps the order of a cross join.
      const text =
        `SELECT t.row_id FROM ${this.#words} w CROSS JOIN ${this.#terms} t ` +
        `WHERE ${dialect.isWithin("w.folded")} AND t.kind = w.kind AND t.value = w.value`;
      return { text, params: [fold(filter.text)] };
    }
    const { text, params } = this.#having(dialect, filter);
    return { text: `SELECT row_id FROM ${this.#terms} WHERE ${text}`, params };
  }

  /** Whether a condition holds, asked of one row at a time. */
  test(reader: Reader, filter: TermFilter): Sql {
    const { text, params } = this.#having(reader.dialect, filter);
    const own = `SELECT 1 FROM ${this.#terms} WHERE ${text} AND row_id = ${this.#of}.id`;
    return { text: `${filter.excluded ? "NOT " : ""}EXISTS (${own})`, params };
  }

  /** Whether a condition holds, through all rows that it holds for. */
  among(reader: Reader, filter: TermFilter | TextFilter, column = "id"): Sql {
    const { text, params } = this.rows(reader, filter);
    return { text: `${column} IN (${text})`, params };
  }

  /** How many rows have a term; beyond a number it does not matter how many more. */
  async count(reader: Reader, filter: TermFilter, most: number): Promise<number> {
    const { text, params } = this.rows(reader, filter);
    const sql = `SELECT count(*) AS total FROM (${text} LIMIT ?) some`;
    return (await reader.get<{ total: number }>(sql, ...params, most))?.total ?? 0;
  }

  #having({ texts }: Dialect, { kind, anyOf }: TermFilter): Sql {
    const [only, ...others] = anyOf;
    if (only !== undefined && others.length === 0) {
      return { text: "kind = ? AND value = ?", params: [kind, only] };
    }
    const text = `kind = ? AND value IN (${texts})`;
    return { text, params: [kind, JSON.stringify(anyOf)] };
  }
}

/** @example writeTerms([{ kind: "alias", value: "CVE-2026-0001" }]) // [["alias","CVE-2026-0001"]] */
export function writeTerms(terms: readonly TermKey[]): string {
  return JSON.stringify(terms.map(({ kind, value }) => [kind, value]));
}

/** Reads what writeTerms wrote. */
export function readTerms(text: string): TermKey[] {
  const pairs = JSON.parse(text) as [string, string][];
  return pairs.map(([kind, value]) => ({ kind, value }));
}

function byKey<T extends TermKey>(terms: readonly T[]): Map<string, T> {
  return new Map(terms.map((term) => [`${term.kind} ${term.value}`, term]));
}

/** Upper and lower case alike. */
function fold(text: string): string {
  return text.toLowerCase().toWellFormed();
}
