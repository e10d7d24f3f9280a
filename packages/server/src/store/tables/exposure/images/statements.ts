import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** Statements of VEX documents about images, as JSON, in the order of their documents. */

/** Replaces the statements of an image. */
export async function replaceStatements(
  tx: Transaction,
  image: number,
  statements: readonly string[],
): Promise<void> {
  await tx.run("DELETE FROM image_statements WHERE image = ?", image);
  if (statements.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  await tx.run(
    `INSERT INTO image_statements (image, position, statement)
     SELECT ${asInteger("?")}, ${asInteger("position")}, statement
     FROM (${tuples("position", "statement")}) given`,
    image,
    JSON.stringify(statements.map((statement, position) => [position, statement])),
  );
}

export async function statementsOf(reader: Reader, image: number): Promise<string[]> {
  const sql = "SELECT statement FROM image_statements WHERE image = ? ORDER BY position";
  const rows = await reader.arrays<readonly [string]>(sql, image);
  return rows.map(([statement]) => statement);
}
