import type { Driver, Reader } from "../db/connection.ts";
import type { StoreProblem } from "./problem.ts";

/** The oldest version whose syntax our statements need. */
const MIN_VERSION = 130_000;

/** Checks that the database is recent enough, and its data within one transaction. */
export async function checkPostgres(
  { begin, rollback, writer }: Driver,
  checkData: (reader: Reader) => Promise<StoreProblem[]>,
): Promise<StoreProblem[]> {
  await begin();
  try {
    await writer.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const state = await writer.get<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    const problems: string[] = [];
    if (state !== undefined && state.version < MIN_VERSION)
      problems.push(`version ${Math.floor(state.version / 10_000)} is older than 13`);
    return [
      ...problems.map((problem): StoreProblem => ({ kind: "database", name: "postgres", problem })),
      ...(await checkData(writer)),
    ];
  } finally {
    await rollback();
  }
}
