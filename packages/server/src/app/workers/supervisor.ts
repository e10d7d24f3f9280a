import type { Server, Socket } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../../config/settings.ts";
import { LocalRateLimits } from "../../lib/scheduling/rate-limits.ts";
import type { FirstRun } from "../../login/local/setup.ts";
import { type Log, openLog, stderrOutput } from "../../observe/logger.ts";
import { listenForScrapes, type MetricsListener } from "../../observe/metrics-listener.ts";
import { lockDataDirectory } from "../../store/db/open.ts";
import type { ServerLock } from "../../store/db/sqlite/server-lock.ts";
import { urlOf } from "../../wire/port/port.ts";
import { DRAIN_MS, type RunningServer } from "../running-server.ts";
import { Dispatcher } from "./dispatcher.ts";
import { type Listening, listenFor } from "./listener.ts";
import type { FromWorker } from "./messages.ts";
import { Scrapes } from "./scrapes.ts";
import { shareOf } from "./settings-share.ts";
import { WorkerPool } from "./worker-pool.ts";
import type { WorkerProcess, WorkerProgram } from "./worker-process.ts";
import { WriterMutexes } from "./writer-mutexes.ts";

/** Time for workers to end, beyond that for requests in progress. */
const STOP_MARGIN_MS = 10_000;

/** The interval in which a stop looks whether workers are done. */
const CHECK_MS = 10;

/**
 * A server of several processes. The supervisor holds the lock of the data directory, listens, passes connections to
 * workers, lets them write in turn, counts rate limits for all of them, and replaces those that end. It serves nothing itself, so that it does not fail.
 */
export class Supervisor implements RunningServer {
  readonly url: string;
  firstRun: FirstRun | undefined;
  readonly #logs: Log;
  readonly #lock: ServerLock | undefined;
  readonly #server: Server;
  readonly #dispatcher: Dispatcher;
  readonly #mutexes = new WriterMutexes();
  readonly #limits = new LocalRateLimits();
  readonly #scrapes: Scrapes;
  readonly #pool: WorkerPool;
  readonly #delay = new AbortController();
  #stopped: Promise<void> | undefined;
  #metrics: MetricsListener | undefined;

  private constructor(
    settings: Settings,
    program: WorkerProgram,
    lock: ServerLock | undefined,
    dispatcher: Dispatcher,
    { server, address }: Listening,
  ) {
    this.#lock = lock;
    this.#dispatcher = dispatcher;
    this.#server = server;
    this.url = urlOf(address, settings.tlsCert !== "");
    let dropped = 0;
    const count = (_name: string, _labels: object, lines = 1) => (dropped += lines);
    const output = stderrOutput({ count }, settings.logFormat);
    this.#logs = openLog(settings.logLevel, output);
    this.#scrapes = new Scrapes(() => droppedLines(dropped));
    const { log } = this.#logs;
    this.#pool = new WorkerPool(program, { settings: shareOf(settings), address }, log, {
      started: (worker) => this.#mutexes.serve(worker.mutexPipe),
      ready: (worker) => this.#ready(worker),
      silent: (worker) => this.#silent(worker),
      message: (worker, message) => this.#received(worker, message),
      logged: (lines) => output.write(lines),
      ended: (worker) => this.#ended(worker),
    });
    server.on("error", (error) => log.error({ err: error }, "connection not accepted"));
    // However this process ends, it leaves none behind.
    process.on("exit", () => this.#pool.killAll());
  }

  /** Resolves when all workers are ready; rejects if the first one cannot start. */
  static async start(settings: Settings, program: WorkerProgram): Promise<Supervisor> {
    const lock = lockDataDirectory(settings);
    const dispatcher = new Dispatcher(settings.maxConnections);
    const accept = (socket: Socket) => dispatcher.dispatch(socket);
    const listening = await listenFor(settings, accept).catch((error) => {
      lock?.withdraw();
      throw error;
    });
    const supervisor = new Supervisor(settings, program, lock, dispatcher, listening);
    try {
      supervisor.firstRun = await supervisor.#pool.start();
      if (settings.metricsListen) await supervisor.#serveMetrics(settings.metricsListen);
      return supervisor;
    } catch (error) {
      listening.server.close();
      lock?.withdraw();
      throw error;
    }
  }

  /**
   * Fails readiness at once and serves for `delayMs` more. Then stops listening, and ends the workers once they have
   * received all connections and answered their requests.
   */
  stop(delayMs = 0): Promise<void> {
    if (delayMs === 0) this.#delay.abort();
    this.#stopped ??= this.#shutDown(delayMs);
    return this.#stopped;
  }

  reload(): void {
    this.#pool.broadcast({ kind: "reload" });
  }

  async #shutDown(delayMs: number): Promise<void> {
    this.#pool.broadcast({ kind: "drain" });
    await sleep(delayMs, undefined, this.#delay).catch(() => {});
    // Accepts the backlog of the kernel: closing would reset it.
    await nextTick();
    this.#server.close();
    await this.#until(() => this.#pool.all.every((worker) => worker.hasReceivedAll), DRAIN_MS);
    this.#pool.stopReplacing();
    this.#pool.broadcast({ kind: "stop" });
    await this.#until(() => this.#pool.all.length === 0, DRAIN_MS + STOP_MARGIN_MS);
    this.#pool.killAll();
    await this.#metrics?.close();
    this.#lock?.release();
    this.#logs.flush();
  }

  async #until(isDone: () => boolean, maxMs: number): Promise<void> {
    const deadline = performance.now() + maxMs;
    while (!isDone() && performance.now() < deadline) await sleep(CHECK_MS);
  }

  async #serveMetrics(address: NonNullable<Settings["metricsListen"]>): Promise<void> {
    this.#metrics = await listenForScrapes(address, async () => ({
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      body: await this.#scrapes.scrape(this.#readyWorkers),
    }));
    this.#logs.log.info({ metrics: this.#metrics.url }, "serving metrics");
  }

  get #readyWorkers(): WorkerProcess[] {
    return this.#pool.all.filter(({ isReady }) => isReady);
  }

  #ready(worker: WorkerProcess): void {
    if (this.#stopped !== undefined) worker.send({ kind: "drain" });
    this.#dispatcher.add(worker);
  }

  /** A worker that hangs holds up neither new connections nor the writes of others. */
  #silent(worker: WorkerProcess): void {
    this.#dispatcher.remove(worker);
    for (const socket of worker.takeBackUnsent()) this.#dispatcher.dispatch(socket);
    this.#mutexes.passOn(worker.mutexPipe);
  }

  #ended(worker: WorkerProcess): void {
    this.#dispatcher.remove(worker);
    for (const socket of worker.takeBack()) this.#dispatcher.dispatch(socket);
    this.#scrapes.ended(worker.number);
  }

  #received(worker: WorkerProcess, message: FromWorker): void {
    if (message.kind === "take")
      worker.send({ kind: "taken", id: message.id, waitMs: this.#limits.takeNow(message.uses) });
    else if (message.kind === "scrape") void this.#scrape(worker, message.id);
    else if (message.kind === "reported")
      this.#scrapes.reported(worker.number, message.id, message.text);
  }

  async #scrape(asking: WorkerProcess, id: number): Promise<void> {
    asking.send({ kind: "scraped", id, text: await this.#scrapes.scrape(this.#readyWorkers) });
  }
}

/** The metric of lines that the supervisor could not write. */
function droppedLines(lines: number): string {
  const name = "wharf_log_lines_dropped_total";
  return `# TYPE ${name} counter\n${name} ${lines}\n`;
}
