import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { SharedRead } from "../../store/db/read/shared-read.ts";
import {
  readManyPositions,
  readPageById,
  readPositionsById,
  type UidPosition,
} from "../../store/resources/many-rows.ts";
import type { Condition, Order, Position, Start } from "../../store/resources/query.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import { readLoggedRows } from "../../store/resources/row-log.ts";
import type { PageForm, PageRow } from "../../store/resources/rows.ts";
import {
  type Block,
  type BlockRow,
  indexIn,
  markOf,
  type OrderedIds,
  type OrderedRow,
} from "./ordered-ids.ts";
import type { RangeSet } from "./range-set.ts";

/** Which rows a list has, and the column that it is in the order of. */
export interface VisibleQuery {
  readonly table: ResourceTable;
  readonly set: RangeSet;
  readonly filters: readonly Condition[];
  readonly column: Order["column"];
}

/** A page of a list. */
export interface VisiblePage {
  readonly start: Start | undefined;
  readonly skip: number;
  readonly limit: number;
  readonly descending: boolean;
  readonly form: PageForm;
}

type Keys = Map<number, Position["key"]>;

/** What a list was derived from, and the rows that only one of both has. */
interface Derivation {
  readonly from: RangeSet;
  readonly uids: readonly string[];
}

/** A correction of the ids by what has changed. */
interface Correction {
  readonly removed: readonly BlockRow[];
  readonly added: readonly OrderedRow[];
  readonly keys: Keys;
}

/**
 * The ids of all rows of a list in order, for a caller with many ranges. Reads correct them by the log of changed rows,
 * so a page costs what it returns, wherever it begins.
 *
 * Statements see different moments. So each read ends with another look at the log: if rows that it depends on have
 * changed meanwhile, it is repeated.
 */
export class VisibleList {
  readonly #reader: Reader;
  readonly #query: VisibleQuery;
  readonly #ids: OrderedIds;
  #version: number;
  #derivation: Derivation | undefined;
  readonly #refreshed = new SharedRead(() => this.#refresh());

  /** The ids as they were at a version of the rows, or later. */
  constructor(reader: Reader, query: VisibleQuery, ids: OrderedIds, version: number) {
    this.#reader = reader;
    this.#query = query;
    this.#ids = ids;
    this.#version = version;
  }

