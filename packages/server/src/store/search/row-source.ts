import type { Reader } from "../db/connection.ts";
import { countKind } from "../resources/counts.ts";
import type { Order } from "../resources/query.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import { fold, readTerms, type TermKey } from "../resources/terms/terms.ts";
import type { Place } from "./indexed-rows.ts";
import type { ChangedRow } from "./row-match.ts";

/** Rows read by one statement, in a fraction of a millisecond. */
const BATCH_SIZE = 200;

/** The same, of rows with all their terms. */
const CHANGES_BATCH_SIZE = 100;

/** Longer values are cut in the table of terms (resources/indexable.ts). */
const MAX_WHOLE_LENGTH = 128;

/** Beyond every row id, and before all of them. */
const LAST_ID = Number.MAX_SAFE_INTEGER;
const FIRST_ID = -1;

/** Changes with every write, and the number of rows in each partition. */
export interface TableState {
  readonly version: string;
  readonly rows: ReadonlyMap<number, number>;
  readonly latestUpdate: number;
}

/** The ids of some rows, and a value of each. */
export interface Columns<V extends string | number> {
  readonly ids: readonly number[];
  readonly values: readonly V[];
}

/** Reads from the store what a search index holds, in batches by indexes that have all columns. */
export class RowSource {
  readonly table: ResourceTable;
  readonly partitions: readonly number[];
  readonly #reader: Reader;
  readonly #kinds: ReadonlySet<string>;

  /** `kinds` are those of searched terms. */
  constructor(reader: Reader, table: ResourceTable, kinds: readonly string[]) {
    this.#reader = reader;
    this.table = table;
    this.partitions = table.shape.partitions ?? [];
    this.#kinds = new Set(kinds);
  }

