import { aborted, WharfError } from "../../lib/errors.ts";
import { type MaybePromise, whenReady } from "../../lib/maybe-promise.ts";
import type { ShareHolder } from "../../lib/scheduling/share.ts";
import { VERSION } from "../../lib/version.ts";
import { participantsOf } from "../participants.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import { type MigrationOptions, migrate } from "../schema/migrate.ts";
import { Schema } from "../schema/schema.ts";
import { SQL_FILES } from "../schema/sql-files.ts";
import { rebaseLog } from "../tables/events/event-log.ts";
import { type CommitObserver, GroupCommit } from "./commit/group-commit.ts";
import type { Lock } from "./commit/locked-rows.ts";
import type { Participant } from "./commit/participant.ts";
import type { Work } from "./commit/transaction.ts";
import type { Dialect, Driver, Reader } from "./connection.ts";
import type { StoreFailure } from "./failure.ts";
import { StoreHealth } from "./health.ts";
import { probe } from "./probe.ts";
import { type CostlyLimits, CostlyReads, type ReadOrigin } from "./read/costly-reads.ts";
import { observedReads } from "./read/observed-reader.ts";
import { RequestReader } from "./read/request-reader.ts";

/** Durations of commits, for the metrics. */
export interface StoreTimings {
  committed(milliseconds: number, writes: number): void;
}

/** Open connections and queued work. */
export interface StoreLoad {
  readonly writesWaiting: number;
  /** To PostgreSQL. */
  readonly connections: number;
  /** For one of these. */
  readonly readsWaiting: number;
}

/** Options to open a store. */
export interface StoreOptions extends MigrationOptions {
  /** The interval of checks of its health, for tests. */
  readonly checkMs?: number;
  /** Limits of costly reads, for tests. */
  readonly costly?: Partial<CostlyLimits>;
  /** Measures ticks of the event loop, for tests. */
  readonly clock?: () => number;
  /** SQL files of a version to come, for tests of upgrades. */
  readonly laterSteps?: Readonly<Record<string, string>>;
  /** The tables that take part in every commit, for tests, and for measurements without some. */
  readonly participants?: readonly Participant[];
}

const ACCESS_VERSION = "SELECT version FROM access_version";

/** The schema of this version. */
export function schemaOf(
  tables: readonly ResourceTable[],
  dialect: Dialect,
  laterSteps: Readonly<Record<string, string>> = {},
): Schema {
  const files = { ...SQL_FILES, ...laterSteps };
  return new Schema({ version: VERSION, files, tables: tables.map(({ shape }) => shape) }, dialect);
}

/** A request whose client may give up, or only try. Its caller, if it has one, is charged with what it writes. */
export interface Abandonable extends Partial<ShareHolder> {
  /** The error of a request that nobody waits for any more. */
  readonly abandoned?: WharfError | undefined;
  /** Whether what the request writes is rolled back. */
  readonly isDryRun?: boolean;
}

/**
 * The data store. Reads see what is committed; a write resolves when it is durable. The store has all SQL;
 * it imports `lib/`, the settings and the contract.
 */
export class Store {
  readonly reader: Reader;
  readonly health: StoreHealth;
  readonly costlyReads: CostlyReads;
  /** Gets every write, for traces. */
  onWrite: ((written: Promise<unknown>) => void) | undefined;
  /** Gets the time for which the writes of callers have kept the event loop, in milliseconds. */
  onWork: ((holder: ShareHolder, ms: number) => void) | undefined;
  readonly #driver: Driver;
  readonly #reads: ReturnType<typeof observedReads>;
  readonly #commits: GroupCommit;
  readonly #commitListeners: (() => void)[] = [];