  /** A list of another set, before the rows that only one of both has are corrected. */
  copy(query: VisibleQuery): VisibleList {
    return new VisibleList(this.#reader, query, this.#ids.copy(), this.#version);
  }

  /** Corrects the copy of another set's list. The rows must have been read after it was copied. */
  derive(derivation: Derivation): void {
    this.#derivation = derivation;
  }

  get bytes(): number {
    return this.#ids.bytes;
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Corrects the ids by all changes before the call. Returns false when the log does not have all of them. */
  refresh(): Promise<boolean> {
    return this.#refreshed.read();
  }

  /** Reads a page; undefined when the list must be read again. */
  async read(page: VisiblePage, task: SlicedTask): Promise<PageRow[] | undefined> {
    for (;;) {
      if (!(await this.refresh())) return undefined;
      const rows = await this.#attempt(page);
      if (rows === "void") return undefined;
      if (rows !== undefined) return rows;
      await task.yield();
    }
  }

  /** Reads a page; undefined when its rows have changed meanwhile, `void` when the list has rows that it must not have. */
  async #attempt(page: VisiblePage): Promise<PageRow[] | "void" | undefined> {
    const { start, skip, limit, descending, form } = page;
    const version = this.#version;
    const dependsOn = new Set<number>();
    const index = start && (await this.#indexOf(start, descending, dependsOn));
    if (version !== this.#version) return undefined;
    const end = (index ?? this.#ids.size) - skip;
    const { ids, marks } = descending
      ? this.#ids.slice(Math.max(end - limit, 0), Math.max(Math.min(limit, end), 0))
      : this.#ids.slice((index ?? 0) + skip, limit);
    for (const mark of marks) dependsOn.add(mark);
    const { table, column, set } = this.#query;
    const rows = ids.length === 0 ? [] : await readPageById(this.#reader, table, column, ids, form);
    const { uids } = await this.#changesSince(version);
    if (uids === undefined || uids.values().some((uid) => dependsOn.has(markOf(uid)))) return;
    // Ids decide no access: whatever they were derived from, only rows of the set are shown.
    if (rows.length < ids.length || !rows.every((row) => set.has(row[4]))) return "void";
    const byId = new Map(
      rows.map(([key, id, encoding, body]) => [id, [key, id, encoding, body] as const]),
    );
    const inOrder = ids.map((id) => byId.get(id) as PageRow);
    return descending ? inOrder.reverse() : inOrder;
  }

  /** How many rows are before the start of a page, in ascending order. */
  async #indexOf(start: Start, descending: boolean, dependsOn: Set<number>): Promise<number> {
    const block = this.#ids.blockAt(start);
    if (block === undefined) return 0;
    const before = this.#ids.indexOf(block);
    const ids = [...block.ids];
    for (const mark of block.marks) dependsOn.add(mark);
    const keys = await this.#keysOf(ids);
    return before + indexIn({ ids }, start, keys, start.inclusive === descending);
  }

  async #keysOf(ids: readonly number[]): Promise<Keys> {
    return new Map((await this.#positionsOf(ids)).map(([key, id]) => [id, key]));
  }

  async #positionsOf(ids: readonly number[]): Promise<readonly UidPosition[]> {
    const { table, column } = this.#query;
    return ids.length === 0 ? [] : readPositionsById(this.#reader, table, column, ids);
  }

  #changesSince(version: number) {
    return readLoggedRows(this.#reader, this.#query.table.shape.name, version);
  }

  async #refresh(): Promise<boolean> {
    for (;;) {
      const { version, uids } = await this.#changesSince(this.#version);
      if (uids === undefined) return false;
      const { set } = this.#query;
      const { from, uids: moved = [] } = this.#derivation ?? {};
      const all = new Set([...uids, ...moved]);
      const changed = [...all].filter((uid) => set.has(uid) || from?.has(uid));
      if (changed.length > 0) {
        const { removed, added, keys } = await this.#correction(changed);
        if ((await this.#changesSince(version)).version !== version) continue;
        this.#ids.correct(removed, added, keys);
      }
      this.#derivation = undefined;
      this.#version = version;
      return true;
    }
  }

  /** Every changed row is removed from where it was, and added where it belongs now. */
  async #correction(changed: readonly string[]): Promise<Correction> {
    const { table, column, filters, set } = this.#query;
    const candidates = this.#ids.marked(new Set(changed.map(markOf)));
    const uidOf = new Map<number, string>();
    for (const [, id, uid] of await this.#positionsOf(candidates.map(({ id }) => id)))
      uidOf.set(id, uid);
    const all = new Set(changed);
    // A row that no longer exists was deleted; another one may have the same mark.
    const removed = candidates.filter(({ id }) => all.has(uidOf.get(id) ?? (changed[0] as string)));
    if (this.#derivation === undefined && isUnmoved(this.#query, changed, removed, uidOf)) {
      return { removed: [], added: [], keys: new Map() };
    }
    const rows = { uids: changed, areTops: false, filters };
    const now = await readManyPositions(this.#reader, table, column, rows);
    const added = now
      .filter(([, , uid]) => set.has(uid))
      .map(([key, id, uid]) => ({ key, id, mark: markOf(uid) }));
    const blocks = new Set<Block>();
    for (const row of added) {
      const block = this.#ids.blockAt(row);
      if (block !== undefined) blocks.add(block);
    }
    const keys = await this.#keysOf([...blocks].flatMap(({ ids }) => ids));
    return { removed, added, keys };
  }
}

/** Whether all changed rows are in the list, and stay where they are. */
function isUnmoved(
  { column, filters }: VisibleQuery,
  changed: readonly string[],
  removed: readonly BlockRow[],
  uidOf: ReadonlyMap<number, string>,
): boolean {
  const isFixed = (column === "uid" || column === "created") && filters.length === 0;
  return isFixed && removed.length === changed.length && removed.every(({ id }) => uidOf.has(id));
}
