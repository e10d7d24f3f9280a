import { parentOf } from "@wharf/contract";
import { type MaybePromise, whenReady } from "../../lib/maybe-promise.ts";
import { type NamedTable, nameText } from "../db/commit/locked-names.ts";
import type { LockableTable, LockMode } from "../db/commit/locked-rows.ts";
import type { Transaction } from "../db/commit/transaction.ts";
import type { Dialect, Reader, Writer } from "../db/connection.ts";
import type { Filter } from "./query.ts";
import type { EncodedRow, Form } from "./rows.ts";
import { ALL_IDENTITIES, type TableShape } from "./table-shape.ts";

/** Looks up rows of one resource's table by uid, name or the value of a column. */
export class ResourceReads implements LockableTable, NamedTable {
  readonly shape: TableShape;
  readonly #select: Readonly<Record<Form, string>>;

  constructor(shape: TableShape) {
    this.shape = shape;
    this.#select = {
      json: `SELECT encoding, json FROM ${shape.name} WHERE uid = ?`,
      data: `SELECT encoding, data FROM ${shape.name} WHERE uid = ?`,
    };
  }

  /** Without a promise if the row need not be waited for; errors always reject. */
  find<F extends Form>(
    reader: Reader,
    uid: string,
    form: F,
  ): MaybePromise<EncodedRow<F> | undefined> {
    const rows = reader.arrays<StoredRow>(this.#select[form], uid);
    return whenReady(rows, ([row]) => row && encodedRow(row, form));
  }

  /** Like find; no other transaction changes the row before this one ends. */
  async findForChange(tx: Transaction, uid: string): Promise<EncodedRow | undefined> {
    const locked = tx.locked.changeable(this.shape.name, uid);
    if (locked !== undefined) return locked as unknown as EncodedRow;
    return tx.get<EncodedRow>(`${this.#select.data} ${tx.dialect.lock}`, uid);
  }

  /** Like find; no other transaction deletes the row before this one ends. */
  findToKeep(tx: Writer, uid: string): Promise<EncodedRow | undefined> {
    return tx.get<EncodedRow>(`${this.#select.data} ${tx.dialect.lockShared}`, uid);
  }

  /** Whether a row exists; no other transaction deletes it before this one ends. */
  async keep(tx: Transaction, uid: string): Promise<boolean> {
    if (tx.locked.keeps(this.shape.name, uid)) return true;
    const { lockShared } = tx.dialect;
    const sql = `SELECT 1 AS found FROM ${this.shape.name} WHERE uid = ? ${lockShared}`;
    if ((await tx.get(sql, uid)) === undefined) return false;
    tx.locked.found(this.shape.name, uid);
    return true;
  }

  /** See `LockableTable`. Rows that are to be changed come with their stored keys. */
  lockRows(dialect: Dialect, mode: LockMode): string {
    const { name } = this.shape;
    const isKept = mode === "keep";
    const columns = isKept ? ["uid"] : ["encoding", "data", ...storedKeys(this.shape)];
    return `SELECT ${columns.join(", ")} FROM ${name} WHERE uid IN (${dialect.texts})
      ORDER BY uid ${isKept ? dialect.lockShared : dialect.lock}`;
  }

  async findMany(
    reader: Reader,
    uids: readonly string[],
  ): Promise<(EncodedRow & { readonly uid: string })[]> {
    if (uids.length === 0) return [];
    const sql = `SELECT uid, encoding, data FROM ${this.shape.name} WHERE uid IN (${marks(uids)})`;
    return reader.all(sql, ...uids);
  }

  /** Whether a row has a value in a sparse column. */
  async isMarked(reader: Reader, uid: string, column: string): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM ${this.shape.name} WHERE uid = ? AND ${column} <> ''`;
    return (await reader.get(sql, uid)) !== undefined;
  }

  /** Rows with any value in a sparse column. */
  marked(reader: Reader, column: string, limit: number): Promise<EncodedRow[]> {
    const { name } = this.shape;
    const sql = `SELECT encoding, data FROM ${name} WHERE ${column} <> '' ORDER BY ${column}, id LIMIT ?`;
    return reader.all<EncodedRow>(sql, limit);
  }

  /** All rows with this value in a column. */
  where(reader: Reader, { column, value }: Filter): Promise<EncodedRow[]> {
    return reader.all<EncodedRow>(
      `SELECT encoding, data FROM ${this.shape.name} WHERE ${column} = ?${this.#notEmpty(column)} ORDER BY id`,
      value,
    );
  }

  /** All rows with one of these texts in a column. */
  async whereIn(reader: Reader, column: string, values: readonly string[]): Promise<EncodedRow[]> {
    if (values.length === 0) return [];
    const { texts } = reader.dialect;
    const sql = `SELECT encoding, data FROM ${this.shape.name} WHERE ${column} IN (${texts}) ORDER BY id`;
    return reader.all<EncodedRow>(sql, JSON.stringify(values));
  }

  /** Whether more rows than this have a value in a column. */
  async hasMany(
    reader: Reader,
    filter: Filter,
    partition: number | undefined,
    rows: number,
  ): Promise<boolean> {
    const { text, params } = this.having(filter, partition);
    const sql = `SELECT 1 AS found FROM ${this.shape.name} WHERE ${text} LIMIT 1 OFFSET ?`;
    return (await reader.get(sql, ...params, rows)) !== undefined;
  }

  /** The rows with a value, by the index of the column. That of a common column begins with the partition. */
  having(
    { column, value }: Filter,
    partition: number | undefined,
  ): { readonly text: string; readonly params: readonly (string | number)[] } {
    const isOwn = this.shape.filterColumns.some(({ name }) => name === column);
    const text = `${column} = ?${this.#notEmpty(column)}`;
    if (isOwn || partition === undefined) return { text, params: [value] };
    return { text: `${text} AND part = ?`, params: [value, partition] };
  }

  async hasAny(reader: Reader, { column, value }: Filter): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM ${this.shape.name} WHERE ${column} = ? LIMIT 1`;
    return (await reader.get(sql, value)) !== undefined;
  }

  /** The uids of the children of a parent that have this name, oldest first. */
  childrenNamed(reader: Reader, parent: string, name: string, limit: number): Promise<string[]> {
    const sql = `SELECT uid FROM ${this.shape.name} WHERE parent = ? AND name = ? ORDER BY id LIMIT ?`;
    return uids(reader, sql, parent, name, limit);
  }

  /** The uids of all rows that have this name, oldest first. */
  uidsNamed(reader: Reader, name: string, limit: number): Promise<string[]> {
    const sql = `SELECT uid FROM ${this.shape.name} WHERE name = ? ORDER BY id LIMIT ?`;
    return uids(reader, sql, name, limit);
  }

  /** The children of a parent that have one of these names. */
  childrenOfNames(reader: Reader, parent: string, names: readonly string[]): Promise<EncodedRow[]> {
    const { texts } = reader.dialect;
    const sql = `SELECT encoding, data FROM ${this.shape.name} WHERE parent = ? AND name IN (${texts})`;
    return reader.all<EncodedRow>(sql, parent, JSON.stringify(names));
  }

  /** The child of a parent with this name, where names are unique; no other transaction changes it. */
  namedForChange(tx: Writer, parent: string, name: string): Promise<EncodedRow | undefined> {
    return tx.get<EncodedRow>(
      `SELECT encoding, data FROM ${this.shape.name} WHERE parent = ? AND name = ? ${tx.dialect.lock}`,
      parent,
      name,
    );
  }

  /** The uid of the row that was created first. */
  async oldestOf(reader: Reader, some: readonly string[]): Promise<string | undefined> {
    const sql = `SELECT uid FROM ${this.shape.name} WHERE uid IN (${marks(some)}) ORDER BY id LIMIT 1`;
    return (await uids(reader, sql, ...some))[0];
  }

  /**
   * The oldest child of a parent that has this name. Serializes transactions that give the same name to children of the
   * same parent.
   */
  async lockNamed(tx: Transaction, parent: string, name: string): Promise<string | undefined> {
    const locked = tx.locked.names.oldest(this.shape.name, parent, name);
    if (locked !== undefined) return locked === "" ? undefined : locked;
    const { lockTexts } = tx.dialect;
    if (lockTexts !== "") {
      const text = nameText(this.shape.name, parent, name);
      await tx.get(lockTexts, JSON.stringify([text]));
    }
    return (await this.childrenNamed(tx, parent, name, 1))[0];
  }

  /** See `NamedTable`. */
  oldestNamed(dialect: Dialect): string {
    return `SELECT given.parent, given.name, oldest.uid
      FROM (${dialect.tuples("parent", "name")}) given CROSS JOIN LATERAL (
        SELECT uid FROM ${this.shape.name} named
        WHERE named.parent = given.parent AND named.name = given.name ORDER BY id LIMIT 1) oldest`;
  }

  /** The latest update time of all rows. */
  async latestUpdate(reader: Reader): Promise<number> {
    const { name, partitions } = this.shape;
    const latestIn = (where: string) => `SELECT max(updated) AS latest FROM ${name}${where}`;
    // A look-up in an index for each partition.
    const sql =
      partitions === undefined
        ? latestIn("")
        : `SELECT max(latest) AS latest FROM (${partitions.map(() => latestIn(" WHERE part = ?")).join(" UNION ALL ")}) parts`;
    const row = await reader.get<{ latest: number | null }>(sql, ...(partitions ?? []));
    return row?.latest ?? 0;
  }

  /** The uid of the parent of a row; "" for a root. */
  parentOf(uid: string): string {
    return this.shape.uidIsParent ? uid : parentOf(uid);
  }

  /** Lets the planner use a sparse index: the empty values that it leaves out are not asked for. */
  #notEmpty(column: string): string {
    const isSparse = this.shape.filterColumns.some((one) => one.name === column && one.sparse);
    return isSparse ? ` AND ${column} <> ''` : "";
  }
}

type StoredRow = readonly [encoding: number, body: string | Uint8Array];

function encodedRow<F extends Form>([encoding, body]: StoredRow, form: F): EncodedRow<F> {
  const row = form === "json" ? { encoding, json: body } : { encoding, data: body };
  return row as EncodedRow<F>;
}

/** The columns that a change of a row needs besides the resource. */
export function storedKeys(shape: TableShape): string[] {
  const { partitions, hasTerms, grantsOf } = shape;
  return [
    ...["id", "uid"],
    ...(partitions ? [`part AS "partition"`] : []),
    ...(hasTerms ? ["terms"] : []),
    ...(grantsOf === undefined || grantsOf === ALL_IDENTITIES ? [] : [`${grantsOf} AS identity`]),
  ];
}

async function uids(
  reader: Reader,
  sql: string,
  ...params: readonly (string | number)[]
): Promise<string[]> {
  const rows = await reader.arrays<readonly [uid: string]>(sql, ...params);
  return rows.map(([uid]) => uid);
}

function marks(values: readonly string[]): string {
  return values.map(() => "?").join(", ");
}
