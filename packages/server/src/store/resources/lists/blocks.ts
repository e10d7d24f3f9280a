import type { Reader } from "../../db/connection.ts";
import type { Order, Start } from "../query.ts";
import { positionAt } from "./list-index.ts";

/** A stretch of a list: its first position, and its rows up to the next block. */
export interface Block {
  readonly key: string;
  readonly id: number;
  readonly rows: number;
}

export async function readBlocks(reader: Reader, list: number): Promise<Block[]> {
  const rows = await reader.arrays<readonly [key: string, id: number, rows: number]>(
    "SELECT key, row_id, row_count FROM list_blocks WHERE list = ? ORDER BY key, row_id",
    list,
  );
  return rows.map(([key, id, count]) => ({ key, id, rows: count }));
}

/** The block that a skip ends in: where it starts in the given direction, and the rows left to skip. */
export function startInBlocks(
  blocks: readonly Block[],
  { column, descending }: Order,
  skip: number,
): { readonly start: Start | undefined; readonly skip: number } {
  const step = descending ? -1 : 1;
  let at = descending ? blocks.length - 1 : 0;
  let left = skip;
  for (; at >= 0 && at < blocks.length; at += step) {
    const rows = blocks[at]?.rows ?? 0;
    if (left < rows) break;
    // The rows behind the last block are none: the list is read from there, and is empty.
    if (blocks[at + step] === undefined) break;
    left -= rows;
  }
  // Backwards, a block starts before the first row of the one behind it.
  const first = descending ? blocks[at + 1] : at === 0 ? undefined : blocks[at];
  if (first === undefined) return { start: undefined, skip: left };
  return {
    start: { ...positionAt(column, first.key, first.id), inclusive: !descending },
    skip: left,
  };
}
