import type { Writer } from "../../db/connection.ts";
import type { Counts } from "../counts.ts";
import { readPositions } from "../page.ts";
import { rowsAt } from "../range-counts.ts";
import {
  BEGINNING,
  type BuildLimits,
  findList,
  keyOf,
  type ListIndexRow,
  type ListKey,
  listOf,
  needsEntries,
  positionAt,
  rangeOf,
  setProgress,
} from "./list-index.ts";

/** Adds the next blocks, or splits those that have grown. */
export async function buildBlocks(
  writer: Writer,
  key: ListKey,
  index: ListIndexRow,
  counts: Counts,
  limits: BuildLimits,
): Promise<boolean> {
  const entries = await entriesOf(writer, key, counts, limits);
  if (entries === "missing") return false;
  const walk = new BlockWalk(writer, key, limits.blockRows, entries);
  const most = Math.max(1, Math.floor(limits.batchRows / limits.blockRows));
  if (index.state === "complete") return splitBlocks(writer, index.id, walk, most);
  let open = { key: index.cursor_key, id: index.cursor_id };
  for (let built = 0; built < most; built++) {
    const next = await walk.next(open);
    if (next === undefined) {
      // The counts and the other blocks agree with the rows, so the last block has what is left.
      const before = await writer.get<{ total: number | null }>(
        "SELECT sum(row_count) AS total FROM list_blocks WHERE list = ?",
        index.id,
      );
      const rest = rowsAt(key.table, rangeOf(key), counts) - Number(before?.total ?? 0);
      await countBlock(writer, index.id, open, rest);
      await setProgress(writer, index.id, "complete", undefined);
      return false;
    }
    await countBlock(writer, index.id, open, limits.blockRows);
    await insertBlock(writer, index.id, next, 0);
    open = next;
  }
  await setProgress(writer, index.id, "building", open);
  return true;
}

async function splitBlocks(
  writer: Writer,
  list: number,
  walk: BlockWalk,
  most: number,
): Promise<boolean> {
  const grown = await writer.all<{ key: string; id: number; row_count: number }>(
    "SELECT key, row_id AS id, row_count FROM list_blocks WHERE list = ? AND row_count > ? LIMIT ?",
    list,
    2 * walk.rows,
    most,
  );
  let split = 0;
  for (const block of grown) {
    const next = await walk.next(block);
    if (next === undefined) continue;
    split++;
    await countBlock(writer, list, block, walk.rows);
    await insertBlock(writer, list, next, block.row_count - walk.rows);
  }
  return split > 0;
}

/** Finds the beginnings of blocks. */
class BlockWalk {
  readonly rows: number;
  readonly #writer: Writer;
  readonly #key: ListKey;
  readonly #entries: number | undefined;

  constructor(writer: Writer, key: ListKey, rows: number, entries: number | undefined) {
    this.rows = rows;
    this.#writer = writer;
    this.#key = key;
    this.#entries = entries;
  }

  /** The first row behind the block that begins at a row. */
  async next(block: { key: string; id: number }): Promise<{ key: string; id: number } | undefined> {
    const { table, sort } = this.#key;
    const start =
      block.id === BEGINNING.id
        ? undefined
        : { ...positionAt(sort, block.key, block.id), inclusive: true };
    const [found] = await readPositions(this.#writer, table, {
      range: rangeOf(this.#key),
      filters: [],
      order: { column: sort, descending: false },
      start,
      offset: this.rows,
      limit: 1,
      entries: this.#entries,
    });
    return found && { key: keyOf(found.key), id: found.id };
  }
}

/** The entries of the same list: missing where it needs them and they are not complete. */
async function entriesOf(
  writer: Writer,
  key: ListKey,
  counts: Counts,
  { sortedRows }: BuildLimits,
): Promise<number | "missing" | undefined> {
  const { table, sort } = key;
  const range = rangeOf(key);
  if (!needsEntries(writer, table, range, sort, counts, sortedRows)) return undefined;
  const entries = listOf(table, range, sort, "entries");
  const found = entries && (await findList(writer, entries));
  return found?.index?.state === "complete" ? found.index.id : "missing";
}

export async function insertBlock(
  writer: Writer,
  list: number,
  { key, id }: { key: string; id: number },
  rows: number,
): Promise<void> {
  await writer.run(
    "INSERT INTO list_blocks (list, key, row_id, row_count) VALUES (?, ?, ?, ?)",
    ...[list, key, id, rows],
  );
}

async function countBlock(
  writer: Writer,
  list: number,
  { key, id }: { key: string; id: number },
  rows: number,
): Promise<void> {
  await writer.run(
    "UPDATE list_blocks SET row_count = ? WHERE list = ? AND key = ? AND row_id = ?",
    ...[rows, list, key, id],
  );
}
