import { WharfError } from "../../../lib/errors.ts";
import type { Driver } from "../connection.ts";
import { type StoreFailure, storeError } from "../failure.ts";
import { AccessChanged, ANY_VERSION, advanceAccessVersion } from "./advance-access.ts";
import { BatchWriter } from "./batch-writer.ts";
import { CommitOutcomeUnknown, CommitRejected, outcomeUnknown, PartialWrite } from "./errors.ts";
import type { Lock } from "./locked-rows.ts";
import { type Participant, Participations } from "./participant.ts";
import { type MutexMode, ReplicaMutex } from "./replica-mutex.ts";
import { SharedTransaction } from "./shared-transaction.ts";
import type { AtEnd, Work } from "./transaction.ts";

interface QueuedWrite {
  readonly work: Work<unknown>;
  /** Rows that the work will need. */
  readonly locks: readonly Lock[];
  readonly inBackground?: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type WorkResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * Writes that share a commit: enough to amortize the disk flush, few enough that the first does not wait
 * long and that locks are short.
 */
const BATCH_SIZE = 128;

/** Ticks of the event loop for which a batch is gathered. */
const MAX_GATHER_TICKS = 16;

/**
 * The length of a tick for each write that it brings, in milliseconds, up to which another tick is waited for: less than
 * a disk flush takes. Ticks full of reads are longer, and bring writes as well: waiting for them would delay every commit
 * for as long as reads saturate the event loop.
 */
const MAX_TICK_MS_PER_WRITE = 0.5;

/** The time that the writes of a batch keep the event loop, in milliseconds, until it answers others between two of them. */
const SLICE_MS = 0.5;

/** Attempts to commit a batch, in case of conflicts with other replicas and broken connections. */
const MAX_ATTEMPTS = 8;

/**
 * Group commit: concurrent writes share one transaction and its disk flush, but each succeeds or fails
 * alone. Most succeed, and most failures happen before the first statement that writes; only when one
 * fails later, the batch runs again with a savepoint for each write.
 */
export class GroupCommit {
  readonly #driver: Driver;
  readonly #observer: CommitObserver;
  readonly #clock: () => number;
  readonly #mutex = new ReplicaMutex();
  readonly #participants: readonly Participant[];
  #waiting: QueuedWrite[] = [];
  /** Writes that wait for a batch of others. */
  readonly #background = new Map<QueuedWrite, NodeJS.Timeout>();
  #running: Promise<void> | undefined;
  /** The flush of the last batch. The next batch runs meanwhile. */
  #flushing: Promise<void> | undefined;

  constructor(
    driver: Driver,
    participants: readonly Participant[],
    observer: CommitObserver,
    clock: () => number = () => performance.now(),
  ) {
    this.#driver = driver;
    this.#observer = observer;
    this.#clock = clock;
    this.#participants = participants;
  }

  /** Writes that no transaction has begun yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves when the work is durable; rejects with the error of the work, which is then rolled back. The rows that
   * it will need are locked with those of the whole batch; naming them saves a round trip, and changes nothing else.
   */
  write<T>(work: Work<T>, locks: readonly Lock[] = []): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, locks, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  /**
   * As write, for work in the background, which can be repeated if it is lost: it joins the next batch of other writes,
   * and begins one after a time without others. A batch of such work only is not flushed: it survives the end of this
   * process, and may be lost with the machine of the database.
   */
  writeInBackground<T>(work: Work<T>, maxDelayMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const one: QueuedWrite = {
        work,
        locks: [],
        inBackground: true,
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      const timer = setTimeout(() => {
        this.#background.delete(one);
        this.#waiting.push(one);
        this.#running ??= this.#drain();
      }, maxDelayMs);
      this.#background.set(one, timer);
    });
  }

  /** Resolves when all writes so far have finished. */
  async idle(): Promise<void> {
    await this.#running;
    await this.#flushing;
  }

