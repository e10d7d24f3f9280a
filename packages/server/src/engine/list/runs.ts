import { failedPrecondition } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { readKeys, readRowsById } from "../../store/resources/page.ts";
import type { Position, Start } from "../../store/resources/query.ts";
import { type PageRow, positionOf } from "../../store/resources/rows.ts";
import { readTerms } from "../../store/resources/terms/terms.ts";
import type { OrderKey } from "./order.ts";
import { readRows, type Scan } from "./scan.ts";
import type { SkipIndex } from "./skip-index.ts";

/** Rows whose keys are read between two points where other tasks may run. */
const ROWS_PER_PAUSE = 500;

/** Beyond every row id, and before all of them. */
const LAST_ID = Number.MAX_SAFE_INTEGER;
const FIRST_ID = -1;

/** A list in the order of several keys: the first is that of the scan, or by uid if it has no index. */
export interface RunScan extends Scan {
  readonly further: readonly OrderKey[];
  /** Rows with the same value of the first key that are sorted at most. */
  readonly maxRunRows: number;
  /** The row after which the page begins. */
  readonly after: Position | undefined;
}

/** The rows of a page, and the position of each. */
export interface OrderedRows {
  readonly rows: readonly PageRow[];
  readonly positions: readonly Position[];
}

/**
 * Reads a page in the order of several keys. Rows of one run are together in the order of the first key as well, so
 * the page is found there, and only the runs that it touches are sorted.
 */
export async function readRuns(
  reader: Reader,
  skipIndex: SkipIndex,
  scan: RunScan,
): Promise<OrderedRows> {
  const runs = new Runs(reader, skipIndex, scan);
  const positions = await runs.page();
  const byId = await readRowsById(
    reader,
    scan.table,
    positions.map(({ id }) => id),
    scan.form,
    scan.task,
  );
  // Rows that were deleted meanwhile are missing: the list is read again without them.
  if (byId.size < positions.length) return readRuns(reader, skipIndex, scan);
  const rows = positions.map(({ key, id }): PageRow => {
    const [encoding, body] = byId.get(id) as readonly [number, PageRow[3]];
    return [key, id, encoding, body];
  });
  return { rows, positions };
}

class Runs {
  readonly #reader: Reader;
  readonly #skipIndex: SkipIndex;
  readonly #scan: RunScan;

  constructor(reader: Reader, skipIndex: SkipIndex, scan: RunScan) {
    this.#reader = reader;
    this.#skipIndex = skipIndex;
    this.#scan = scan;
  }

