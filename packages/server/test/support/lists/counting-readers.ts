/** Readers that count what statements cost, independently of the speed of the machine. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Reader, Value } from "../../../src/store/db/connection.ts";

/** A reader that adds up the work of its statements. */
export interface CountingReader extends Reader {
  /** The work since the last call: steps of the virtual machine, or rows of the nodes of plans. */
  taken(): number;
  close(): void;
}

/** The types of Node.js lack the counters of statements. */
interface CountingStatement extends StatementSync {
  stat(name: "vmStep"): number;
}

/** Counts the steps of SQLite's virtual machine. */
export class StepCountingReader implements CountingReader {
  readonly dialect: Reader["dialect"];
  readonly #database: DatabaseSync;
  #steps = 0;

  constructor(path: string, { dialect }: Reader) {
    this.dialect = dialect;
    this.#database = new DatabaseSync(path, { readOnly: true });
  }

  async get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#run(sql, params, false)[0] as R | undefined;
  }

  async all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#run(sql, params, false) as R[];
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#run(sql, params, true) as R[];
  }

  taken(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  close(): void {
    this.#database.close();
  }

  #run(sql: string, params: Value[], asArrays: boolean): unknown[] {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(asArrays);
    const rows = statement.all(...params);
    this.#steps += (statement as CountingStatement).stat("vmStep");
    return rows;
  }
}

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Counts the rows that the nodes of PostgreSQL's plans produce or remove. */
export class RowCountingReader implements CountingReader {
  readonly dialect: Reader["dialect"];
  readonly #reader: Reader;
  #rows = 0;

  constructor(reader: Reader) {
    this.dialect = reader.dialect;
    this.#reader = reader;
  }

  async get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    await this.#explain(sql, params);
    return this.#reader.get<R>(sql, ...params);
  }

  async all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    await this.#explain(sql, params);
    return this.#reader.all<R>(sql, ...params);
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    await this.#explain(sql, params);
    return this.#reader.arrays<R>(sql, ...params);
  }

  taken(): number {
    const rows = this.#rows;
    this.#rows = 0;
    return rows;
  }

  close(): void {}

  async #explain(sql: string, params: Value[]): Promise<void> {
    const explained = `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;
    const [row] = await this.#reader.arrays<readonly [plan: string]>(explained, ...params);
    const plans = typeof row?.[0] === "string" ? JSON.parse(row[0]) : row?.[0];
    for (const { Plan } of plans as { Plan: PlanNode }[]) this.#rows += rowsOf(Plan);
  }
}

function rowsOf(node: PlanNode): number {
  const {
    "Actual Rows": rows,
    "Rows Removed by Filter": removed = 0,
    "Actual Loops": loops,
  } = node;
  const below = (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
  return (rows + removed) * loops + below;
}