  get #name(): string {
    return this.table.shape.name;
  }

  async state(): Promise<TableState> {
    const kinds = this.partitions.map((one) => countKind(this.#name, one));
    const counts = await this.#reader.all<{ kind: string; descendants: number; changes: number }>(
      `SELECT kind, descendants, changes FROM counts
       WHERE uid = '' AND kind IN (${kinds.map(() => "?").join(", ")})`,
      ...kinds,
    );
    const latestUpdate = await this.table.latestUpdate(this.#reader);
    const of = (kind: string) => counts.find((one) => one.kind === kind);
    return {
      version: [...kinds.map((kind) => of(kind)?.changes ?? 0), latestUpdate].join(),
      rows: new Map(
        this.partitions.map((one, at) => [one, of(kinds[at] as string)?.descendants ?? 0]),
      ),
      latestUpdate,
    };
  }

  /** Every row, by uid. */
  async *uids(): AsyncIterable<Columns<string>> {
    const sql = `SELECT id, uid AS value FROM ${this.#name} WHERE uid > ? ORDER BY uid LIMIT ?`;
    for (let after = ""; ; ) {
      const rows = await this.#columns<string>(sql, after, BATCH_SIZE);
      yield rows;
      if (rows.ids.length < BATCH_SIZE) return;
      after = rows.values.at(-1) ?? after;
    }
  }

  /** The rows of a partition, by time. */
  async *times(
    partition: number,
    column: Exclude<Order["column"], "uid" | "name">,
  ): AsyncIterable<Columns<number>> {
    const sql = `SELECT id, ${column} AS value FROM ${this.#name}
       WHERE part = ? AND (${column}, id) > (?, ?) ORDER BY ${column}, id LIMIT ?`;
    for (let [time, id] = [-1, FIRST_ID]; ; ) {
      const rows = await this.#columns<number>(sql, partition, time, id, BATCH_SIZE);
      yield rows;
      if (rows.ids.length < BATCH_SIZE) return;
      [time, id] = [rows.values.at(-1) ?? time, rows.ids.at(-1) ?? id];
    }
  }

  /** The folded texts of all searched terms, and the rows that have them, by text. */
  async *texts(): AsyncIterable<Columns<string>> {
    const sql = `SELECT row_id AS id, value FROM ${this.#name}_terms
       WHERE kind = ? AND (value, row_id) > (?, ?) ORDER BY value, row_id LIMIT ?`;
    for (const kind of this.#kinds) {
      for (let [value, id] = ["", FIRST_ID]; ; ) {
        const rows = await this.#columns<string>(sql, kind, value, id, BATCH_SIZE);
        const terms = rows.values.map((one) => ({ kind, value: one }));
        yield { ids: rows.ids, values: await this.#textsOf(terms) };
        if (rows.ids.length < BATCH_SIZE) break;
        [value, id] = [rows.values.at(-1) ?? value, rows.ids.at(-1) ?? id];
      }
    }
  }

  /** The rows that changed after a time. */
  async *changes(after: number): AsyncIterable<readonly ChangedRow[]> {
    for (const partition of this.partitions) {
      for (let [time, last] = [after, LAST_ID]; ; ) {
        const rows = await this.#reader.arrays<
          readonly [id: number, uid: string, created: number, updated: number, terms: string]
        >(
          `SELECT id, uid, created, updated, terms FROM ${this.#name}
           WHERE part = ? AND (updated, id) > (?, ?) ORDER BY updated, id LIMIT ?`,
          partition,
          time,
          last,
          CHANGES_BATCH_SIZE,
        );
        const changed: ChangedRow[] = [];
        for (const [id, uid, created, updated, stored] of rows) {
          const terms = readTerms(stored);
          const texts = await this.#textsOf(terms.filter(({ kind }) => this.#kinds.has(kind)));
          changed.push({ id, uid, partition, created, updated, terms, texts });
        }
        yield changed;
        if (rows.length < CHANGES_BATCH_SIZE) break;
        [last, , , time] = rows.at(-1) ?? [last, "", 0, time, ""];
      }
    }
  }

  /** The places that have fewer rows than they had. */
  async *shrunk(places: readonly Place[]): AsyncIterable<readonly Place[]> {
    for (const partition of this.partitions) {
      const own = places.filter((place) => place.partition === partition && place.rows > 0);
      for (let at = 0; at < own.length; at += BATCH_SIZE) {
        const some = own.slice(at, at + BATCH_SIZE);
        const counts = await this.#reader.all<{ uid: string; children: number }>(
          `SELECT uid, children FROM counts WHERE kind = ? AND uid IN (${this.#reader.dialect.texts})`,
          countKind(this.#name, partition),
          JSON.stringify(some.map(({ parent }) => parent)),
        );
        const now = new Map(counts.map(({ uid, children }) => [uid, children]));
        yield some.filter(({ parent, rows }) => (now.get(parent) ?? 0) < rows);
      }
    }
  }

  /** The ids of the rows in a place. */
  async *idsIn({ parent, partition }: Place): AsyncIterable<readonly number[]> {
    for (let [time, id] = [-1, FIRST_ID]; ; ) {
      const rows = await this.#reader.arrays<readonly [id: number, updated: number]>(
        `SELECT id, updated FROM ${this.#name}
         WHERE parent = ? AND part = ? AND (updated, id) > (?, ?) ORDER BY updated, id LIMIT ?`,
        parent,
        partition,
        time,
        id,
        BATCH_SIZE,
      );
      yield rows.map(([one]) => one);
      if (rows.length < BATCH_SIZE) return;
      [id, time] = rows.at(-1) ?? [id, time];
    }
  }

  /** Reads rows of an id and a value as two arrays: a fraction of the time that rows would take. */
  async #columns<V extends string | number>(
    sql: string,
    ...params: (string | number)[]
  ): Promise<Columns<V>> {
    const { arrayOf } = this.#reader.dialect;
    const [row] = await this.#reader.arrays<readonly [ids: string, values: string]>(
      `SELECT ${arrayOf("id")}, ${arrayOf("value")} FROM (${sql}) batch`,
      ...params,
    );
    const [ids = "[]", values = "[]"] = row ?? [];
    return { ids: JSON.parse(ids), values: JSON.parse(values) };
  }

  /** The folded texts of searched terms. */
  async #textsOf(terms: readonly TermKey[]): Promise<string[]> {
    const texts: string[] = [];
    for (const { kind, value } of terms) {
      texts.push(value.length > MAX_WHOLE_LENGTH ? await this.#long(kind, value) : fold(value));
    }
    return texts;
  }

  async #long(kind: string, value: string): Promise<string> {
    const sql = `SELECT folded FROM ${this.#name}_words WHERE kind = ? AND value = ?`;
    return (await this.#reader.get<{ folded: string }>(sql, kind, value))?.folded ?? fold(value);
  }
}
