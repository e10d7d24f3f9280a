import { isRoot, rootOf } from "@wharf/contract";
import type { ColumnType, InsertTarget } from "../db/commit/insert-rows.ts";
import type { Transaction } from "../db/commit/transaction.ts";
import type { UpdateTarget } from "../db/commit/update-rows.ts";
import type { Value } from "../db/connection.ts";
import { grantsChanged } from "../tables/access/access-log.ts";
import { CountChanges, countKind } from "./counts.ts";
import { ResourceReads, storedKeys } from "./resource-reads.ts";
import type { ResourceRow } from "./rows.ts";
import { tableStatements } from "./table-schema.ts";
import { ALL_IDENTITIES, type TableShape } from "./table-shape.ts";
import { readTerms, type TermKey, TermTable, writeTerms } from "./terms/terms.ts";

const COMMON = {
  uid: "text",
  parent: "text",
  root: "text",
  name: "text",
  created: "integer",
  updated: "integer",
  encoding: "integer",
  data: "blob",
  json: "text",
} as const;

/** Columns that an update leaves as they are. */
const IMMUTABLE: ReadonlySet<string> = new Set(["uid", "parent", "root", "created"]);

/** The keys of a stored row that counts, terms and the access log keep. */
interface StoredKeys {
  readonly id: number;
  readonly partition: number | undefined;
  readonly terms: readonly TermKey[];
  /** The identity whose grants the row decides, if it decides those of one. */
  readonly identity: string | undefined;
}

/** Stored columns of the sort keys. */
interface StoredColumns {
  readonly id: number;
  readonly partition?: number;
  readonly terms?: string;
  readonly identity?: string;
}

/**
 * The table of one resource. Every write keeps the counts, the terms and the log of changed grants in
 * step with the rows.
 */
export class ResourceTable extends ResourceReads {
  readonly terms: TermTable | undefined;
  readonly #inserted: InsertTarget;
  readonly #updated: UpdateTarget;

  constructor(shape: TableShape) {
    super(shape);
    const { name, partitions, filterColumns, hasTerms = false } = shape;
    this.terms = hasTerms ? new TermTable(name) : undefined;
    const columns: Record<string, ColumnType> = { ...COMMON };
    if (partitions !== undefined) columns.part = "integer";
    if (hasTerms) columns.terms = "text";
    for (const column of filterColumns) columns[column.name] = column.type;
    const mutable = Object.entries(columns).filter(([column]) => !IMMUTABLE.has(column));
    this.#inserted = { table: name, columns };
    this.#updated = { table: name, columns: { ...Object.fromEntries(mutable), uid: "text" } };
  }

  /** The statements that create the table with its indexes, and those of its terms, in the types of SQLite. */
  statements(): string[] {
    return [...tableStatements(this.shape), ...(this.terms?.statements() ?? [])];
  }

