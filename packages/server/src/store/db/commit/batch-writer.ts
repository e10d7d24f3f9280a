import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { Driver, Value, Writer } from "../connection.ts";
import { CommitOutcomeUnknown, CommitRejected, PartialWrite } from "./errors.ts";
import { type InsertTarget, inSizes, insertOf, insertUnlessThere } from "./insert-rows.ts";
import { type Lock, LockedRows } from "./locked-rows.ts";
import { type UpdateTarget, updateOf } from "./update-rows.ts";

/** The statement for a number of rows. */
type StatementOf = (target: InsertTarget, rows: number) => string;

interface UnsentRows {
  readonly target: InsertTarget;
  readonly statementOf: StatementOf;
  readonly rows: (readonly Value[])[];
}

/**
 * The transaction of a batch. Where the database is across a network, statements whose answer is as good as known are
 * sent without waiting for it: inserts, and changes of rows that are locked. Consecutive inserts into the same table
 * become one statement, and so do consecutive updates, with the last values of each row. The database executes all
 * statements in the order of the calls, so each read sees what was written before it. All answers are checked before the
 * commit: if one is not as expected, the batch is repeated carefully, with an answer for each statement.
 */
export class BatchWriter implements Writer {
  readonly dialect: Writer["dialect"];
  readonly locked: LockedRows;
  readonly #driver: Driver;
  readonly #writer: Writer;
  readonly #isCareful: boolean;
  /** Consecutive inserts or updates that are not sent yet. */
  #unsent: UnsentRows | undefined;
  readonly #sent: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #accessVersion: Promise<number> | undefined;
  /** Whether an answer must be read before the commit: it can be unexpected without being an error. */
  #mustRead = false;

  /** `isCareful`: each write is in a savepoint. */
  constructor(driver: Driver, isCareful: boolean) {
    this.locked = new LockedRows(!isCareful);
    this.#driver = driver;
    this.#writer = driver.writer;
    this.#isCareful = isCareful || !driver.pipelines;
    this.dialect = driver.dialect;
  }

