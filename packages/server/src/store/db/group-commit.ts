import { WharfError } from "../../lib/errors.ts";
import { CountChanges, readCounts } from "../resources/counts.ts";
import { GrantChanges } from "../tables/access-log.ts";
import type { Driver, Value, Writer } from "./connection.ts";
import { FAILURE_TEXTS, type StoreFailure } from "./failure.ts";

/** Work done inside a transaction. May run again after a deadlock, so it must not act outside it. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** A transaction with what is settled once, at its end: counts and the access version. */
export interface Transaction extends Writer {
  readonly counts: CountChanges;
  /** Says that this transaction changes who may do what. */
  accessChanged(): void;
  /**
   * Says that this transaction changes what role bindings grant: those of an identity ("" for every
   * identity) at the groups of one root ("" for all roots).
   */
  grantsChanged(identity: string, root: string): void;
  /**
   * The access version that this transaction relies on: if it changes access, and the version has
   * moved by the time it commits, it runs again.
   */
  relyOnAccess(): Promise<number>;
  /**
   * Waits until no other transaction has taken its turn and not ended: for what must not happen at
   * the same time on two replicas.
   */
  acquireLock(): Promise<void>;
  /** How many of a table are anywhere below a place: those that this transaction made are counted. */
  countBelow(table: string, place: string): Promise<number>;
}

interface Waiting {
  readonly work: Work<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * How many writes share a commit at most: enough to hide the disk flush, few enough that the first
 * of them does not wait long and that no lock is held long.
 */
const BATCH = 128;

/** Turns of the event loop that a batch is gathered in at most: the first of it does not wait longer. */
const MOST_TURNS = 16;

/** A batch that runs into a deadlock with another replica is tried this often. */
const ATTEMPTS = 8;

/**
 * Lets the writes that arrive together share one transaction, so that a disk flush is paid once
 * for all of them. Each write stands or falls alone. Most stand, and those that fall mostly do so
 * before they have written anything; only when one falls later is the batch run again with a
 * savepoint for each.
 */
export class GroupCommit {
  readonly #driver: Driver;
  readonly #observer: CommitObserver;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(driver: Driver, observer: CommitObserver) {
    this.#driver = driver;
    this.#observer = observer;
  }

