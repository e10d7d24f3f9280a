import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader, Value } from "../../db/connection.ts";
import { readCounted } from "../../db/read/counted.ts";

/** A user or group as an identity provider provisioned it. */
export interface ScimRow {
  /** The uid of the identity provider. */
  readonly provider: string;
  /** The id that the server gave it. */
  readonly resource: string;
  /** The user name, or the display name of a group, in lower case. */
  readonly name: string;
  /** The provider's id; empty without one. */
  readonly external_id: string;
  readonly created: number;
  readonly updated: number;
  readonly version: number;
  /** Its attributes as JSON. */
  readonly data: string;
}

/** A row with its position in the order of all rows. */
export type NumberedRow = ScimRow & { readonly id: number };

/** The indexed columns. */
export type ScimKey = "resource" | "name" | "external_id";

/** Rows that are counted within a fraction of a millisecond. */
const FEW_ROWS = 1_000;

const COLUMNS = [
  "provider",
  "resource",
  "name",
  "external_id",
  "created",
  "updated",
  "version",
  "data",
] as const;

/** The users, or the groups, of all identity providers. */
export class ScimTable {
  readonly #table: string;
  readonly #select: string;

  constructor(table: "scim_users" | "scim_groups") {
    this.#table = table;
    this.#select = `SELECT id, ${COLUMNS.join(", ")} FROM ${table} WHERE provider = ?`;
  }

  find(reader: Reader, provider: string, resource: string): Promise<ScimRow | undefined> {
    return reader.get<ScimRow>(`${this.#select} AND resource = ?`, provider, resource);
  }

  /** The rows with a value in an indexed column, in order. */
  where(reader: Reader, provider: string, key: ScimKey, value: string): Promise<NumberedRow[]> {
    const condition = key === "external_id" ? " AND external_id <> ''" : "";
    const sql = `${this.#select} AND ${key} = ?${condition} ORDER BY id`;
    return reader.all<NumberedRow>(sql, provider, value);
  }

  /** The next rows after an id, in order. */
  after(reader: Reader, provider: string, id: number, limit: number): Promise<NumberedRow[]> {
    const sql = `${this.#select} AND id > ? ORDER BY id LIMIT ?`;
    return reader.all<NumberedRow>(sql, provider, id, limit);
  }

  /** The rows at these offsets, in order, and the number of all rows. */
  async page(reader: Reader, provider: string, offset: number, limit: number) {
    return readCounted<NumberedRow>(await this.listReader(reader, provider), {
      page: `${this.#select} ORDER BY id LIMIT ? OFFSET ?`,
      pageParams: [provider, limit, offset],
      columns: COLUMNS.length + 1,
      total: `(SELECT count(*) FROM ${this.#table} WHERE provider = ?)`,
      totalParams: [provider],
    });
  }

  /** The reader for a page and its total, which look at all rows up to the page, or at all. */
  async listReader(reader: Reader, provider: string): Promise<Reader> {
    if (reader.costly === undefined) return reader;
    const sql = `SELECT id FROM ${this.#table} WHERE provider = ? LIMIT 1 OFFSET ?`;
    const isLong = (await reader.get(sql, provider, FEW_ROWS)) !== undefined;
    return isLong ? reader.costly : reader;
  }

  async insert(tx: Transaction, row: ScimRow): Promise<void> {
    await tx.run(
      `INSERT INTO ${this.#table} (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`,
      ...COLUMNS.map((column): Value => row[column]),
    );
  }

  async update(tx: Transaction, row: ScimRow): Promise<void> {
    await tx.run(
      `UPDATE ${this.#table} SET name = ?, external_id = ?, updated = ?, version = ?, data = ?
       WHERE provider = ? AND resource = ?`,
      row.name,
      row.external_id,
      row.updated,
      row.version,
      row.data,
      row.provider,
      row.resource,
    );
  }

  async delete(tx: Transaction, provider: string, resource: string): Promise<void> {
    const sql = `DELETE FROM ${this.#table} WHERE provider = ? AND resource = ?`;
    await tx.run(sql, provider, resource);
  }

  async deleteAll(tx: Transaction, provider: string): Promise<void> {
    await tx.run(`DELETE FROM ${this.#table} WHERE provider = ?`, provider);
  }
}

export const scimUsers = new ScimTable("scim_users");
export const scimGroups = new ScimTable("scim_groups");
