import type { Driver, Value, Writer } from "../connection.ts";
import { CommitOutcomeUnknown, HalfWritten, NotCommitted } from "./errors.ts";
import { HeldRows, type Lock } from "./held-rows.ts";
import { type InsertTarget, inSizes, insertOf, insertUnlessThere } from "./insert-rows.ts";

/**
 * The transaction of a batch. Where the database is across a network, statements whose answer is as good as known are
 * sent without waiting for it: inserts, of which consecutive ones into the same table become one statement, and
 * changes of rows that are locked. The database executes all statements in the order of the calls, so each read sees
 * what was written before it. All answers are checked before the commit: if one is not as expected, the batch is
 * repeated carefully, with an answer for each statement.
 */
export class BatchWriter implements Writer {
  readonly dialect: Writer["dialect"];
  readonly held: HeldRows;
  /** The access version, if a write of the batch has read it. */
  accessVersion: Promise<number> | undefined;
  readonly #driver: Driver;
  readonly #writer: Writer;
  readonly #isCareful: boolean;
  #inserts: { readonly target: InsertTarget; readonly rows: (readonly Value[])[] } | undefined;
  readonly #sent: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;
  /** Whether an answer must be read before the commit: it can be unexpected without being an error. */
  #mustRead = false;

  /** `isCareful`: each write is in a savepoint. */
  constructor(driver: Driver, isCareful: boolean) {
    this.held = new HeldRows(!isCareful);
    this.#driver = driver;
    this.#writer = driver.writer;
    this.#isCareful = isCareful || !driver.pipelines;
    this.dialect = driver.dialect;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    if (this.#isCareful) return this.#writer.get<R>(sql, ...params);
    this.#sendInserts();
    return this.#answerOf(this.#writer.get<R>(sql, ...params));
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    if (this.#isCareful) return this.#writer.all<R>(sql, ...params);
    this.#sendInserts();
    return this.#answerOf(this.#writer.all<R>(sql, ...params));
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    if (this.#isCareful) return this.#writer.arrays<R>(sql, ...params);
    this.#sendInserts();
    return this.#answerOf(this.#writer.arrays<R>(sql, ...params));
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    if (this.#isCareful) return this.#writer.run(sql, ...params);
    this.#sendInserts();
    return this.#answerOf(this.#writer.run(sql, ...params));
  }

  /** Runs a statement whose result does not matter. */
  async send(sql: string, ...params: Value[]): Promise<void> {
    if (this.#isCareful) {
      await this.#writer.run(sql, ...params);
      return;
    }
    this.#sendInserts();
    this.#track(this.#writer.run(sql, ...params));
  }

  /** Runs a statement that changes one row, or none. Returns whether it did, or will be repeated if it did not. */
  async changeOne(sql: string, ...params: Value[]): Promise<boolean> {
    if (this.#isCareful) return (await this.#writer.run(sql, ...params)) > 0;
    this.#mustRead = true;
    this.#sendInserts();
    this.#track(
      this.#writer.run(sql, ...params).then((changed) => {
        if (changed === 0) throw new HalfWritten();
      }),
    );
    return true;
  }

  /** Inserts a row. Returns false if it exists already; true if that has yet to be seen. */
  async insert(target: InsertTarget, row: readonly Value[]): Promise<boolean> {
    if (this.#isCareful) return (await this.#writer.run(insertUnlessThere(target), ...row)) > 0;
    if (this.#inserts?.target !== target) {
      this.#sendInserts();
      this.#inserts = { target, rows: [] };
    }
    this.#inserts.rows.push(row);
    return true;
  }

  /**
   * Locks rows for the writes of the batch. If that fails, such as because a table cannot be read, each write of a
   * careful batch locks its own, and fails alone.
   */
  async hold(locks: readonly Lock[]): Promise<void> {
    if (this.#isCareful || locks.length === 0) return;
    try {
      await this.held.lock(this, locks);
    } catch (error) {
      throw this.#driver.isTransient(error) ? error : new HalfWritten();
    }
  }

  /**
   * Commits if all answers are as expected. The commit is sent right behind the other statements: after an error of
   * one of them, the database rolls back instead.
   */
  async commit(): Promise<void> {
    if (this.#isCareful) return this.#driver.commit();
    this.#sendInserts();
    if (this.#mustRead) await this.#allAnswered();
    const [committed] = await Promise.allSettled([this.#driver.commit(), ...this.#sent]);
    if (committed.status === "fulfilled") return;
    const { reason } = committed;
    const isOpen = reason instanceof NotCommitted || reason instanceof CommitOutcomeUnknown;
    throw isOpen || this.#failure === undefined ? reason : this.#failure.error;
  }

  #sendInserts(): void {
    const inserts = this.#inserts;
    if (inserts === undefined) return;
    this.#inserts = undefined;
    const { target, rows } = inserts;
    for (const some of inSizes(this.dialect, rows)) {
      this.#track(this.#writer.run(insertOf(target, some.length), ...some.flat()));
    }
  }

  #track(answer: Promise<unknown>): void {
    this.#sent.push(
      answer.catch((error: unknown) => {
        const isFinal = error instanceof HalfWritten || this.#driver.isTransient(error);
        this.#failure ??= { error: isFinal ? error : new HalfWritten() };
      }),
    );
  }

  /** The answer to a statement. If it fails because an earlier one has failed, the error is that of the earlier. */
  async #answerOf<T>(answer: Promise<T>): Promise<T> {
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
