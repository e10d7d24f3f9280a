import { WharfError } from "../../../lib/errors.ts";
import type { Driver } from "../connection.ts";
import { type StoreFailure, storeError } from "../failure.ts";
import { AccessChanged, ANY_VERSION, advanceAccessVersion } from "./advance-access.ts";
import { BatchWriter } from "./batch-writer.ts";
import { CommitOutcomeUnknown, HalfWritten, NotCommitted, outcomeUnknown } from "./errors.ts";
import type { Lock } from "./held-rows.ts";
import { type Participant, Participations } from "./participant.ts";
import { SharedTransaction } from "./shared-transaction.ts";
import type { AtEnd, Work } from "./transaction.ts";
import { type Turn, Turns } from "./turns.ts";

interface Waiting {
  readonly work: Work<unknown>;
  /** Rows that the work will need. */
  readonly locks: readonly Lock[];
  readonly inBackground?: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

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
  readonly #turns = new Turns();
  readonly #participants: readonly Participant[];
  #waiting: Waiting[] = [];
  /** Writes that wait for a batch of others. */
  readonly #background = new Map<Waiting, NodeJS.Timeout>();
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
      const one: Waiting = {
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
   * Waits for one tick of the event loop, and for more while each brings enough further writes: clients that were
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

  async #settle(batch: Waiting[]): Promise<void> {
    const started = performance.now();
    let outcomes: Outcome[];
    try {
      outcomes = await this.#attempt(batch);
    } catch (error) {
      this.#reject(batch, error);
      return;
    }
    const isLenient = batch.every(({ inBackground }) => inBackground);
    if (isLenient || this.#driver.flush === undefined)
      return this.#answer(batch, outcomes, started);
    await this.#flushing;
    this.#flushing = this.#driver.flush().then(
      () => this.#answer(batch, outcomes, started),
      (error) => this.#reject(batch, error),
    );
  }