  private constructor(
    driver: Driver,
    timings: StoreTimings,
    { checkMs, clock, costly, participants = participantsOf() }: StoreOptions,
  ) {
    this.#driver = driver;
    const health = new StoreHealth(
      {
        read: async () => {
          await this.accessVersion();
          await driver.check?.();
        },
        write: () => probe(this),
        failureOf: (error) => driver.failureOf(error instanceof WharfError ? error.cause : error),
      },
      checkMs,
    );
    this.health = health;
    const failed = (failure: StoreFailure) => health.failed(failure);
    this.#reads = observedReads(driver, failed);
    this.reader = this.#reads.reader;
    this.costlyReads = new CostlyReads(this.#reads.costly, costly);
    const listeners = this.#commitListeners;
    const observer: CommitObserver = {
      committed(ms, writes) {
        timings.committed(ms, writes);
        health.committed();
        for (const listener of listeners) listener();
      },
      failed,
    };
    this.#commits = new GroupCommit(driver, participants, observer, clock);
  }

  /** Open connections and queued work. */
  get load(): StoreLoad {
    const { connections = 0, readsWaiting = 0 } = this.#driver.load ?? {};
    return { writesWaiting: this.#commits.waiting, connections, readsWaiting };
  }

  /** Whether each read is a round trip to another process. */
  get isRemote(): boolean {
    return this.#driver.pipelines;
  }

  /** Opens the store and migrates its tables. */
  static async open(
    driver: Driver,
    tables: readonly ResourceTable[],
    timings: StoreTimings,
    options: StoreOptions = {},
  ): Promise<Store> {
    try {
      await migrate(driver, schemaOf(tables, driver.dialect, options.laterSteps), options);
      await rebaseLog(driver);
    } catch (error) {
      await driver.close();
      throw error;
    }
    return new Store(driver, timings, options);
  }

  /**
   * Runs work in a transaction that it may share with others; resolves when it is durable. Naming the rows that it
   * will lock saves round trips.
   */
  write<T>(work: Work<T>, locks: readonly Lock[] = []): Promise<T> {
    const written = this.#commits.write(work, locks);
    this.health.writing(written);
    this.onWrite?.(written);
    return written;
  }

  /**
   * As write, for work in the background that can be repeated: it joins the next commit of others, or commits alone after
   * a time. Then it survives the end of this process, but perhaps not that of the machine.
   */
  writeInBackground<T>(work: Work<T>, maxDelayMs: number): Promise<T> {
    const written = this.#commits.writeInBackground(work, maxDelayMs);
    this.health.writing(written);
    return written;
  }

  /**
   * Runs work for a request, unless the request is abandoned before the work begins: its client has given up, or has
   * sent it again. Work that has begun runs to its end. That of a dry run is rolled back.
   */
  writeFor<T>(request: Abandonable, work: Work<T>, locks: readonly Lock[] = []): Promise<T> {
    const begun: Work<T> = (tx) => {
      const { abandoned, caller, remoteAddress = "" } = request;
      if (abandoned !== undefined) throw abandoned;
      // A remote database does the work elsewhere.
      if (caller === undefined || this.isRemote) return work(tx);
      const began = performance.now();
      return work(tx).finally(() => {
        this.onWork?.({ caller, remoteAddress }, performance.now() - began);
      });
    };
    return request.isDryRun ? this.#try(begun, locks) : this.write(begun, locks);
  }

  /** Runs work and rolls it back. */
  async #try<T>(work: Work<T>, locks: readonly Lock[]): Promise<T> {
    const rolledBack = aborted("rolled back");
    let done: { readonly result: T } | undefined;
    try {
      await this.write(async (tx) => {
        done = { result: await work(tx) };
        throw rolledBack;
      }, locks);
    } catch (thrown) {
      if (thrown !== rolledBack || done === undefined) throw thrown;
      return done.result;
    }
    throw new Error("a dry run was committed");
  }

  /** A reader for a request, with which its costly statements end. */
  readerFor(origin: ReadOrigin): Reader {
    return new RequestReader(this.reader, this.costlyReads, origin);
  }

  /** Calls a listener after each commit of this process. It must return at once. */
  onCommit(listener: () => void): void {
    this.#commitListeners.push(listener);
  }

  /** The access version, which grows with every change of access. Never older than the call. */
  accessVersion(): MaybePromise<number> {
    const rows = this.#reads.readShared<readonly [version: number]>(ACCESS_VERSION);
    return whenReady(rows, ([row]) => row?.[0] ?? 0);
  }

  /** Removes from the database's files what was deleted from these small tables. */
  scrub(tables: readonly string[]): Promise<void> {
    return this.#driver.scrub(tables);
  }

  async close(): Promise<void> {
    this.health.stop();
    await this.#commits.idle();
    await this.#driver.close();
  }
}
