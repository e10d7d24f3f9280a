import type { Dialect } from "../db/connection.ts";
import { isBackfill, parseStatements, type Statement } from "./statements.ts";
import { olderStore } from "./store-errors.ts";

/** The table of a resource, whose columns can be computed from its rows. */
export interface FilledTable {
  readonly name: string;
  readonly filterColumns: readonly { readonly name: string; readonly type: "text" | "integer" }[];
  filtersOf?(data: Uint8Array): Readonly<Record<string, string | number>>;
}

export interface SchemaFiles {
  readonly version: string;
  /** `schema-NNN.sql`, with which a new store begins, and `NNN-name.sql`, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly tables: readonly FilledTable[];
}

/**
 * The schema of a version: what a new store begins with, and the steps. A new store gets the steps after its beginning,
 * an existing one those after its last.
 */
export class Schema {
  readonly version: string;
  /** The last step. */
  readonly last: number;
  readonly #dialect: Dialect;
  readonly #tables: readonly FilledTable[];
  readonly #beginning: { readonly step: number; readonly text: string };
  readonly #steps: ReadonlyMap<number, string>;

  constructor({ version, files, tables }: SchemaFiles, dialect: Dialect) {
    this.version = version;
    this.#dialect = dialect;
    this.#tables = tables;
    const numbered = (pattern: RegExp) =>
      Object.entries(files).flatMap(([name, text]) => {
        const [, step] = pattern.exec(name) ?? [];
        return step === undefined ? [] : [{ step: Number(step), text }];
      });
    const [beginning] = numbered(/^schema-(\d+)\.sql$/);
    if (beginning === undefined) throw new Error("there is no schema for new stores");
    this.#beginning = beginning;
    this.#steps = new Map(numbered(/^(\d+)-/).map(({ step, text }) => [step, text]));
    this.last = Math.max(beginning.step, ...this.#steps.keys());
  }

  /** The statements of a step. */
  step(number: number): Statement[] {
    const text = this.#steps.get(number);
    if (text === undefined) throw olderStore(number - 1);
    return parseStatements(text, this.#dialect);
  }

  /** The statements that create a store, with the rows that it begins with. No step has rows to change. */
  creation(): string[] {
    const { step, text } = this.#beginning;
    const all = parseStatements(text, this.#dialect);
    for (let number = step + 1; number <= this.last; number++) all.push(...this.step(number));
    return all.flatMap((one) => (isBackfill(one) || one.repeats ? [] : [one.sql]));
  }

  /** The tables that a store of this version, or of an earlier one, may have. */
  tableNames(): string[] {
    return this.creation().flatMap((sql) => /^CREATE TABLE (\w+)/.exec(sql)?.[1] ?? []);
  }

  /** The table of a resource; undefined if this version has none of this name. */
  table(name: string): FilledTable | undefined {
    return this.#tables.find((table) => table.name === name);
  }
}