  #reject(batch: readonly Waiting[], error: unknown): void {
    const failure = this.#unavailable(error);
    for (const { reject } of batch) reject(failure);
  }

  #answer(batch: readonly Waiting[], outcomes: readonly Outcome[], started: number): void {
    this.#observer.committed(performance.now() - started, batch.length);
    for (const [i, outcome] of outcomes.entries()) {
      if (!("error" in outcome)) batch[i]?.resolve(outcome.value);
      else if (this.#driver.failureOf(outcome.error) === undefined) batch[i]?.reject(outcome.error);
      else batch[i]?.reject(this.#unavailable(outcome.error));
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

  async #attempt(batch: Waiting[]): Promise<Outcome[]> {
    const mode: CommitMode = { turn: this.#turns.next, withLock: false, inSavepoints: false };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transaction(batch, mode);
      } catch (error) {
        if (error instanceof HalfWritten) mode.inSavepoints = true;
        else if (error instanceof AccessChanged || this.#driver.isTransient(error)) {
          this.#turns.conflicted();
          mode.turn = "alone";
          mode.withLock = true;
        } else if (!(error instanceof NotCommitted)) throw error;
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #transaction(batch: Waiting[], mode: CommitMode): Promise<Outcome[]> {
    const writer = new BatchWriter(this.#driver, mode.inSavepoints);
    const parts = new Participations(this.#participants);
    const { changes } = parts;
    let isCommitting = false;
    try {
      const lenient = batch.every(({ inBackground }) => inBackground);
      await this.#driver.begin(mode.turn, () => first(writer, batch), lenient);
      if (!lenient) await this.#join(batch, writer, mode.turn);
      if (mode.withLock) await new SharedTransaction(writer, changes).acquireLock();
      const outcomes: Outcome[] = [];
      const reliedOn = new Set<number>();
      let isOnlyGrants = true;
      const atEnd: { readonly outcome: number; readonly work: AtEnd }[] = [];
      let began = this.#clock();
      for (const { work } of batch) {
        if (this.#clock() - began >= SLICE_MS) {
          await nextTick();
          if (!lenient && !this.#driver.pipelines) await this.#join(batch, writer, mode.turn);
          began = this.#clock();
        }
        const tx = new SharedTransaction(writer, changes);
        const outcome = await (mode.inSavepoints
          ? this.#inSavepoint(tx, work, writer, parts)
          : this.#run(tx, work));
        outcomes.push(outcome);
        if ("error" in outcome) continue;
        changes.add(tx.collected);
        atEnd.push(...tx.last.map((work) => ({ outcome: outcomes.length - 1, work })));
        if (tx.changesAccess) reliedOn.add(tx.reliedOn ?? ANY_VERSION);
        if (tx.changesOtherAccess) isOnlyGrants = false;
      }
      if (reliedOn.size > 0) {
        const version = await advanceAccessVersion(writer, reliedOn);
        await parts.write("access", writer, changes, { version, isOnlyGrants });
      }
      if (!mode.inSavepoints) await this.#together(parts.write("rows", writer, changes));
      await parts.write("sums", writer, changes);
      for (const { outcome, work } of atEnd) {
        if (!mode.inSavepoints) await this.#together(work(writer));
        else {
          const ended = await this.#savepoint(() => work(writer));
          if ("error" in ended) outcomes[outcome] = ended;
        }
      }
      isCommitting = true;
      await writer.commit();
      parts.committed();
      return outcomes;
    } catch (error) {
      const isRolledBack = error instanceof NotCommitted || error instanceof HalfWritten;
      parts.aborted(isCommitting && !isRolledBack);
      await this.#driver.rollback().catch(() => {});
      throw error;
    }
  }

  /**
   * Writes that arrived while the batch waited for its turn join it: other replicas wait once for all of them. While
   * others run, only those join that need no further locks: the order of locks would no longer be the same everywhere.
   * SQLite has one writer at a time, and no locks of rows.
   */
  async #join(batch: Waiting[], writer: BatchWriter, turn: Turn): Promise<void> {
    const isAlone = turn === "alone" || this.#driver.dialect.lockTexts === "";
    const joins = ({ locks }: Waiting) => isAlone || writer.held.covers(locks);
    const room = Math.max(0, BATCH_SIZE - batch.length);
    const joined = this.#waiting.filter(joins).slice(0, room);
    if (joined.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !joined.includes(one));
    batch.push(...joined);
    await hold(writer, joined);
  }

  async #run(tx: SharedTransaction, work: Work<unknown>): Promise<Outcome> {
    try {
      return { value: await work(tx) };
    } catch (error) {
      if (this.#driver.isTransient(error)) throw error;
      // An error of the database aborts the transaction, even after reads only.
      if (tx.mustUndo || !(error instanceof WharfError)) throw new HalfWritten();
      return { error };
    }
  }

  /** Runs a part of the whole batch: if it fails, each work runs it alone, in its savepoint. */
  async #together(part: Promise<void>): Promise<void> {
    try {
      await part;
    } catch (error) {
      throw this.#driver.isTransient(error) ? error : new HalfWritten();
    }
  }

  #inSavepoint(
    tx: SharedTransaction,
    work: Work<unknown>,
    writer: BatchWriter,
    parts: Participations,
  ): Promise<Outcome> {
    return this.#savepoint(async () => {
      const value = await work(tx);
      await parts.write("rows", writer, tx.collected);
      return value;
    });
  }

  async #savepoint(run: () => Promise<unknown>): Promise<Outcome> {
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

/** How a batch runs: carefully only after the fast way has failed. */
interface CommitMode {
  turn: Turn;
  /** Acquires the lock first: replicas of earlier versions take no turns. */
  withLock: boolean;
  /** Each write in a savepoint of its own. */
  inSavepoints: boolean;
}

/** Locks the rows that works have named, and reads the access version that they rely on. */
async function first(writer: BatchWriter, batch: readonly Waiting[]): Promise<void> {
  const held = hold(writer, batch);
  // Where the locks fail, this fails because of them.
  await Promise.allSettled([held, writer.prepareAccessVersion()]);
  await held;
}

/** Locks the rows that works have named. */
function hold(writer: BatchWriter, works: readonly Waiting[]): Promise<void> {
  return writer.hold(works.flatMap(({ locks }) => locks));
}
