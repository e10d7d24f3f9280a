import type { AddressInfo, Server, Socket } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../../config/settings.ts";
import type { FirstRun } from "../../login/local/setup.ts";
import { type Log, openLog, stderrOutput } from "../../observe/logger.ts";
import type { NotReady } from "../../observe/readiness.ts";
import { lockDataDirectory } from "../../store/db/open.ts";
import type { ServerLock } from "../../store/db/sqlite/server-lock.ts";
import { urlOf } from "../../wire/port.ts";
import { DRAIN_MS, type RunningServer } from "../running-server.ts";
import { Dispatcher } from "./dispatcher.ts";
import { listenFor } from "./listener.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { Scrapes } from "./scrapes.ts";
import { shareOf } from "./settings-share.ts";
import { WorkerProcess, type WorkerProgram } from "./worker-process.ts";
import { WriteTurns } from "./write-turns.ts";

/** The pause before a worker is replaced, which doubles while replacements end, too. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** A worker that has served for this long has not failed at its start. */
const STABLE_MS = 30_000;

/** What workers may take to end, beyond the time for requests in progress. */
const STOP_MARGIN_MS = 10_000;

/** A first worker that could not start. It has reported why; the supervisor exits with its code. */
export class WorkerStartError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("the first worker did not start");
    this.exitCode = exitCode;
  }
}

interface Place {
  readonly number: number;
  process: WorkerProcess | undefined;
  pauseMs: number;
  problem: NotReady | undefined;
  /** Resolves when the first process of this place is ready; rejects when it ends before. */
  readonly first: PromiseWithResolvers<FirstRun | undefined>;
}

/**
 * A server of several processes. The supervisor holds the lock of the data directory, listens, passes connections to
 * workers, lets them write in turn, and replaces those that end. It serves nothing itself, so that it does not fail.
 */
export class Supervisor implements RunningServer {
  readonly url: string;
  firstRun: FirstRun | undefined;
  readonly #settings: Settings;
  readonly #program: WorkerProgram;
  readonly #logs: Log;
  readonly #lock: ServerLock | undefined;
  readonly #server: Server;
  readonly #address: AddressInfo;
  readonly #dispatcher: Dispatcher;
  readonly #turns = new WriteTurns();
  readonly #scrapes: Scrapes;
  readonly #places: Place[];
  readonly #delay = new AbortController();
  #stopped: Promise<void> | undefined;
  /** Whether the first worker was ready once. */
  #isServing = false;
  #write: (lines: string) => void;

