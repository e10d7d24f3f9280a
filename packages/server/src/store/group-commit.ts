import { WharfError } from "../errors.ts";
import type { Driver, Writer } from "./connection.ts";
import { CountChanges } from "./counts.ts";

/** Work done inside a transaction. May run again after a deadlock, so it must not act outside it. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** A transaction with what is settled once, at its end: counts and the access version. */
export interface Transaction extends Writer {
  readonly counts: CountChanges;
  /** Says that this transaction changes who may do what. */
  accessChanged(): void;
  /**
   * The access version that this transaction relies on: if it changes access, and the version has
   * moved by the time it commits, it runs again.
   */
  relyOnAccess(): Promise<number>;
  /**
   * Waits until no other transaction has taken its turn and not ended: for what must not happen at
   * the same time on two replicas.
   */
  takeTurn(): Promise<void>;
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

/** A batch that runs into a deadlock with another replica is tried this often. */
const ATTEMPTS = 8;

/**
 * Lets the writes that arrive together share one transaction, so that a disk flush is paid once
 * for all of them. Each write stands or falls alone: it runs in a savepoint of its own.
 */
export class GroupCommit {
  readonly #driver: Driver;
  readonly #onCommit: (milliseconds: number, writes: number) => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(driver: Driver, onCommit: (milliseconds: number, writes: number) => void) {
    this.#driver = driver;
    this.#onCommit = onCommit;
  }

  /**
   * Resolves when the work is durable; rejects with what the work threw, and then nothing of it
   * remains.
   *
   * @example const uid = await commits.write(async (tx) => insertGroup(tx, group));
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
    // Everything that the present turn of the event loop brings is in the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      await this.#settle(batch);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#running = undefined;
  }

  async #settle(batch: Waiting[]): Promise<void> {
    const started = performance.now();
    let outcomes: Outcome[];
    try {
      outcomes = await this.#attempt(batch);
    } catch (error) {
      const failure = new WharfError(
        "UNAVAILABLE",
        "the store cannot be written",
        undefined,
        error,
      );
      for (const { reject } of batch) reject(failure);
      return;
    }
    this.#onCommit(performance.now() - started, batch.length);
    for (const [i, outcome] of outcomes.entries()) {
      if ("error" in outcome) batch[i]?.reject(outcome.error);
      else batch[i]?.resolve(outcome.value);
    }
  }

  async #attempt(batch: Waiting[]): Promise<Outcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transaction(batch, attempt > 1);
      } catch (error) {
        const again = error instanceof AccessMoved || this.#driver.isTransient(error);
        if (attempt === ATTEMPTS || !again) throw error;
      }
    }
  }

  /** Runs a batch; one that is run again takes its turn first, so that it comes through. */
  async #transaction(batch: Waiting[], inTurn: boolean): Promise<Outcome[]> {
    const { writer } = this.#driver;
    await this.#driver.begin();
    try {
      if (inTurn) await new SharedTransaction(writer).takeTurn();
      const counts = new CountChanges();
      const outcomes: Outcome[] = [];
      const reliedOn = new Set<number>();
      for (const { work } of batch) {
        const tx = new SharedTransaction(writer);
        const outcome = await this.#inSavepoint(tx, work);
        outcomes.push(outcome);
        if ("error" in outcome) continue;
        counts.add(tx.counts);
        if (tx.changesAccess) reliedOn.add(tx.reliedOn ?? ANY_VERSION);
      }
      await counts.store(writer);
      if (reliedOn.size > 0) await moveAccess(writer, reliedOn);
      await this.#driver.commit();
      return outcomes;
    } catch (error) {
      await this.#driver.rollback().catch(() => {});
      throw error;
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
      await writer.run("ROLLBACK TO SAVEPOINT work");
      await writer.run("RELEASE SAVEPOINT work");
      return { error };
    }
  }
}

/** Someone else changed access while a transaction that relied on it was under way. */
class AccessMoved extends Error {}

/** What a change of access relies on that was not made on anyone's behalf. */
const ANY_VERSION = -1;

async function moveAccess(writer: Writer, reliedOn: ReadonlySet<number>): Promise<void> {
  const sql = "UPDATE access_version SET version = version + 1 RETURNING version - 1 AS version";
  const before = (await writer.get<{ version: number }>(sql))?.version;
  for (const version of reliedOn) {
    if (version !== before && version !== ANY_VERSION) throw new AccessMoved();
  }
}

class SharedTransaction implements Transaction {
  readonly counts = new CountChanges();
  readonly dialect: Writer["dialect"];
  readonly get: Writer["get"];
  readonly all: Writer["all"];
  readonly arrays: Writer["arrays"];
  readonly run: Writer["run"];
  changesAccess = false;
  reliedOn: number | undefined;

  constructor(writer: Writer) {
    this.dialect = writer.dialect;
    this.get = writer.get.bind(writer) as Writer["get"];
    this.all = writer.all.bind(writer) as Writer["all"];
    this.arrays = writer.arrays.bind(writer) as Writer["arrays"];
    this.run = writer.run.bind(writer);
  }

  accessChanged(): void {
    this.changesAccess = true;
  }

  async relyOnAccess(): Promise<number> {
    const row = await this.get<{ version: number }>("SELECT version FROM access_version");
    this.reliedOn = row?.version ?? 0;
    return this.reliedOn;
  }

  async takeTurn(): Promise<void> {
    await this.get(`SELECT version FROM access_version ${this.dialect.lock}`);
  }
}
