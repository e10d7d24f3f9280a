import { parentOf } from "@wharf/contract";
import type { Dialect, Reader, Value, Writer } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/** A column beside the common ones that a list can be filtered by. Gets an index of its own. */
export interface FilterColumn {
  readonly name: string;
  readonly type: "text" | "integer";
  /** Empty in most rows, which are then left out of its index. */
  readonly sparse?: boolean;
}

/** A condition that a column has a value. */
export interface Filter {
  readonly column: string;
  readonly value: string | number;
}

export interface TableShape {
  /** The table's name, which is also the kind in the counts. */
  readonly name: string;
  readonly filterColumns: readonly FilterColumn[];
  /** Whether its rows are places: what is below one, in a list, includes the row itself. */
  readonly isPlace: boolean;
  /** Whether other resources live below its rows. */
  readonly hasChildren: boolean;
  /** Whether rows go by the uid of the place that they are in, which holds one of them at most. */
  readonly uidIsParent: boolean;
}

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
  readonly filters: Readonly<Record<string, string | number>>;
}

/** A stored resource in the form that the reader asked for. */
export interface EncodedRow {
  readonly encoding: number;
  readonly data?: Uint8Array;
  readonly json?: string;
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

/**
 * The orders kept in indexes, each ending in the row's number to part equals. What they leave out
 * (children by time, folders by anything) is sorted or picked out when read: see page.ts. Every
 * further index whose keys come in no order costs a page of log for each row written.
 */
const INDEXES = [
  ["parent", "name"],
  ["root", "name"],
  ["name"],
  ["root", "created"],
  ["created"],
  ["root", "updated"],
  ["updated"],
] as const;

/** The statements that change and look up single rows of one resource's table. */
export class ResourceTable {
  readonly shape: TableShape;
  readonly #columns: readonly string[];
  readonly #changing: readonly string[];
  readonly #insert: string;
  readonly #update: string;
  readonly #delete: string;
  readonly #select: Readonly<Record<"json" | "data", string>>;

  constructor(shape: TableShape) {
    this.shape = shape;
    this.#columns = [...COMMON, ...shape.filterColumns.map((column) => column.name)];
    const { name } = shape;
    this.#changing = this.#columns.filter((column) => !FIXED.has(column));
    this.#insert = `INSERT INTO ${name} (${this.#columns.join(", ")}) VALUES (${this.#columns.map(() => "?").join(", ")}) ON CONFLICT (uid) DO NOTHING`;
    this.#update = `UPDATE ${name} SET ${this.#changing.map((c) => `${c} = ?`).join(", ")} WHERE uid = ?`;
    this.#delete = `DELETE FROM ${name} WHERE uid = ?`;
    this.#select = {
      json: `SELECT encoding, json FROM ${name} WHERE uid = ?`,
      data: `SELECT encoding, data FROM ${name} WHERE uid = ?`,
    };
  }

  /** The statements that make the table and its indexes where they are missing. */
  schema({ id, text, integer, blob }: Dialect): string[] {
    const { name, filterColumns } = this.shape;
    const filters = filterColumns.map(
      (c) => `, ${c.name} ${c.type === "text" ? text : integer} NOT NULL`,
    );
    const index = (...columns: string[]) =>
      `CREATE INDEX IF NOT EXISTS ${name}_by_${columns.join("_")} ON ${name} (${columns.join(", ")}, id)`;
    return [
      `CREATE TABLE IF NOT EXISTS ${name} (
        id ${id}, uid ${text} NOT NULL UNIQUE, parent ${text} NOT NULL, root ${text} NOT NULL,
        name ${text} NOT NULL, created ${integer} NOT NULL, updated ${integer} NOT NULL,
        encoding ${integer} NOT NULL${filters.join("")}, data ${blob} NOT NULL, json ${text} NOT NULL)`,
      ...INDEXES.map((columns) => index(...columns)),
      ...filterColumns.map(
        ({ name: column, sparse }) => `${index(column)}${sparse ? ` WHERE ${column} <> ''` : ""}`,
      ),
    ];
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

  /** Returns false, and does nothing, when there is such a row. */
  async insert(tx: Transaction, row: ResourceRow): Promise<boolean> {
    const values = this.#values(row, this.#columns);
    if ((await tx.run(this.#insert, ...values)) === 0) return false;
    tx.counts.moved(this.shape.name, row.parent, 1);
    return true;
  }

  async update(tx: Transaction, row: ResourceRow): Promise<void> {
    await tx.run(this.#update, ...this.#values(row, this.#changing), row.uid);
    tx.counts.touched(this.shape.name, this.shape.isPlace ? row.uid : row.parent);
  }

  /** Returns whether there was such a row. */
  async delete(tx: Transaction, uid: string): Promise<boolean> {
    if ((await tx.run(this.#delete, uid)) === 0) return false;
    tx.counts.moved(this.shape.name, this.parentOf(uid), -1);
    if (this.shape.hasChildren) tx.counts.closed(uid);
    return true;
  }

  #values(row: ResourceRow, columns: readonly string[]): Value[] {
    return columns.map(
      (column) => row.filters[column] ?? (row as unknown as Record<string, Value>)[column] ?? null,
    );
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
