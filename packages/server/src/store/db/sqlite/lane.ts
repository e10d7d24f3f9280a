import { availableParallelism } from "node:os";
import { type CostlyLane, runStatement, type Statement } from "../connection.ts";
import { StatementCosts } from "../read/statement-costs.ts";
import type { SqliteReader } from "./reader.ts";
import type { ReaderProcesses } from "./reader-processes.ts";

/**
 * Statements that run at the same time: at least two, so that one caller's statement does not delay another's, and not
 * so many that their processes need much memory (some 50 MB each).
 */
const CONCURRENCY = Math.min(Math.max(2, availableParallelism()), 4);

/**
 * Costly statements of SQLite run in processes. One that has often been cheap there runs on the event loop, because
 * passing it on would cost more than running it, until it once takes long.
 */
export class SqliteLane implements CostlyLane {
  readonly concurrency = CONCURRENCY;
  readonly #reader: SqliteReader;
  readonly #processes: ReaderProcesses;
  readonly #costs = new StatementCosts();

  constructor(reader: SqliteReader, processes: ReaderProcesses) {
    this.#reader = reader;
    this.#processes = processes;
  }

  immediately(statement: Statement): Promise<unknown> | undefined {
    const cached = this.#reader.cached(statement);
    if (cached !== undefined) return Promise.resolve(cached.result);
    const { sql } = statement;
    if (!this.#costs.isCheap(sql)) return undefined;
    const began = performance.now();
    // Read before it returns.
    const result = runStatement(this.#reader, statement);
    this.#costs.record(sql, performance.now() - began);
    return result;
  }

  run(statement: Statement, signal: AbortSignal): Promise<unknown> {
    return this.#reader.elsewhere(statement, async () => {
      const { result, cpuMs } = await this.#processes.run(statement, signal);
      this.#costs.record(statement.sql, cpuMs);
      return result;
    });
  }
}
