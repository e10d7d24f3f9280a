import type { Reader, Value } from "../connection.ts";

/** A statement that reads a page of rows, each with an id, and an expression of their total number. */
export interface CountedQuery {
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
  { page, pageParams, columns, total, totalParams }: CountedQuery,
): Promise<{ readonly rows: R[]; readonly total: number }> {
  const sql = reader.dialect.counted(page, total, columns);
  const found = await reader.all<R & { readonly total: number }>(
    sql,
    ...pageParams,
    ...totalParams,
  );
  return { rows: found.filter(({ id }) => id !== null), total: found.at(-1)?.total ?? 0 };
}