  private constructor(
    settings: Settings,
    program: WorkerProgram,
    lock: ServerLock | undefined,
    dispatcher: Dispatcher,
    { server, address }: { server: Server; address: AddressInfo },
  ) {
    this.#settings = settings;
    this.#program = program;
    this.#lock = lock;
    this.#dispatcher = dispatcher;
    this.#server = server;
    this.#address = address;
    this.url = urlOf(address, settings.tlsCert !== "");
    let dropped = 0;
    const output = stderrOutput({ count: (_name, _labels, lines = 1) => (dropped += lines) });
    this.#write = (lines) => output.write(lines);
    this.#logs = openLog(settings.logLevel, output);
    this.#scrapes = new Scrapes(
      () =>
        `# TYPE wharf_log_lines_dropped_total counter\nwharf_log_lines_dropped_total ${dropped}\n`,
    );
    this.#places = Array.from({ length: settings.workers }, (_, at) => ({
      number: at + 1,
      process: undefined,
      pauseMs: MIN_PAUSE_MS,
      problem: undefined,
      first: Promise.withResolvers(),
    }));
    // Nobody waits for the start of a replacement.
    for (const { first } of this.#places) first.promise.catch(() => {});
    server.on("error", (error) => this.#logs.log.error({ err: error }, "connection not accepted"));
    // However this process ends, it leaves none behind.
    process.on("exit", () => {
      for (const { process } of this.#places) process?.kill();
    });
  }

  /** Starts the first worker, which creates or upgrades the store, then the others. */
  static async start(settings: Settings, program: WorkerProgram): Promise<Supervisor> {
    const lock = lockDataDirectory(settings);
    const dispatcher = new Dispatcher(settings.maxConnections);
    const accept = (socket: Socket) => dispatcher.dispatch(socket);
    const listening = await listenFor(settings, accept).catch((error) => {
      lock?.release();
      throw error;
    });
    const supervisor = new Supervisor(settings, program, lock, dispatcher, listening);
    try {
      await supervisor.#startAll();
      return supervisor;
    } catch (error) {
      listening.server.close();
      lock?.release();
      throw error;
    }
  }

  async #startAll(): Promise<void> {
    const [first, ...others] = this.#places as [Place, ...Place[]];
    this.#startWorker(first, false);
    this.firstRun = await first.first.promise;
    this.#isServing = true;
    for (const place of others) this.#startWorker(place, false);
    // One that fails now is replaced later: the server can serve without it.
    await Promise.allSettled(others.map(({ first }) => first.promise));
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

  async #shutDown(delayMs: number): Promise<void> {
    this.#broadcast({ kind: "drain" });
    await sleep(delayMs, undefined, this.#delay).catch(() => {});
    // What the kernel has accepted so far: closing would reset it.
    await nextTick();
    this.#server.close();
    const deadline = performance.now() + DRAIN_MS;
    while (
      this.#processes().some((worker) => !worker.hasReceivedAll) &&
      performance.now() < deadline
    )
      await sleep(5);
    this.#broadcast({ kind: "stop" });
    const cutOff = performance.now() + DRAIN_MS + STOP_MARGIN_MS;
    while (this.#processes().length > 0 && performance.now() < cutOff) await sleep(10);
    for (const worker of this.#processes()) worker.kill();
    this.#lock?.release();
    this.#logs.flush();
  }

  #processes(): WorkerProcess[] {
    return this.#places.flatMap(({ process }) => process ?? []);
  }

  #broadcast(message: ToWorker, except?: WorkerProcess): void {
    for (const worker of this.#processes()) if (worker !== except) worker.send(message);
  }

  #startWorker(place: Place, isReplacement: boolean): void {
    const start: WorkerStart = {
      worker: place.number,
      settings: shareOf(this.#settings),
      address: this.#address,
      isReplacement,
    };
    try {
      const worker = new WorkerProcess(this.#program, start, {
        message: (from, message) => this.#received(place, from, message),
        logged: (lines) => this.#write(lines),
        ended: (ended, code, signal) => this.#ended(place, ended, code, signal),
      });
      place.process = worker;
      this.#turns.serve(worker.turns);
    } catch (error) {
      // Such as for lack of file descriptors or memory.
      this.#logs.log.error({ worker: place.number, err: error }, "worker not started");
      place.first.reject(error);
      this.#replaceSoon(place);
    }
  }

  #received(place: Place, worker: WorkerProcess, message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        worker.isReady = true;
        this.#logs.log.info({ worker: place.number, pid: worker.pid }, "worker ready");
        this.#shareProblems();
        if (this.#stopped !== undefined) worker.send({ kind: "drain" });
        this.#dispatcher.add(worker);
        place.first.resolve(message.firstRun);
        return;
      case "counted":
        this.#broadcast(message, worker);
        return;
      case "problem":
        place.problem = message.problem;
        this.#shareProblems();
        return;
      case "scrape":
        void this.#scrape(worker, message.id);
        return;
      case "reported":
        this.#scrapes.reported(worker.number, message.id, message.text);
        return;
    }
  }

  async #scrape(asking: WorkerProcess, id: number): Promise<void> {
    const ready = this.#processes().filter(({ isReady }) => isReady);
    asking.send({ kind: "scraped", id, text: await this.#scrapes.scrape(ready) });
  }

  /** Every worker answers for all: a client learns the same wherever its connection leads. */
  #shareProblems(): void {
    for (const place of this.#places) {
      const others = this.#places.filter((other) => other !== place);
      const problem = others.find((other) => other.problem !== undefined)?.problem;
      place.process?.send({ kind: "elsewhere", problem });
    }
  }

  #ended(
    place: Place,
    worker: WorkerProcess,
    code: number | null,
    signal: NodeJS.Signals | null,
  ): void {
    place.process = undefined;
    place.problem = undefined;
    this.#dispatcher.remove(worker);
    for (const socket of worker.takeBack()) this.#dispatcher.dispatch(socket);
    this.#scrapes.ended(worker.number);
    this.#shareProblems();
    place.first.reject(new WorkerStartError(code ?? 1));
    if (this.#stopped !== undefined || !this.#isServing) return;
    if (performance.now() - worker.started > STABLE_MS) place.pauseMs = MIN_PAUSE_MS;
    const fields = { worker: place.number, exitCode: code, signal, restartMs: place.pauseMs };
    this.#logs.log.error(fields, "worker ended unexpectedly: it is replaced");
    this.#replaceSoon(place);
  }

  #replaceSoon(place: Place): void {
    const { pauseMs } = place;
    place.pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    setTimeout(() => {
      if (this.#stopped === undefined && this.#isServing) this.#startWorker(place, true);
    }, pauseMs);
  }
}
