import type { Reader, Value } from "../connection.ts";

/** A statement that reads a page of rows, each with an id, and an expression of their total number. */
export interface CountedQuery {
  /** A common table that page and total read. */
  readonly collect?: string;
  readonly collectParams?: readonly Value[];
  readonly page: string;
  readonly pageParams: readonly Value[];
  /** The columns of the page. */
  readonly columns: number;
  readonly total: string;
  readonly totalParams: readonly Value[];
}

/** Reads a page and its total by one statement, so that both are of one moment. */
export async function readCounted<R extends { readonly id: number }>(
  reader: Reader,
  { collect, collectParams = [], page, pageParams, columns, total, totalParams }: CountedQuery,
): Promise<{ readonly rows: R[]; readonly total: number }> {
  const counted = reader.dialect.counted(page, total, columns);
  const sql = collect === undefined ? counted : `WITH ${collect} ${counted}`;
  const found = await reader.all<R & { readonly total: number }>(
    sql,
    ...collectParams,
    ...pageParams,
    ...totalParams,
  );
  return { rows: found.filter(({ id }) => id !== null), total: found.at(-1)?.total ?? 0 };
}
