import { parseStandbyUrl } from "../../../config/database-url.ts";
import type { CostlyLane, LaggingCopy, LaggingCopyObserver, Reader } from "../connection.ts";
import { checkStandby } from "./check.ts";
import { type Cluster, openCluster, type Timeouts } from "./cluster.ts";
import { reasonOf } from "./failures.ts";
import type { SessionCheck } from "./hosts.ts";
import { ReplayProgress, WAL_STATE, type WalState } from "./replay-progress.ts";
import { PostgresReader } from "./statements.ts";

/** The pause between two measurements of how far the standby is. */
const INTERVAL_MS = 500;

/** A standby that takes longer to say how far it is must not be used. */
const SILENCE_MS = 1_000;

/** Another server can answer instead, so this one gets less time than the primary: see `Timeouts`. */
const STANDBY_SILENCE_MS = 750;
const STANDBY_CONNECT_MS = 1_000;

/** A hot standby of the database, for reads that may be outdated. Whether it can be used is measured all the time. */
export class Standby implements LaggingCopy {
  readonly reader: Reader;
  readonly costly: CostlyLane;
  readonly #cluster: Cluster;
  readonly #primary: Reader;
  readonly #progress: ReplayProgress;
  readonly #observers: LaggingCopyObserver[] = [];
  #askedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Why it could not be used when it was measured last. */
  #failure: string | undefined;

  private constructor(cluster: Cluster, primary: Reader, progress: ReplayProgress) {
    this.#cluster = cluster;
    this.#primary = primary;
    this.#progress = progress;
    this.reader = new PostgresReader((sql) => cluster.readsFor(sql));
    this.costly = cluster.costly;
  }

  /** Begins to connect. A standby that cannot be reached is no error: reads of the primary replace those of it. */
  static async open(
    url: string,
    primary: Reader,
    timeouts: Partial<Timeouts>,
    applicationName: string,
  ): Promise<Standby> {
    const progress = new ReplayProgress();
    const check: SessionCheck = (connection) =>
      checkStandby(connection, (state) => progress.accept(state));
    const parsed = parseStandbyUrl(url);
    const { connectTimeoutMs: connectMs = STANDBY_CONNECT_MS } = parsed;
    const changed = { silenceMs: STANDBY_SILENCE_MS, connectMs, ...timeouts };
    const cluster = await openCluster(parsed, changed, applicationName, check);
    const standby = new Standby(cluster, primary, progress);
    void standby.#run();
    return standby;
  }

  get connections(): number {
    return this.#cluster.connections.all.size;
  }

  get stalenessMs(): number | undefined {
    const now = performance.now();
    const { currentAt } = this.#progress;
    const isSilent = this.#askedAt !== undefined && now - this.#askedAt > SILENCE_MS;
    return currentAt === undefined || isSilent ? undefined : now - currentAt;
  }

  lost(): void {
    this.#progress.lost();
  }

  observe(observer: LaggingCopyObserver): void {
    this.#observers.push(observer);
    if (this.#failure !== undefined) observer.failed(this.#failure);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#observers.length = 0;
    clearTimeout(this.#timer);
    await this.#cluster.drain();
    this.#cluster.stop();
  }

  async #run(): Promise<void> {
    await this.#measure();
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#run(), INTERVAL_MS).unref();
  }

  async #measure(): Promise<void> {
    const at = performance.now();
    try {
      this.#progress.primaryIs((await this.#primary.get(WAL_STATE)) as WalState, at);
    } catch {
      // Without a primary, nothing is read; the health of the store reports it.
      return;
    }
    this.#askedAt = performance.now();
    try {
      this.#progress.standbyIs((await this.reader.get(WAL_STATE)) as WalState);
      this.#report(undefined);
    } catch (error) {
      this.#progress.lost();
      this.#report(reasonOf((error as Error).cause ?? error));
    } finally {
      this.#askedAt = undefined;
    }
  }

  #report(failure: string | undefined): void {
    const former = this.#failure;
    this.#failure = failure;
    for (const observer of this.#observers) {
      if (failure === undefined && former !== undefined) observer.recovered();
      if (failure !== undefined && former === undefined) observer.failed(failure);
    }
  }
}
