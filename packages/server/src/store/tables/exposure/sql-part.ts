import type { Reader, Value } from "../../db/connection.ts";

/** A part of a statement, and its parameters in their order. */
export interface SqlPart {
  readonly sql: string;
  readonly params: readonly Value[];
}

export function part(sql: string, ...params: readonly Value[]): SqlPart {
  return { sql, params };
}

/** Parts joined by a text. */
export function joined(parts: readonly SqlPart[], by: string): SqlPart {
  return {
    sql: parts.map(({ sql }) => sql).join(by),
    params: parts.flatMap(({ params }) => params),
  };
}

/** The number that an expression has in the first row of what follows it in a statement; 0 without rows. */
export async function numberOf(
  reader: Reader,
  expression: string,
  { sql, params }: SqlPart,
): Promise<number> {
  const row = await reader.get<{ number: number }>(
    `SELECT ${expression} AS number ${sql}`,
    ...params,
  );
  return row?.number ?? 0;
}