  /**
   * Resolves when the work is durable; rejects with what the work threw, and then nothing of it
   * remains.
   */
  write<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when everything asked for so far has ended. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    await this.#gather();
    while (this.#waiting.length > 0) {
      await this.#settle(this.#waiting.splice(0, BATCH));
      await this.#gather();
    }
    this.#running = undefined;
  }

  /**
   * Waits for what the present turn of the event loop brings, and for the next ones as long as each
   * brings more: clients that were answered together ask again one after another, and a commit for the
   * first of them would keep the others waiting for a flush of the disk.
   */
  async #gather(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS && this.#waiting.length < BATCH; turn++) {
      const before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waiting.length === before) return;
    }
  }

  async #settle(batch: Waiting[]): Promise<void> {
    const started = performance.now();
    let outcomes: Outcome[];
    try {
      outcomes = await this.#attempt(batch);
    } catch (error) {
      const failure = this.#unavailable(error);
      for (const { reject } of batch) reject(failure);
      return;
    }
    this.#observer.committed(performance.now() - started, batch.length);
    for (const [i, outcome] of outcomes.entries()) {
      if (!("error" in outcome)) batch[i]?.resolve(outcome.value);
      else if (this.#driver.failureOf(outcome.error) === undefined) batch[i]?.reject(outcome.error);
      else batch[i]?.reject(this.#unavailable(outcome.error));
    }
  }

  /** The error that callers get for a failure of the database, which is reported as well. */
  #unavailable(error: unknown): WharfError {
    const cause = this.#driver.failureOf(error);
    if (cause !== undefined) this.#observer.failed({ cause, error });
    const text = cause === undefined ? "the store cannot be written" : FAILURE_TEXTS[cause];
    return new WharfError("UNAVAILABLE", text, undefined, error);
  }

  async #attempt(batch: Waiting[]): Promise<Outcome[]> {
    const how = { withLock: false, inSavepoints: false };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transaction(batch, how);
      } catch (error) {
        if (error instanceof HalfWritten) how.inSavepoints = true;
        else if (error instanceof AccessMoved || this.#driver.isTransient(error))
          how.withLock = true;
        else throw error;
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #transaction(batch: Waiting[], how: How): Promise<Outcome[]> {
    const { writer } = this.#driver;
    await this.#driver.begin();
    try {
      const counts = new CountChanges();
      if (how.withLock) await new SharedTransaction(writer, counts).acquireLock();
      const outcomes: Outcome[] = [];
      const reliedOn = new Set<number>();
      const grants = new GrantChanges();
      for (const { work } of batch) {
        const tx = new SharedTransaction(writer, counts);
        const outcome = await (how.inSavepoints
          ? this.#inSavepoint(tx, work)
          : this.#run(tx, work));
        outcomes.push(outcome);
        if ("error" in outcome) continue;
        counts.add(tx.counts);
        grants.add(tx.grants);
        if (tx.changesAccess) reliedOn.add(tx.reliedOn ?? ANY_VERSION);
      }
      await counts.store(writer);
      if (reliedOn.size > 0) await moveAccess(writer, reliedOn, grants);
      await this.#driver.commit();
      return outcomes;
    } catch (error) {
      await this.#driver.rollback().catch(() => {});
      throw error;
    }
  }

  async #run(tx: SharedTransaction, work: Work<unknown>): Promise<Outcome> {
    try {
      return { value: await work(tx) };
    } catch (error) {
      if (this.#driver.isTransient(error)) throw error;
      // What the database itself refused spoils the transaction, even if it only read.
      if (tx.mustUndo || !(error instanceof WharfError)) throw new HalfWritten();
      return { error };
    }
  }

  async #inSavepoint(tx: SharedTransaction, work: Work<unknown>): Promise<Outcome> {
    const { writer } = this.#driver;
    await writer.run("SAVEPOINT work");
    try {
      const value = await work(tx);
      await writer.run("RELEASE SAVEPOINT work");
      return { value };
    } catch (error) {
      if (this.#driver.isTransient(error)) throw error;
      try {
        await writer.run("ROLLBACK TO SAVEPOINT work");
        await writer.run("RELEASE SAVEPOINT work");
      } catch {
        // A full disk makes SQLite roll the whole transaction back: what says why is the first error.
        throw error;
      }
      return { error };
    }
  }
}

/** Hears of commits, with all the writes that shared them, and of failures of the database. */
export interface CommitObserver {
  committed(milliseconds: number, writes: number): void;
  failed(failure: StoreFailure): void;
}

/** How a batch is run: carefully only where the quick way has failed. */
interface How {
  /** Takes its turn first, so that no other replica gets in its way. */
  withLock: boolean;
  /** Each write in a savepoint of its own. */
  inSavepoints: boolean;
}

/** A write fell after it had written, or the database itself refused something. */
class HalfWritten extends Error {}

/** Someone else changed access while a transaction that relied on it was under way. */
class AccessMoved extends Error {}

/** What a change of access relies on that was not made on anyone's behalf. */
const ANY_VERSION = -1;

async function moveAccess(
  writer: Writer,
  reliedOn: ReadonlySet<number>,
  grants: GrantChanges,
): Promise<void> {
  const sql =
    "UPDATE access_version SET version = version + 1, logged = logged + 1 RETURNING version";
  const moved = (await writer.get<{ version: number }>(sql))?.version ?? 0;
  for (const version of reliedOn) {
    if (version !== moved - 1 && version !== ANY_VERSION) throw new AccessMoved();
  }
  await grants.store(writer, moved);
}

class SharedTransaction implements Transaction {
  readonly counts = new CountChanges();
  readonly grants = new GrantChanges();
  readonly dialect: Writer["dialect"];
  readonly #writer: Writer;
  /** Of the works that share the transaction and have ended. */
  readonly #others: CountChanges;
  changesAccess = false;
  reliedOn: number | undefined;
  /** Whether there is something to undo should the work fail now. */
  mustUndo = false;

  constructor(writer: Writer, others: CountChanges) {
    this.#writer = writer;
    this.#others = others;
    this.dialect = writer.dialect;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#writer.get<R>(sql, ...params);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#writer.all<R>(sql, ...params);
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#writer.arrays<R>(sql, ...params);
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    this.mustUndo = true;
    return this.#writer.run(sql, ...params);
  }

  accessChanged(): void {
    this.changesAccess = true;
  }

  grantsChanged(identity: string, root: string): void {
    this.changesAccess = true;
    this.grants.record(identity, root);
  }

  async relyOnAccess(): Promise<number> {
    const row = await this.get<{ version: number }>("SELECT version FROM access_version");
    this.reliedOn = row?.version ?? 0;
    return this.reliedOn;
  }

  async acquireLock(): Promise<void> {
    await this.get(`SELECT version FROM access_version ${this.dialect.lock}`);
  }

  async countBelow(table: string, place: string): Promise<number> {
    const { descendants } = await readCounts(this, table, place);
    return descendants + this.#others.below(table, place) + this.counts.below(table, place);
  }
}
