import { createHash } from "node:crypto";
import type { Value } from "../db/connection.ts";
import { type CopiedTable, rowText } from "./copied-table.ts";

/** Count and digest of a table's rows: two stores with equal contents have equal ones. */
export interface TableContent {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

/** Counts and digests rows, in the order of their key. */
export class ContentDigest {
  readonly #table: string;
  readonly #hash = createHash("sha256");
  #rows = 0;

  constructor(table: CopiedTable) {
    this.#table = table.name;
  }

  /** Adds a row, and returns its text. */
  add(row: readonly Value[]): string {
    const text = rowText(row);
    this.addText(text);
    return text;
  }

  addText(text: string): void {
    this.#hash.update(text).update("\n");
    this.#rows += 1;
  }

  content(): TableContent {
    return { table: this.#table, rows: this.#rows, sha256: this.#hash.digest("hex") };
  }
}

/** The content of a table in a store. */
export async function contentOf(
  table: CopiedTable,
  batches: AsyncIterable<readonly (readonly Value[])[]>,
): Promise<TableContent> {
  const digest = new ContentDigest(table);
  for await (const rows of batches) for (const row of rows) digest.add(row);
  return digest.content();
}

export function isSameContent(one: TableContent, other: TableContent): boolean {
  return one.table === other.table && one.rows === other.rows && one.sha256 === other.sha256;
}
