import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../../db/connection.ts";
import type { ResourceTable } from "../resource-table.ts";
import type { EncodedRow } from "../rows.ts";
import { readTerms } from "./terms.ts";

/** The position of a walk: the last term that it has visited. */
export interface TermPosition {
  readonly value: string;
  readonly row: number;
}

/** A walk over the rows of a subtree in the order of one kind of their terms. */
export interface TermWalk {
  readonly kind: string;
  /** The uid at the top of the subtree. */
  readonly below: string;
  /** Only those that have this term. */
  readonly value?: string;
}

export interface TermStep {
  readonly rows: readonly EncodedRow[];
  /** The number of terms visited, in the subtree or not. */
  readonly visited: number;
  /** Position at which the next step begins; undefined at the end. */
  readonly next: TermPosition | undefined;
}

/** Before every term. */
const BEGINNING: TermPosition = { value: "", row: -1 };

/**
 * The next rows of a walk. A step visits a bounded number of terms, in the subtree or not, so its time is
 * bounded however many rows other subtrees have.
 */
export async function stepByTerm(
  reader: Reader,
  table: ResourceTable,
  { kind, below, value }: TermWalk,
  after: TermPosition = BEGINNING,
  limit: number,
): Promise<TermStep> {
  const [condition, values] =
    value === undefined
      ? ["(value, row_id) > (?, ?)", [after.value, after.row]]
      : ["value = ? AND row_id > ?", [value, after.row]];
  const visited = await reader.arrays<readonly [value: string, row: number]>(
    `SELECT value, row_id FROM ${table.shape.name}_terms WHERE kind = ? AND ${condition}
     ORDER BY value, row_id LIMIT ?`,
    kind,
    ...values,
    limit,
  );
  const last = visited.at(-1);
  if (last === undefined) return { rows: [], visited: 0, next: undefined };
  const ids = visited.map(([, row]) => row);
  return {
    rows: await rowsBelow(reader, table, below, ids),
    visited: visited.length,
    next: visited.length < limit ? undefined : { value: last[0], row: last[1] },
  };
}

/** The rows with these ids that are in a subtree, in the given order. */
export async function rowsBelow(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  below: string,
  ids: readonly number[],
): Promise<EncodedRow[]> {
  // By id: with a join, PostgreSQL may read the whole table for every step.
  const found = await reader.arrays<readonly [id: number, encoding: number, data: Uint8Array]>(
    `SELECT id, encoding, data FROM ${name}
     WHERE id IN (${ids.map(() => "?").join(", ")}) AND uid > ? AND uid < ?`,
    ...ids,
    `${below}/`,
    subtreeEnd(below),
  );
  const byId = new Map(found.map(([id, encoding, data]) => [id, { encoding, data }]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The positions of some rows of a subtree in the order of one kind of their terms. */
export interface Positions {
  readonly positions: readonly TermPosition[];
  /** The uid after which the next rows begin; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * The positions of the next rows of a subtree in the order of a walk, without visiting rows of others: for
 * subtrees that have far fewer rows than the rest of the table.
 */
export async function positionsBelow(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  { kind, below }: TermWalk,
  after: string = `${below}/`,
  limit: number,
): Promise<Positions> {
  const rows = await reader.arrays<readonly [id: number, uid: string, terms: string]>(
    `SELECT id, uid, terms FROM ${name} WHERE uid > ? AND uid < ? ORDER BY uid LIMIT ?`,
    after,
    subtreeEnd(below),
    limit,
  );
  const positions = rows.flatMap(([row, , terms]) => {
    const own = readTerms(terms).filter((term) => term.kind === kind);
    return own.map(({ value }) => ({ value, row }));
  });
  return { positions, next: rows.length < limit ? undefined : rows.at(-1)?.[1] };
}
