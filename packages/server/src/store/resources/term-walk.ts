import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../db/connection.ts";
import type { EncodedRow, ResourceTable } from "./resource-table.ts";
import { readTerms } from "./terms.ts";

/** Where a walk stands: the last term that it has passed. */
export interface TermPosition {
  readonly value: string;
  readonly row: number;
}

/** Which rows a walk is through: those of a subtree, in the order of one kind of their terms. */
export interface TermWalk {
  readonly kind: string;
  /** The uid that they are below. */
  readonly below: string;
  /** Only those that have this term. */
  readonly value?: string;
}

export interface TermStep {
  readonly rows: readonly EncodedRow[];
  /** How many terms were passed, whether or not their rows are within the subtree. */
  readonly passed: number;
  /** Where to go on; undefined at the end. */
  readonly next: TermPosition | undefined;
}

/** Before every term. */
const BEGINNING: TermPosition = { value: "", row: -1 };

/**
 * The next rows of a walk. It passes a bounded number of terms, whether or not their rows are within the
 * subtree, so that no step keeps others waiting however many rows are elsewhere.
 *
 * @example const { rows, next } = await stepByTerm(reader, table, { kind: "artifact", below: group }, undefined, 500);
 */
export async function stepByTerm(
  reader: Reader,
  table: ResourceTable,
  { kind, below, value }: TermWalk,
  after: TermPosition = BEGINNING,
  limit: number,
): Promise<TermStep> {
  const [among, values] =
    value === undefined
      ? ["(value, row_id) > (?, ?)", [after.value, after.row]]
      : ["value = ? AND row_id > ?", [value, after.row]];
  const passed = await reader.arrays<readonly [string, number]>(
    `SELECT value, row_id FROM ${table.shape.name}_terms WHERE kind = ? AND ${among}
     ORDER BY value, row_id LIMIT ?`,
    kind,
    ...values,
    limit,
  );
  const last = passed.at(-1);
  if (last === undefined) return { rows: [], passed: 0, next: undefined };
  const ids = passed.map(([, row]) => row);
  return {
    rows: await rowsBelow(reader, table, below, ids),
    passed: passed.length,
    next: passed.length < limit ? undefined : { value: last[0], row: last[1] },
  };
}

/**
 * Those of some rows that are within a subtree, in the order given.
 *
 * @example const rows = await rowsBelow(reader, table, group, positions.map(({ row }) => row));
 */
export async function rowsBelow(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  below: string,
  ids: readonly number[],
): Promise<EncodedRow[]> {
  // By their numbers alone: joined, PostgreSQL may read the whole table for every step.
  const found = await reader.arrays<readonly [number, number, Uint8Array]>(
    `SELECT id, encoding, data FROM ${name}
     WHERE id IN (${ids.map(() => "?").join(", ")}) AND uid > ? AND uid < ?`,
    ...ids,
    `${below}/`,
    subtreeEnd(below),
  );
  const byId = new Map(found.map(([id, encoding, data]) => [id, { encoding, data }]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Some rows of a subtree, with where they stand in the order of a kind of their terms. */
export interface Positions {
  readonly positions: readonly TermPosition[];
  /** After which uid to go on; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * Where the next rows of a subtree stand in the order of a walk, without a look at any others: for
 * subtrees that have far fewer rows than all others together.
 *
 * @example const { positions, next } = await positionsBelow(reader, table, walk, undefined, 500);
 */
export async function positionsBelow(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  { kind, below }: TermWalk,
  after: string = `${below}/`,
  limit: number,
): Promise<Positions> {
  const rows = await reader.arrays<readonly [number, string, string]>(
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