  /** Returns false, and does nothing, when the uid, or a unique name, exists. */
  async insert(tx: Transaction, row: ResourceRow): Promise<boolean> {
    if (!(await this.#insertRow(tx, row))) return false;
    const { terms = [] } = row;
    if (this.terms === undefined || terms.length === 0) return true;
    const { id } = (await this.#stored(tx, row.uid)) as StoredKeys;
    await this.terms.add(tx, [{ row: id, terms }]);
    return true;
  }

  /** Inserts rows up to the first that exists, which it returns. */
  async insertAll(tx: Transaction, rows: readonly ResourceRow[]): Promise<ResourceRow | undefined> {
    for (const row of rows) if (!(await this.#insertRow(tx, row))) return row;
    if (this.terms === undefined || rows.length === 0) return undefined;
    const sql = `SELECT uid, id FROM ${this.shape.name} WHERE uid IN (${tx.dialect.texts})`;
    const uids = JSON.stringify(rows.map(({ uid }) => uid));
    const ids = new Map(await tx.arrays<readonly [uid: string, id: number]>(sql, uids));
    await this.terms.add(
      tx,
      rows.map(({ uid, terms = [] }) => ({ row: ids.get(uid) as number, terms })),
    );
    return undefined;
  }

  async update(tx: Transaction, row: ResourceRow): Promise<void> {
    const before = await this.#stored(tx, row.uid);
    await tx.update(this.#updated, valuesOf(row, this.#updated));
    this.#updateHeld(tx, row);
    tx.locked.names.forget(this.shape.name);
    this.#logGrants(tx, row.uid, before?.identity, this.#identityOf(row));
    if (before !== undefined) {
      await this.terms?.replace(tx, before.id, before.terms, row.terms ?? []);
    }
    if (before?.partition === row.partition) {
      tx.changes(CountChanges).touched(
        this.#kind(row.partition),
        this.shape.isScope ? row.uid : row.parent,
      );
    } else {
      tx.changes(CountChanges).moved(this.#kind(before?.partition), row.parent, -1);
      tx.changes(CountChanges).moved(this.#kind(row.partition), row.parent, 1);
    }
  }

  /** Returns whether the row existed. */
  async delete(tx: Transaction, uid: string): Promise<boolean> {
    const before = await this.#stored(tx, uid);
    if (before !== undefined) await this.terms?.replace(tx, before.id, before.terms, []);
    const sql = `DELETE FROM ${this.shape.name} WHERE uid = ?`;
    if (tx.locked.changeable(this.shape.name, uid) !== undefined) await tx.send(sql, uid);
    else if ((await tx.run(sql, uid)) === 0) return false;
    tx.locked.deleted(this.shape.name, uid);
    tx.locked.names.forget(this.shape.name);
    this.#logGrants(tx, uid, before?.identity);
    tx.changes(CountChanges).moved(this.#kind(before?.partition), this.parentOf(uid), -1);
    if (this.shape.hasChildren) tx.changes(CountChanges).closed(uid);
    return true;
  }

  /** Deletes children of a parent that have no children, up to a limit per partition; returns how many. */
  async deleteChildren(
    tx: Transaction,
    parent: string,
    limit: number,
    partitions: readonly (number | undefined)[] = this.shape.partitions ?? [undefined],
  ): Promise<number> {
    if (this.shape.grantsOf !== undefined) {
      throw new Error(`${this.shape.name} decide grants: each deletion must be logged`);
    }
    let total = 0;
    for (const partition of partitions) {
      const deleted = await this.#deleteSome(tx, parent, partition, limit);
      if (deleted > 0) tx.changes(CountChanges).moved(this.#kind(partition), parent, -deleted);
      total += deleted;
    }
    return total;
  }

  async #deleteSome(
    tx: Transaction,
    parent: string,
    partition: number | undefined,
    limit: number,
  ): Promise<number> {
    const { name } = this.shape;
    const [where, values] = partition === undefined ? ["", []] : [" AND part = ?", [partition]];
    const columns = this.terms === undefined ? "id" : "id, terms";
    const rows = await tx.all<{ readonly id: number; readonly terms?: string }>(
      `SELECT ${columns} FROM ${name} WHERE parent = ?${where} LIMIT ?`,
      parent,
      ...values,
      limit,
    );
    const owned = rows.map(({ id, terms = "[]" }) => ({ row: id, terms: readTerms(terms) }));
    await this.terms?.remove(tx, owned);
    const sql = `DELETE FROM ${name} WHERE id IN (${tx.dialect.integers})`;
    return tx.run(sql, JSON.stringify(rows.map(({ id }) => id)));
  }

  async #insertRow(tx: Transaction, row: ResourceRow): Promise<boolean> {
    if (!(await tx.insert(this.#inserted, valuesOf(row, this.#inserted)))) return false;
    tx.locked.names.inserted(this.shape.name, row.parent, row.name, row.uid);
    tx.changes(CountChanges).moved(this.#kind(row.partition), row.parent, 1);
    this.#logGrants(tx, row.uid, this.#identityOf(row));
    return true;
  }

  #kind(partition: number | undefined): string {
    return countKind(this.shape.name, partition);
  }

  /** Reads what a change of a row needs. */
  async #stored(tx: Transaction, uid: string): Promise<StoredKeys | undefined> {
    const { name } = this.shape;
    const columns = storedKeys(this.shape);
    const row =
      (tx.locked.changeable(name, uid) as unknown as StoredColumns | undefined) ??
      (await tx.get<StoredColumns>(`SELECT ${columns.join(", ")} FROM ${name} WHERE uid = ?`, uid));
    if (row === undefined) return undefined;
    const { id, partition, terms = "[]", identity } = row;
    return { id, partition, terms: readTerms(terms), identity };
  }

  /** Later writes of the batch find the row as it is now. */
  #updateHeld(tx: Transaction, row: ResourceRow): void {
    const { name, updated, partition, terms = [], encoding, data } = row;
    const identity = this.#identityOf(row);
    tx.locked.changed(this.shape.name, row.uid, {
      name,
      updated,
      encoding,
      data,
      ...row.filters,
      ...(this.shape.partitions && { partition: partition ?? null }),
      ...(this.terms && { terms: writeTerms(terms) }),
      ...(identity !== undefined && { identity }),
    });
  }

  get #identityColumn(): string | undefined {
    const { grantsOf } = this.shape;
    return grantsOf === ALL_IDENTITIES ? undefined : grantsOf;
  }

  #identityOf({ filters }: ResourceRow): string | undefined {
    const column = this.#identityColumn;
    return column === undefined ? undefined : String(filters[column]);
  }

  /** Logs that a row changed, for the identities that it concerned before and concerns now. */
  #logGrants(tx: Transaction, uid: string, ...identities: (string | undefined)[]): void {
    const { grantsOf } = this.shape;
    if (grantsOf === undefined) return;
    // Resources without a parent apply in every organization.
    const root = isRoot(uid) ? "" : rootOf(uid);
    const changed = grantsOf === ALL_IDENTITIES ? [""] : new Set(identities);
    for (const one of changed) grantsChanged(tx, one ?? "", root);
  }
}

/** The values of a row in the order of the columns. */
function valuesOf(row: ResourceRow, { columns }: InsertTarget): Value[] {
  return Object.keys(columns).map((column) => {
    if (column === "part") return row.partition ?? null;
    if (column === "terms") return writeTerms(row.terms ?? []);
    return row.filters[column] ?? (row as unknown as Record<string, Value>)[column] ?? null;
  });
}