  async #drain(): Promise<void> {
    await this.#gather();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_SIZE);
      for (const [one, timer] of this.#background) {
        clearTimeout(timer);
        batch.push(one);
      }
      this.#background.clear();
      await this.#settle(batch);
      await this.#gather();
    }
    this.#running = undefined;
  }

  /**
   * Waits for one tick of the event loop, and for more while each brings enough new writes: clients that were
   * answered together send their next requests one after another, and a commit for the first would make the others wait
   * for a disk flush.
   */
  async #gather(): Promise<void> {
    let began = this.#clock();
    for (let tick = 0; tick < MAX_GATHER_TICKS && this.#waiting.length < BATCH_SIZE; tick++) {
      const before = this.#waiting.length;
      await nextTick();
      const now = this.#clock();
      const added = this.#waiting.length - before;
      if (added === 0 || now - began > added * MAX_TICK_MS_PER_WRITE) return;
      began = now;
    }
  }

  async #settle(batch: QueuedWrite[]): Promise<void> {
    const started = performance.now();
    let results: WorkResult[];
    try {
      results = await this.#attempt(batch);
    } catch (error) {
      // A damaged page ends the transaction of all: each alone, only the writes that need the page fail.
      if (batch.length === 1 || this.#driver.failureOf(error) !== "damaged") {
        return this.#reject(batch, error);
      }
      for (const one of batch) await this.#settle([one]);
      return;
    }
    const isLenient = batch.every(({ inBackground }) => inBackground);
    if (isLenient || this.#driver.flush === undefined) return this.#answer(batch, results, started);
    await this.#flushing;
    this.#flushing = this.#driver.flush().then(
      () => this.#answer(batch, results, started),
      (error) => this.#reject(batch, error),
    );
  }

  #reject(batch: readonly QueuedWrite[], error: unknown): void {
    const failure = this.#unavailable(error);
    for (const { reject } of batch) reject(failure);
  }

  #answer(batch: readonly QueuedWrite[], results: readonly WorkResult[], started: number): void {
    this.#observer.committed(performance.now() - started, batch.length);
    for (const [i, result] of results.entries()) {
      if (!("error" in result)) batch[i]?.resolve(result.value);
      else if (this.#driver.failureOf(result.error) === undefined) batch[i]?.reject(result.error);
      else batch[i]?.reject(this.#unavailable(result.error));
    }
  }

  /** Reports a failure of the database, and returns the error for callers. */
  #unavailable(error: unknown): WharfError {
    if (error instanceof CommitOutcomeUnknown) {
      const cause = this.#driver.failureOf(error) ?? "unreachable";
      this.#observer.failed({ operation: "write", cause, error });
      return outcomeUnknown(error);
    }
    const cause = this.#driver.failureOf(error) ?? "other";
    const failure: StoreFailure = { operation: "write", cause, error };
    this.#observer.failed(failure);
    return storeError(failure);
  }

  async #attempt(batch: QueuedWrite[]): Promise<WorkResult[]> {
    const mode: CommitMode = { mutex: this.#mutex.next, withLock: false, inSavepoints: false };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transaction(batch, mode);
      } catch (error) {
        if (error instanceof PartialWrite) mode.inSavepoints = true;
        else if (error instanceof AccessChanged || this.#driver.isTransient(error)) {
          this.#mutex.conflicted();
          mode.mutex = "exclusive";
          mode.withLock = true;
        } else if (!(error instanceof CommitRejected)) throw error;
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #transaction(batch: QueuedWrite[], mode: CommitMode): Promise<WorkResult[]> {
    const writer = new BatchWriter(this.#driver, mode.inSavepoints);
    const parts = new Participations(this.#participants);
    const { changes } = parts;
    let isCommitting = false;
    try {
      const lenient = batch.every(({ inBackground }) => inBackground);
      await this.#driver.begin(mode.mutex, () => openBatch(writer, batch), lenient);
      if (!lenient) await this.#admitLateWriters(batch, writer, mode.mutex);
      if (mode.withLock) await new SharedTransaction(writer, changes).acquireLock();
      const results: WorkResult[] = [];
      const reliedOn = new Set<number>();
      let isOnlyGrants = true;
      const atEnd: { readonly result: number; readonly work: AtEnd }[] = [];
      let began = this.#clock();
      for (const { work } of batch) {
        if (this.#clock() - began >= SLICE_MS) {
          await nextTick();
          if (!lenient && !this.#driver.pipelines)
            await this.#admitLateWriters(batch, writer, mode.mutex);
          began = this.#clock();
        }
        const tx = new SharedTransaction(writer, changes);
        const result = await (mode.inSavepoints
          ? this.#inSavepoint(tx, work, writer, parts)
          : this.#run(tx, work));
        results.push(result);
        if ("error" in result) continue;
        changes.add(tx.collected);
        atEnd.push(...tx.last.map((work) => ({ result: results.length - 1, work })));
        if (tx.changesAccess) reliedOn.add(tx.reliedOn ?? ANY_VERSION);
        if (tx.changesOtherAccess) isOnlyGrants = false;
      }
      if (reliedOn.size > 0) {
        const version = await advanceAccessVersion(writer, reliedOn);
        await parts.write("access", writer, changes, { version, isOnlyGrants });
      }
      if (!mode.inSavepoints) await this.#failBatchOnError(parts.write("rows", writer, changes));
      await parts.write("sums", writer, changes);
      for (const { result, work } of atEnd) {
        if (!mode.inSavepoints) await this.#failBatchOnError(work(writer));
        else {
          const ended = await this.#savepoint(() => work(writer));
          if ("error" in ended) results[result] = ended;
        }
      }
      isCommitting = true;
      await writer.commit();
      parts.committed();
      return results;
    } catch (error) {
      const isRolledBack = error instanceof CommitRejected || error instanceof PartialWrite;
      parts.aborted(isCommitting && !isRolledBack);
      await this.#driver.rollback().catch(() => {});
      throw error;
    }
  }

  /**
   * Writes that arrived while the batch waited for the mutex join it: other replicas wait once for all of them. While
   * others run, only those join that need no new locks: the order of locks would no longer be the same everywhere.
   * SQLite has one writer at a time, and no locks of rows.
   */
  async #admitLateWriters(
    batch: QueuedWrite[],
    writer: BatchWriter,
    mutex: MutexMode,
  ): Promise<void> {
    const isAlone = mutex === "exclusive" || this.#driver.dialect.lockTexts === "";
    const joins = ({ locks }: QueuedWrite) => isAlone || writer.locked.covers(locks);
    const room = Math.max(0, BATCH_SIZE - batch.length);
    const joined = this.#waiting.filter(joins).slice(0, room);
    if (joined.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !joined.includes(one));
    batch.push(...joined);
    await lockRows(writer, joined);
  }

  async #run(tx: SharedTransaction, work: Work<unknown>): Promise<WorkResult> {
    try {
      return { value: await work(tx) };
    } catch (error) {
      if (this.#driver.isTransient(error)) throw error;
      // An error of the database aborts the transaction, even after reads only.
      if (tx.needsRollback || !(error instanceof WharfError)) throw new PartialWrite();
      return { error };
    }
  }

  /** Runs a part of the whole batch: if it fails, each work runs it alone, in its savepoint. */
  async #failBatchOnError(part: Promise<void>): Promise<void> {
    try {
      await part;
    } catch (error) {
      throw this.#driver.isTransient(error) ? error : new PartialWrite();
    }
  }

  #inSavepoint(
    tx: SharedTransaction,
    work: Work<unknown>,
    writer: BatchWriter,
    parts: Participations,
  ): Promise<WorkResult> {
    return this.#savepoint(async () => {
      const value = await work(tx);
      await parts.write("rows", writer, tx.collected);
      return value;
    });
  }

  async #savepoint(run: () => Promise<unknown>): Promise<WorkResult> {
    const { writer } = this.#driver;
    await writer.run("SAVEPOINT work");
    try {
      const value = await run();
      await writer.run("RELEASE SAVEPOINT work");
      return { value };
    } catch (error) {
      if (this.#driver.isTransient(error)) throw error;
      try {
        await writer.run("ROLLBACK TO SAVEPOINT work");
        await writer.run("RELEASE SAVEPOINT work");
      } catch {
        // On a full disk, SQLite rolls back the whole transaction: the first error is the reason.
        throw error;
      }
      return { error };
    }
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Is notified of commits, with the number of their writes, and of failures of the database. */
export interface CommitObserver {
  committed(milliseconds: number, writes: number): void;
  failed(failure: StoreFailure): void;
}

/** Mode of a batch: careful only after the fast mode has failed. */
interface CommitMode {
  mutex: MutexMode;
  /** Acquires the lock first: replicas of earlier versions do not use the mutex. */
  withLock: boolean;
  /** Each write in a savepoint of its own. */
  inSavepoints: boolean;
}

/** Locks the rows that works have named, and reads the access version that they rely on. */
async function openBatch(writer: BatchWriter, batch: readonly QueuedWrite[]): Promise<void> {
  const locking = lockRows(writer, batch);
  // If the locks fail, so does the access version: their error is the reason.
  await Promise.allSettled([locking, writer.prepareAccessVersion()]);
  await locking;
}

/** Locks the rows that works have named. */
function lockRows(writer: BatchWriter, works: readonly QueuedWrite[]): Promise<void> {
  return writer.lock(works.flatMap(({ locks }) => locks));
}
