/** The rows of resource tables, as callers of the store write and read them. */
import type { Position } from "./query.ts";
import type { Term } from "./terms/terms.ts";

/** The encodings that every resource is stored in: JSON for REST, binary for gRPC and for changes. */
export interface Encodings {
  readonly json: string;
  readonly data: Uint8Array;
}

export type Form = keyof Encodings;

/**
 * Row of a resource: the columns that lists use, and both encodings of the resource.
 * `encoding` numbers the shape it was encoded in; a row of another shape is encoded again from `data`
 * when it is read.
 */
export interface ResourceRow extends Encodings {
  readonly uid: string;
  readonly parent: string;
  readonly root: string;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
  readonly encoding: number;
  /** Its partition, where the table is partitioned. */
  readonly partition?: number;
  readonly filters: Readonly<Record<string, string | number>>;
  /** Its search terms, where the table has terms. */
  readonly terms?: readonly Term[];
}

/** A stored resource in one encoding. */
export type EncodedRow<F extends Form = "data"> = { readonly encoding: number } & Pick<
  Encodings,
  F
>;

/**
 * A row of a page in one encoding, with the values of secondary keys of its order. A tuple, as the drivers return it: lists are the hottest path, and an
 * object for each row would cost more than the row. Outside the store it is read through `bodyOf`,
 * `encodingOf` and `positionOf`.
 */
export type PageRow<F extends Form = Form> = readonly [
  key: string | number,
  id: number,
  encoding: number,
  body: Encodings[F],
  ...secondary: readonly (string | number)[],
];

/** The position of a row in an order with so many secondary keys. */
export function positionOf(row: PageRow, secondary: number): Position {
  const [key, id] = row;
  const values = row.slice(4, 4 + secondary) as (string | number)[];
  return secondary === 0 ? { key, id } : { key, id, secondary: values };
}

export function encodingOf([, , encoding]: PageRow): number {
  return encoding;
}

export function bodyOf<F extends Form>(row: PageRow<F>): Encodings[F] {
  return row[3];
}

/** The same row with its resource encoded otherwise. */
export function withBody<F extends Form>(row: PageRow, body: Encodings[F]): PageRow<F> {
  const [key, id, encoding, , ...rest] = row;
  return [key, id, encoding, body, ...rest];
}
