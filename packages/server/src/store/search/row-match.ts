import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../db/connection.ts";
import { fold, type TermFilter, type TermKey, type TextFilter } from "../resources/terms/terms.ts";
import { BitSet } from "./bit-set.ts";
import type { IndexedRows } from "./indexed-rows.ts";

/** Rows tested, or read, between two points where other tasks may run. */
const ROWS_PER_STEP = 4_096;

/** A row as the store has it now. */
export interface ChangedRow {
  readonly id: number;
  readonly uid: string;
  readonly partition: number;
  readonly created: number;
  readonly updated: number;
  readonly terms: readonly TermKey[];
  /** The folded texts of its searched terms. */
  readonly texts: readonly string[];
}

/**
 * The rows that meet a condition on their terms. They are found once; after that, each changed row is
 * tested by itself.
 */
export interface RowMatch {
  readonly rows: BitSet;
  /** Whether the rows in the set are those that the list must not have. */
  readonly excluded: boolean;
  /** Tests a row that has changed; undefined if it is gone. */
  changed(slot: number, row: ChangedRow | undefined): void;
  /** Finds the rows. Rows may change meanwhile. */
  find(task: SlicedTask): Promise<void>;
}

/** The rows with a text in one of their searched terms. */
export class TextMatch implements RowMatch {
  readonly rows: BitSet;
  readonly excluded = false;
  readonly #text: string;
  readonly #indexed: IndexedRows;

  constructor({ text }: TextFilter, indexed: IndexedRows) {
    this.#text = fold(text);
    this.#indexed = indexed;
    this.rows = new BitSet(indexed.slots.size);
  }

  changed(slot: number, row: ChangedRow | undefined): void {
    if (row?.texts.some((one) => one.includes(this.#text))) this.rows.add(slot);
    else this.rows.delete(slot);
  }

  async find(task: SlicedTask): Promise<void> {
    const { words, slots } = this.#indexed;
    const found = new BitSet(words.size);
    let searched = 0;
    for (let slot = 0; slot < slots.size; slot += ROWS_PER_STEP) {
      // Again after each step: rows that changed meanwhile may have new words.
      for (const _ of words.find(this.#text, searched, found)) await task.pause();
      searched = words.size;
      const end = Math.min(slot + ROWS_PER_STEP, slots.size);
      this.#indexed.addRowsWith(found, slot, end, this.rows);
      await task.pause();
    }
  }
}

/** The rows that have one of some terms. */
export class TermMatch implements RowMatch {
  readonly rows: BitSet;
  readonly excluded: boolean;
  readonly #kind: string;
  readonly #values: ReadonlySet<string>;
  readonly #reader: Reader;
  readonly #table: string;
  readonly #indexed: IndexedRows;
  /** While some rows are read: those that have changed since, and may be read as they were before. */
  #changed: Set<number> | undefined;

  constructor(
    { kind, anyOf, excluded }: TermFilter,
    indexed: IndexedRows,
    reader: Reader,
    table: string,
  ) {
    this.excluded = excluded;
    this.#kind = kind;
    this.#values = new Set(anyOf);
    this.#reader = reader;
    this.#table = `${table}_terms`;
    this.#indexed = indexed;
    this.rows = new BitSet(indexed.slots.size);
  }

  changed(slot: number, row: ChangedRow | undefined): void {
    this.#changed?.add(slot);
    const has = row?.terms.some(
      ({ kind, value }) => kind === this.#kind && this.#values.has(value),
    );
    if (has) this.rows.add(slot);
    else this.rows.delete(slot);
  }

  async find(task: SlicedTask): Promise<void> {
    for (const value of this.#values) {
      for (let after: number | undefined = -1; after !== undefined; ) {
        after = await this.#findSome(value, after);
        await task.pause();
      }
    }
  }

  /** Finds some rows with a value, and returns the last one; undefined at the end. */
  async #findSome(value: string, after: number): Promise<number | undefined> {
    const changed = new Set<number>();
    this.#changed = changed;
    const rows = await this.#reader.arrays<readonly [id: number]>(
      `SELECT row_id FROM ${this.#table} WHERE kind = ? AND value = ? AND row_id > ?
       ORDER BY row_id LIMIT ?`,
      this.#kind,
      value,
      after,
      ROWS_PER_STEP,
    );
    for (const [id] of rows) {
      const slot = this.#indexed.slots.find(id);
      // Rows that are not indexed yet are tested when they are.
      if (slot !== undefined && !changed.has(slot)) this.rows.add(slot);
    }
    this.#changed = undefined;
    return rows.length < ROWS_PER_STEP ? undefined : rows.at(-1)?.[0];
  }
}
