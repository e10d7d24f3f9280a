import type { Position } from "../../store/resources/query.ts";

/** Rows of a block at most; a fuller one is split. To find an index in a block, the keys of its rows are read. */
const MAX_BLOCK_ROWS = 128;

/** Rows of a block that is filled by rows in order. */
const FILLED_BLOCK_ROWS = 96;

/** What a block keeps of a row: eight bytes for each of both numbers. */
const BYTES_PER_ROW = 16;

/** Consecutive rows. Their keys are in the database; only the key of the block itself is kept. */
export interface Block {
  /** At or before the first row, and behind all rows of the block before. */
  first: Position;
  readonly ids: number[];
  /** Part of the uid of each row: finds a row by its uid, also after its deletion. */
  readonly marks: number[];
}

/** A row, and the block that it is in. */
export interface BlockRow {
  readonly block: Block;
  readonly id: number;
}

/** A row to add. */
export interface OrderedRow extends Position {
  readonly mark: number;
}

/** A number that hardly two uids share: uids end in random digits. */
export function markOf(uid: string): number {
  return Number.parseInt(uid.slice(-8), 16);
}

/** Compares positions in ascending order, as the databases do: text by bytes. */
export function comparePositions(a: Position, b: Position): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id - b.id;
}

/**
 * The ids of rows in an ascending order, in blocks: a row at any index is found by adding up the sizes of blocks, and
 * a change moves no more than a block.
 */
export class OrderedIds {
  blocks: Block[] = [];
  size = 0;

  copy(): OrderedIds {
    const copy = new OrderedIds();
    copy.size = this.size;
    copy.blocks = this.blocks.map(({ first, ids, marks }) => ({
      first,
      ids: [...ids],
      marks: [...marks],
    }));
    return copy;
  }

  get bytes(): number {
    return this.size * BYTES_PER_ROW + this.blocks.length * 200;
  }

  /** Adds a row behind all others. */
  append({ key, id, mark }: OrderedRow): void {
    let last = this.blocks.at(-1);
    if (last === undefined || last.ids.length >= FILLED_BLOCK_ROWS) {
      last = { first: { key, id }, ids: [], marks: [] };
      this.blocks.push(last);
    }
    last.ids.push(id);
    last.marks.push(mark);
    this.size += 1;
  }

  /** The rows from an index on. */
  slice(from: number, count: number): { readonly ids: number[]; readonly marks: number[] } {
    const found = { ids: [] as number[], marks: [] as number[] };
    let before = 0;
    for (const { ids, marks } of this.blocks) {
      const begin = Math.max(from - before, 0);
      const end = begin + count - found.ids.length;
      if (begin < ids.length) {
        found.ids.push(...ids.slice(begin, end));
        found.marks.push(...marks.slice(begin, end));
      }
      if (found.ids.length >= count) break;
      before += ids.length;
    }
    return found;
  }

  /** The block that a position belongs to. */
  blockAt(position: Position): Block | undefined {
    let [low, high] = [0, this.blocks.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const { first } = this.blocks[middle] as Block;
      if (comparePositions(first, position) <= 0) low = middle;
      else high = middle;
    }
    return this.blocks[low];
  }

  /** The number of rows before a block. */
  indexOf(block: Block): number {
    let before = 0;
    for (const one of this.blocks) {
      if (one === block) break;
      before += one.ids.length;
    }
    return before;
  }

  /** All rows with one of these marks. */
  marked(marks: ReadonlySet<number>): BlockRow[] {
    const found: BlockRow[] = [];
    const [only] = marks;
    for (const block of this.blocks) {
      if (marks.size > 1) {
        for (const [at, mark] of block.marks.entries()) {
          if (marks.has(mark)) found.push({ block, id: block.ids[at] as number });
        }
        continue;
      }
      for (let at = block.marks.indexOf(only as number); at >= 0; ) {
        found.push({ block, id: block.ids[at] as number });
        at = block.marks.indexOf(only as number, at + 1);
      }
    }
    return found;
  }

  /** Removes rows, and adds others. `keys` has the keys of the rows in the blocks that these belong to. */
  correct(
    removed: readonly BlockRow[],
    added: readonly OrderedRow[],
    keys: Map<number, Position["key"]>,
  ): void {
    this.#remove(removed);
    for (const row of added) this.#insert(row, keys);
    // Not before: a row is added to the block that it belonged to when the keys were read.
    const isEmptied = removed.some(({ block }) => block.ids.length === 0);
    if (isEmptied) this.blocks = this.blocks.filter(({ ids }) => ids.length > 0);
  }

  #remove(rows: readonly BlockRow[]): void {
    for (const { block, id } of rows) {
      const at = block.ids.indexOf(id);
      block.ids.splice(at, 1);
      block.marks.splice(at, 1);
      this.size -= 1;
    }
  }

  #insert(row: OrderedRow, keys: Map<number, Position["key"]>): void {
    const { key, id, mark } = row;
    keys.set(id, key);
    const block = this.blockAt(row);
    if (block === undefined) {
      this.append(row);
      return;
    }
    const at = indexIn(block, row, keys, false);
    block.ids.splice(at, 0, id);
    block.marks.splice(at, 0, mark);
    if (at === 0 && comparePositions(row, block.first) < 0) block.first = { key, id };
    this.size += 1;
    if (block.ids.length > MAX_BLOCK_ROWS) this.#split(block, keys);
  }

  #split(block: Block, keys: ReadonlyMap<number, Position["key"]>): void {
    const ids = block.ids.splice(MAX_BLOCK_ROWS / 2);
    const marks = block.marks.splice(MAX_BLOCK_ROWS / 2);
    const [id] = ids as [number];
    const first = { key: keys.get(id) as Position["key"], id };
    this.blocks.splice(this.blocks.indexOf(block) + 1, 0, { first, ids, marks });
  }
}

/** How many rows of a block are before a position, or at it where that counts. */
export function indexIn(
  block: Pick<Block, "ids">,
  position: Position,
  keys: ReadonlyMap<number, Position["key"]>,
  withItself: boolean,
): number {
  let [low, high] = [0, block.ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const id = block.ids[middle] as number;
    const order = comparePositions({ key: keys.get(id) as Position["key"], id }, position);
    if (order < 0 || (withItself && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
