import { isRoot, parentOf, rootOf } from "@wharf/contract";
import type { Dialect, Reader, Value, Writer } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";
import { countKind } from "./counts.ts";
import { tableSchema } from "./table-schema.ts";
import { ALL_IDENTITIES, type TableShape } from "./table-shape.ts";
import {
  readTerms,
  type Term,
  type TermFilter,
  type TermKey,
  TermTable,
  type TextFilter,
  writeTerms,
} from "./terms.ts";

/** A condition that a column has a value. */
export interface Filter {
  readonly column: string;
  readonly value: string | number;
}

/** A condition that a time is later than another, and not later than a third. */
export interface Bound {
  readonly column: "created" | "updated";
  readonly after: number;
  readonly until?: number;
}

export type Condition = Filter | Bound | TermFilter | TextFilter;

/**
 * One stored resource: the columns that lists look at, and the resource as it is answered, encoded
 * once in both forms. `encoding` names the shape it was encoded with; a row of another shape is
 * encoded anew from `data` when it is read.
 */
export interface ResourceRow {
  readonly uid: string;
  readonly parent: string;
  readonly root: string;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
  readonly encoding: number;
  readonly data: Uint8Array;
  readonly json: string;
  /** Which part it is in, where its table has parts. */
  readonly part?: number;
  readonly filters: Readonly<Record<string, string | number>>;
  /** What else it is found by, where its table has terms. */
  readonly terms?: readonly Term[];
}

/** A stored resource in the form that the reader asked for. */
export interface EncodedRow {
  readonly encoding: number;
  readonly data?: Uint8Array;
  readonly json?: string;
}

/** Where a row that is to be changed stands. */
interface StoredPlace {
  readonly id: number;
  readonly part: number | undefined;
  readonly terms: readonly TermKey[];
  /** The identity whose grants it decides, if it decides those of one. */
  readonly identity: string | undefined;
}

const COMMON = [
  "uid",
  "parent",
  "root",
  "name",
  "created",
  "updated",
  "encoding",
  "data",
  "json",
] as const;

/** What a row keeps all its life. */
const FIXED: ReadonlySet<string> = new Set(["uid", "parent", "root", "created"]);

/** The statements that change and look up single rows of one resource's table. */
export class ResourceTable {
  readonly shape: TableShape;
  readonly terms: TermTable | undefined;
  readonly #columns: readonly string[];
  readonly #changing: readonly string[];
  readonly #insert: string;
  readonly #update: string;
  readonly #delete: string;
  readonly #select: Readonly<Record<"json" | "data", string>>;