  /** The positions of the page. */
  async page(): Promise<Position[]> {
    const { after, limit, order } = this.#scan;
    let { skip } = this.#scan;
    if (order.column === "uid") {
      const all = await this.#all();
      const rest = after === undefined ? all : all.filter((one) => this.#compare(one, after) > 0);
      return rest.slice(skip, skip + limit);
    }
    const found: Position[] = [];
    let next: Start | undefined;
    if (after !== undefined) {
      const rest = (await this.#run(after.key)).filter((one) => this.#compare(one, after) > 0);
      found.push(...rest.slice(skip, skip + limit));
      skip = Math.max(0, skip - rest.length);
      next = this.#end(after.key);
    }
    if (skip > 0 && found.length === 0) {
      const [first] = await this.#keys(next, skip, 1);
      if (first === undefined) return [];
      // Runs before this row are skipped whole, and of its own run as many rows as are before it there.
      const run = await this.#unsorted(first.key);
      const skipped = run.findIndex(({ id }) => id === first.id);
      found.push(...this.#sorted(run).slice(Math.max(skipped, 0)));
      next = this.#end(first.key);
    }
    while (found.length < limit) {
      const wanted = limit - found.length;
      const keys = await this.#keys(next, 0, wanted);
      const last = keys.at(-1);
      if (last === undefined) break;
      // The run of the last row may go on beyond the rows that were read.
      const whole = keys.length < wanted ? keys : keys.filter(({ key }) => key !== last.key);
      found.push(...this.#sorted(await this.#withFurther(whole)));
      if (keys.length < wanted) break;
      found.push(...(await this.#run(last.key)));
      next = this.#end(last.key);
      await this.#scan.task.pause();
    }
    return found.slice(0, limit);
  }

  /** Positions in the order of the first key. */
  async #keys(start: Start | undefined, skip: number, limit: number): Promise<Position[]> {
    const keys: Scan = { ...this.#scan, form: "keys", start, skip, limit };
    return (await readRows(this.#reader, this.#skipIndex, keys)).map(positionOf);
  }

  /** All rows, where the first key has no index: they are one run. */
  async #all(): Promise<Position[]> {
    const { maxRunRows } = this.#scan;
    const keys = await this.#keys(undefined, 0, maxRunRows + 1);
    if (keys.length > maxRunRows) throw tooMany(maxRunRows, "rows in the list");
    return this.#sorted(await this.#withFurther(keys));
  }

  /** All rows with a value of the first key, in the order of all keys. */
  async #run(key: Position["key"]): Promise<Position[]> {
    return this.#sorted(await this.#unsorted(key));
  }

  /** The same in the order of the first key, and of row ids. */
  async #unsorted(key: Position["key"]): Promise<Position[]> {
    const { order, maxRunRows } = this.#scan;
    const start = { key, id: order.descending ? LAST_ID : FIRST_ID, inclusive: true };
    const run: Position[] = [];
    for (let size = 256, from: Start = start; ; size *= 2) {
      const keys = await this.#keys(from, 0, size);
      const same = keys.filter((one) => one.key === key);
      run.push(...same);
      if (run.length > maxRunRows) throw tooMany(maxRunRows, `rows with the same ${order.column}`);
      const last = same.at(-1);
      if (last === undefined || same.length < size) return this.#withFurther(run);
      from = { ...last, inclusive: false };
      await this.#scan.task.pause();
    }
  }

  /** The start behind all rows with a value of the first key. */
  #end(key: Position["key"]): Start {
    return { key, id: this.#scan.order.descending ? FIRST_ID : LAST_ID, inclusive: false };
  }

  async #withFurther(positions: readonly Position[]): Promise<Position[]> {
    const { table, further, task } = this.#scan;
    const columns = further.map((key) => ("column" in key ? key.column : "terms"));
    const all: Position[] = [];
    for (let at = 0; at < positions.length; at += ROWS_PER_PAUSE) {
      const some = positions.slice(at, at + ROWS_PER_PAUSE);
      const ids = some.map(({ id }) => id);
      const values = await readKeys(this.#reader, table, ids, columns);
      for (const one of some) {
        const found = values.get(one.id);
        if (found !== undefined)
          all.push({ ...one, further: further.map((key, of) => keyValue(key, found[of] ?? "")) });
      }
      await task.pause();
    }
    return all;
  }

  #sorted(run: readonly Position[]): Position[] {
    return run.toSorted((a, b) => this.#compare(a, b));
  }

  /** Compares rows by all keys, and at last by their ids, in the direction of the last key. */
  #compare(a: Position, b: Position): number {
    const { order, further } = this.#scan;
    if (order.column !== "uid" && a.key !== b.key)
      return a.key < b.key === order.descending ? 1 : -1;
    for (const [at, { descending }] of further.entries()) {
      const [left, right] = [a.further?.[at] ?? "", b.further?.[at] ?? ""];
      if (left !== right) return left < right === descending ? 1 : -1;
    }
    return (a.id - b.id) * (further.at(-1)?.descending ? -1 : 1);
  }
}

/** The value of a key in a row. Terms are compared one after the other, in the order of the resource. */
function keyValue(key: OrderKey, found: string | number): string | number {
  if ("column" in key) return found;
  const terms = readTerms(String(found)).filter(({ kind }) => kind === key.term);
  return terms.map(({ value }) => value).join("\n");
}

function tooMany(limit: number, what: string): Error {
  const description = `more than ${limit} ${what}: use another order, or narrow the list`;
  return failedPrecondition({ type: "TOO_MANY", description });
}