  /** Whether statements can be sent without waiting for their answers. */
  get pipelines(): boolean {
    return !this.#isCareful;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    if (this.#isCareful) return this.#writer.get<R>(sql, ...params);
    this.#sendRows();
    return this.#answerOf(this.#writer.get<R>(sql, ...params));
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    if (this.#isCareful) return this.#writer.all<R>(sql, ...params);
    this.#sendRows();
    return this.#answerOf(this.#writer.all<R>(sql, ...params));
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    if (this.#isCareful) return this.#writer.arrays<R>(sql, ...params);
    this.#sendRows();
    return this.#answerOf(this.#writer.arrays<R>(sql, ...params));
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    if (this.#isCareful) return this.#writer.run(sql, ...params);
    this.#sendRows();
    return this.#answerOf(this.#writer.run(sql, ...params));
  }

  /** Runs a statement whose result does not matter. */
  async send(sql: string, ...params: Value[]): Promise<void> {
    if (this.#isCareful) {
      await this.#writer.run(sql, ...params);
      return;
    }
    this.#sendRows();
    this.#track(this.#writer.run(sql, ...params));
  }

  /** Runs a statement that changes one row, or none. Returns whether it did, or will be repeated if it did not. */
  async changeOne(sql: string, ...params: Value[]): Promise<boolean> {
    if (this.#isCareful) return (await this.#writer.run(sql, ...params)) > 0;
    this.#mustRead = true;
    this.#sendRows();
    this.#track(
      this.#writer.run(sql, ...params).then((changed) => {
        if (changed === 0) throw new PartialWrite();
      }),
    );
    return true;
  }

  /** Inserts a row. Returns false if it exists already; true if that has yet to be seen. */
  async insert(target: InsertTarget, row: readonly Value[]): Promise<boolean> {
    if (this.#isCareful) return (await this.#writer.run(insertUnlessThere(target), ...row)) > 0;
    this.#unsentOf(target, insertOf).push(row);
    return true;
  }

  /** Updates a row that is there. */
  async update(target: UpdateTarget, row: readonly Value[]): Promise<void> {
    if (this.#isCareful) {
      await this.#writer.run(updateOf(target, 1), ...row);
      return;
    }
    const rows = this.#unsentOf(target, updateOf);
    const key = row.at(-1);
    const earlier = rows.findIndex((other) => other.at(-1) === key);
    // The later update has all columns of the earlier one, and nothing has read the row between them.
    if (earlier >= 0) rows[earlier] = row;
    else rows.push(row);
  }

  /**
   * Locks rows for the writes of the batch. If that fails, such as because a table cannot be read, each write of a
   * careful batch locks its own, and fails alone.
   */
  async lock(locks: readonly Lock[]): Promise<void> {
    if (this.#isCareful || locks.length === 0) return;
    try {
      await this.locked.lock(this, locks);
    } catch (error) {
      throw this.#driver.isTransient(error) ? error : new PartialWrite();
    }
  }

  /** Reads the access version behind the locks of the batch: no write of the batch waits for it alone. */
  async prepareAccessVersion(): Promise<void> {
    if (this.#isCareful) return;
    this.#accessVersion = this.#readAccessVersion();
    await this.#accessVersion;
  }

  /**
   * The access version, not older than another one. Without that, it is read again: a write may have joined the batch
   * after it was read.
   */
  async accessVersion(seen: number | undefined): Promise<number> {
    const lastRead = await this.#accessVersion;
    if (lastRead !== undefined && seen !== undefined && lastRead >= seen) return lastRead;
    this.#accessVersion = this.#readAccessVersion();
    return this.#accessVersion;
  }

  async #readAccessVersion(): Promise<number> {
    const row = await this.get<{ version: number }>("SELECT version FROM access_version");
    return row?.version ?? 0;
  }

  /**
   * Commits if all answers are as expected. The commit is sent right behind the other statements: after an error of
   * one of them, the database rolls back instead.
   */
  async commit(): Promise<void> {
    if (this.#isCareful) return this.#driver.commit();
    this.#sendRows();
    if (this.#mustRead) await this.#allAnswered();
    const [committed] = await Promise.allSettled([this.#driver.commit(), ...this.#sent]);
    if (committed.status === "fulfilled") return;
    const { reason } = committed;
    const isOpen = reason instanceof CommitRejected || reason instanceof CommitOutcomeUnknown;
    throw isOpen || this.#failure === undefined ? reason : this.#failure.error;
  }

  /** The unsent rows that more of the same kind join. */
  #unsentOf(target: InsertTarget, statementOf: StatementOf): (readonly Value[])[] {
    if (this.#unsent?.target !== target || this.#unsent.statementOf !== statementOf) {
      this.#sendRows();
      this.#unsent = { target, statementOf, rows: [] };
    }
    return this.#unsent.rows;
  }

  #sendRows(): void {
    const unsent = this.#unsent;
    if (unsent === undefined) return;
    this.#unsent = undefined;
    const { target, statementOf, rows } = unsent;
    for (const some of inSizes(this.dialect, rows)) {
      this.#track(this.#writer.run(statementOf(target, some.length), ...some.flat()));
    }
  }

  #track(answer: Promise<unknown>): void {
    this.#sent.push(
      answer.catch((error: unknown) => {
        const isFinal = error instanceof PartialWrite || this.#driver.isTransient(error);
        this.#failure ??= { error: isFinal ? error : new PartialWrite() };
      }),
    );
  }

  /** The answer to a statement. If it fails because an earlier one has failed, the error is that of the earlier. */
  async #answerOf<T>(answer: MaybePromise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      await this.#allAnswered();
      throw error;
    }
  }

  async #allAnswered(): Promise<void> {
    await Promise.all(this.#sent);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