  constructor(shape: TableShape) {
    this.shape = shape;
    const { name, parts, filterColumns, hasTerms = false } = shape;
    this.terms = hasTerms ? new TermTable(name) : undefined;
    this.#columns = [
      ...COMMON,
      ...(parts === undefined ? [] : ["part"]),
      ...(hasTerms ? ["terms"] : []),
      ...filterColumns.map((column) => column.name),
    ];
    this.#changing = this.#columns.filter((column) => !FIXED.has(column));
    this.#insert = `INSERT INTO ${name} (${this.#columns.join(", ")}) VALUES (${this.#columns.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`;
    this.#update = `UPDATE ${name} SET ${this.#changing.map((c) => `${c} = ?`).join(", ")} WHERE uid = ?`;
    this.#delete = `DELETE FROM ${name} WHERE uid = ?`;
    this.#select = {
      json: `SELECT encoding, json FROM ${name} WHERE uid = ?`,
      data: `SELECT encoding, data FROM ${name} WHERE uid = ?`,
    };
  }

  /** The statements that make the table and its indexes where they are missing. */
  schema(dialect: Dialect): string[] {
    return [...tableSchema(this.shape, dialect), ...(this.terms?.schema(dialect) ?? [])];
  }

  async find(reader: Reader, uid: string, form: "json" | "data"): Promise<EncodedRow | undefined> {
    const [row] = await reader.arrays<readonly [number, string | Uint8Array]>(
      this.#select[form],
      uid,
    );
    return row && encodedRow(row, form);
  }

  /** Like find, and nobody else changes the row before the transaction ends. */
  async findForChange(tx: Writer, uid: string): Promise<EncodedRow | undefined> {
    return tx.get<EncodedRow>(`${this.#select.data} ${tx.dialect.lock}`, uid);
  }

  /** Like find, and nobody deletes the row before the transaction ends. */
  async findToKeep(tx: Writer, uid: string): Promise<EncodedRow | undefined> {
    return tx.get<EncodedRow>(`${this.#select.data} ${tx.dialect.lockShared}`, uid);
  }

  /** The latest time at which any row was changed. */
  async latestUpdate(reader: Reader): Promise<number> {
    const { name, parts = [undefined] } = this.shape;
    let latest = 0;
    for (const part of parts) {
      const [among, values] = part === undefined ? ["", []] : [" WHERE part = ?", [part]];
      const sql = `SELECT max(updated) AS latest FROM ${name}${among}`;
      const row = await reader.get<{ latest: number | null }>(sql, ...values);
      latest = Math.max(latest, row?.latest ?? 0);
    }
    return latest;
  }

  /** Whether there is such a row; nobody deletes it before the transaction ends. */
  async keep(tx: Writer, uid: string): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM ${this.shape.name} WHERE uid = ? ${tx.dialect.lockShared}`;
    return (await tx.get(sql, uid)) !== undefined;
  }

  async findMany(
    reader: Reader,
    uids: readonly string[],
  ): Promise<(EncodedRow & { uid: string })[]> {
    if (uids.length === 0) return [];
    const marks = uids.map(() => "?").join(", ");
    return reader.all(
      `SELECT uid, encoding, data FROM ${this.shape.name} WHERE uid IN (${marks})`,
      ...uids,
    );
  }

  /** Rows that have something in a sparse column. */
  async marked(reader: Reader, column: string, limit: number): Promise<EncodedRow[]> {
    const { name } = this.shape;
    const sql = `SELECT encoding, data FROM ${name} WHERE ${column} <> '' ORDER BY ${column}, id LIMIT ?`;
    return reader.all<EncodedRow>(sql, limit);
  }

  /** Every row with this value in a column. */
  async where(reader: Reader, { column, value }: Filter): Promise<EncodedRow[]> {
    return reader.all<EncodedRow>(
      `SELECT encoding, data FROM ${this.shape.name} WHERE ${column} = ?${this.#notEmpty(column)} ORDER BY id`,
      value,
    );
  }

  /** Every row with one of these texts in a column. */
  async whereIn(reader: Reader, column: string, values: readonly string[]): Promise<EncodedRow[]> {
    if (values.length === 0) return [];
    const { texts } = reader.dialect;
    const sql = `SELECT encoding, data FROM ${this.shape.name} WHERE ${column} IN (${texts}) ORDER BY id`;
    return reader.all<EncodedRow>(sql, JSON.stringify(values));
  }

  /** The uids of the rows in a place that have this name, oldest first. */
  async childrenNamed(
    reader: Reader,
    parent: string,
    name: string,
    limit: number,
  ): Promise<string[]> {
    const sql = `SELECT uid FROM ${this.shape.name} WHERE parent = ? AND name = ? ORDER BY id LIMIT ?`;
    const rows = await reader.arrays<readonly [string]>(sql, parent, name, limit);
    return rows.map(([uid]) => uid);
  }

  /** Which of some rows was created first. */
  async oldestOf(reader: Reader, uids: readonly string[]): Promise<string | undefined> {
    const marks = uids.map(() => "?").join(", ");
    const sql = `SELECT uid FROM ${this.shape.name} WHERE uid IN (${marks}) ORDER BY id LIMIT 1`;
    const [row] = await reader.arrays<readonly [string]>(sql, ...uids);
    return row?.[0];
  }

  /** Lets transactions that give the same name in the same place follow one another. */
  async lockName(tx: Writer, parent: string, name: string): Promise<void> {
    const { lockText } = tx.dialect;
    if (lockText !== "") await tx.get(lockText, JSON.stringify([this.shape.name, parent, name]));
  }

  /** The uids of rows that have this name, wherever they are, oldest first. */
  async uidsNamed(reader: Reader, name: string, limit: number): Promise<string[]> {
    const sql = `SELECT uid FROM ${this.shape.name} WHERE name = ? ORDER BY id LIMIT ?`;
    const rows = await reader.arrays<readonly [string]>(sql, name, limit);
    return rows.map(([uid]) => uid);
  }

  /** The rows of a place that have one of these names. */
  async childrenOfNames(
    reader: Reader,
    parent: string,
    names: readonly string[],
  ): Promise<EncodedRow[]> {
    const { texts } = reader.dialect;
    const sql = `SELECT encoding, data FROM ${this.shape.name} WHERE parent = ? AND name IN (${texts})`;
    return reader.all<EncodedRow>(sql, parent, JSON.stringify(names));
  }

  /** Lets the database see that rows which an index leaves out are not asked for. */
  #notEmpty(column: string): string {
    const sparse = this.shape.filterColumns.some((one) => one.name === column && one.sparse);
    return sparse ? ` AND ${column} <> ''` : "";
  }

  async hasAny(reader: Reader, { column, value }: Filter): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM ${this.shape.name} WHERE ${column} = ? LIMIT 1`;
    return (await reader.get(sql, value)) !== undefined;
  }

  /** Where a row of this uid is: the uid of its place, or "" for none. */
  parentOf(uid: string): string {
    return this.shape.uidIsParent ? uid : parentOf(uid);
  }

  /** The row of a place with this name, where names are unique; nobody else changes it. */
  async namedForChange(tx: Writer, parent: string, name: string): Promise<EncodedRow | undefined> {
    return tx.get<EncodedRow>(
      `SELECT encoding, data FROM ${this.shape.name} WHERE parent = ? AND name = ? ${tx.dialect.lock}`,
      parent,
      name,
    );
  }

  /** Returns false, and does nothing, when there is such a row, or another one of its name. */
  async insert(tx: Transaction, row: ResourceRow): Promise<boolean> {
    const values = this.#values(row, this.#columns);
    if ((await tx.run(this.#insert, ...values)) === 0) return false;
    tx.counts.moved(this.#kind(row.part), row.parent, 1);
    this.#logGrants(tx, row.uid, this.#identityOf(row));
    const { terms = [] } = row;
    if (this.terms === undefined || terms.length === 0) return true;
    const { id } = (await this.#stored(tx, row.uid)) as StoredPlace;
    await this.terms.add(tx, [{ row: id, terms }]);
    return true;
  }

  /** Inserts many, unless there is one of them; returns that one then. */
  async insertAll(tx: Transaction, rows: readonly ResourceRow[]): Promise<ResourceRow | undefined> {
    for (const row of rows) {
      const values = this.#values(row, this.#columns);
      if ((await tx.run(this.#insert, ...values)) === 0) return row;
      tx.counts.moved(this.#kind(row.part), row.parent, 1);
      this.#logGrants(tx, row.uid, this.#identityOf(row));
    }
    if (this.terms === undefined || rows.length === 0) return undefined;
    const sql = `SELECT uid, id FROM ${this.shape.name} WHERE uid IN (${tx.dialect.texts})`;
    const uids = JSON.stringify(rows.map(({ uid }) => uid));
    const found = await tx.arrays<readonly [string, number]>(sql, uids);
    const ids = new Map(found);
    await this.terms.add(
      tx,
      rows.map(({ uid, terms = [] }) => ({ row: ids.get(uid) as number, terms })),
    );
    return undefined;
  }

  async update(tx: Transaction, row: ResourceRow): Promise<void> {
    const before = await this.#stored(tx, row.uid);
    await tx.run(this.#update, ...this.#values(row, this.#changing), row.uid);
    this.#logGrants(tx, row.uid, before?.identity, this.#identityOf(row));
    if (before !== undefined) {
      await this.terms?.replace(tx, before.id, before.terms, row.terms ?? []);
    }
    if (before?.part === row.part) {
      tx.counts.touched(this.#kind(row.part), this.shape.isPlace ? row.uid : row.parent);
    } else {
      tx.counts.moved(this.#kind(before?.part), row.parent, -1);
      tx.counts.moved(this.#kind(row.part), row.parent, 1);
    }
  }

  /** Returns whether there was such a row. */
  async delete(tx: Transaction, uid: string): Promise<boolean> {
    const before = await this.#stored(tx, uid);
    if (before !== undefined) await this.terms?.replace(tx, before.id, before.terms, []);
    if ((await tx.run(this.#delete, uid)) === 0) return false;
    this.#logGrants(tx, uid, before?.identity);
    tx.counts.moved(this.#kind(before?.part), this.parentOf(uid), -1);
    if (this.shape.hasChildren) tx.counts.closed(uid);
    return true;
  }

  /** Deletes rows of a place that nothing is below of, at most so many of each part; returns how many. */
  async deleteChildren(
    tx: Transaction,
    parent: string,
    most: number,
    parts: readonly (number | undefined)[] = this.shape.parts ?? [undefined],
  ): Promise<number> {
    if (this.shape.grantsOf !== undefined) {
      throw new Error(`${this.shape.name} decide grants: each deletion must be logged`);
    }
    let all = 0;
    for (const part of parts) {
      const gone = await this.#deleteSome(tx, [parent, part], most);
      if (gone > 0) tx.counts.moved(this.#kind(part), parent, -gone);
      all += gone;
    }
    return all;
  }

  async #deleteSome(
    tx: Transaction,
    [parent, part]: readonly [string, number | undefined],
    most: number,
  ): Promise<number> {
    const { name } = this.shape;
    const [among, values] = part === undefined ? ["", []] : [" AND part = ?", [part]];
    const some = `FROM ${name} WHERE parent = ?${among} LIMIT ?`;
    const given = [parent, ...values, most];
    const plain = `DELETE FROM ${name} WHERE id IN (SELECT id ${some})`;
    if (this.terms === undefined) return tx.run(plain, ...given);
    const rows = await tx.arrays<readonly [number, string]>(`SELECT id, terms ${some}`, ...given);
    const owned = rows.map(([row, terms]) => ({ row, terms: readTerms(terms) }));
    await this.terms.remove(tx, owned);
    const { asInteger, texts } = tx.dialect;
    const sql = `DELETE FROM ${name} WHERE id IN (SELECT ${asInteger("value")} FROM (${texts}) given)`;
    return tx.run(sql, JSON.stringify(rows.map(([id]) => id)));
  }

  #kind(part: number | undefined): string {
    return countKind(this.shape.name, part);
  }

  /**
   * What must be known of a row to change it: nothing, where its table has neither parts nor terms,
   * and decides nothing about single identities.
   */
  async #stored(tx: Transaction, uid: string): Promise<StoredPlace | undefined> {
    const { name, parts } = this.shape;
    const identity = this.#identityColumn;
    const columns = [
      ...(parts ? ["part"] : []),
      ...(this.terms ? ["terms"] : []),
      ...(identity === undefined ? [] : [`${identity} AS identity`]),
    ];
    if (columns.length === 0) return undefined;
    const sql = `SELECT id, ${columns.join(", ")} FROM ${name} WHERE uid = ?`;
    const row = await tx.get<{ id: number; part?: number; terms?: string; identity?: string }>(
      sql,
      uid,
    );
    if (row === undefined) return undefined;
    const { id, part, terms } = row;
    const { identity: concerned } = row;
    return { id, part, terms: terms === undefined ? [] : readTerms(terms), identity: concerned };
  }

  get #identityColumn(): string | undefined {
    const { grantsOf } = this.shape;
    return grantsOf === ALL_IDENTITIES ? undefined : grantsOf;
  }

  #identityOf({ filters }: ResourceRow): string | undefined {
    const column = this.#identityColumn;
    return column === undefined ? undefined : String(filters[column]);
  }

  /** Logs that a row changed, for the identities that it concerned before and does now. */
  #logGrants(tx: Transaction, uid: string, ...identities: (string | undefined)[]): void {
    const { grantsOf } = this.shape;
    if (grantsOf === undefined) return;
    // What has no parent is used in every organization.
    const root = isRoot(uid) ? "" : rootOf(uid);
    if (grantsOf === ALL_IDENTITIES) tx.grantsChanged("", root);
    else for (const one of new Set(identities)) tx.grantsChanged(one ?? "", root);
  }

  #values(row: ResourceRow, columns: readonly string[]): Value[] {
    return columns.map((column) => {
      if (column === "terms") return writeTerms(row.terms ?? []);
      return row.filters[column] ?? (row as unknown as Record<string, Value>)[column] ?? null;
    });
  }
}

function encodedRow(
  [encoding, body]: readonly [number, string | Uint8Array],
  form: "json" | "data",
): EncodedRow {
  return form === "json"
    ? { encoding, json: body as string }
    : { encoding, data: body as Uint8Array };
}
