import type { BatchWriter } from "./batch-writer.ts";

/** A table whose rows are gathered from all works of a batch and written once, at its end. */
export interface GatheredTable<R> {
  /** Tables are written in the order of their names, so that batches of several replicas lock in one order. */
  readonly name: string;
  /** Writes the rows of a batch, in the order of their works. */
  write(writer: BatchWriter, rows: readonly R[]): Promise<void>;
}

/**
 * Rows that no work reads in its own transaction, such as audit entries and events. A statement for the rows of a
 * batch costs little more than one for a single row, and no work waits for it.
 */
export class GatheredRows {
  readonly #rows = new Map<GatheredTable<unknown>, unknown[]>();

  push<R>(table: GatheredTable<R>, row: R): void {
    const key = table as GatheredTable<unknown>;
    const rows = this.#rows.get(key);
    if (rows === undefined) this.#rows.set(key, [row]);
    else rows.push(row);
  }

  /** Adds the rows of a work that succeeded. */
  add(other: GatheredRows): void {
    for (const [table, rows] of other.#rows) for (const row of rows) this.push(table, row);
  }

  async store(writer: BatchWriter): Promise<void> {
    const tables = [...this.#rows].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
    await Promise.all(tables.map(([table, rows]) => table.write(writer, rows)));
  }
}
