import type { FirstRun } from "../../login/local/setup.ts";
import type { Logger } from "../../observe/logger.ts";
import type { NotReady } from "../../observe/readiness.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { WorkerProcess, type WorkerProgram } from "./worker-process.ts";

/** The pause before a worker is replaced, which doubles while replacements end, too. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** A worker that has served for this long has not failed at its start. */
const STABLE_MS = 30_000;

/** The interval of pings, which workers answer at once. */
const PING_MS = 1_000;

/**
 * Unanswered pings after which a worker hangs: it gets no connections, its mutex passes on, and the server is not
 * ready. As many as seconds after which a read has stalled (StoreHealth).
 */
const MAX_UNANSWERED_PINGS = 3;

/**
 * Unanswered pings after which a worker is killed. Work that blocks the event loop for seconds, such as a commit on a slow
 * disk, ends before that; a process that is stuck in a transaction stops all writes until then.
 */
const KILL_UNANSWERED_PINGS = 20;

const HANGING: NotReady = { reason: "worker", message: "a worker does not respond" };

/** A first worker that could not start. It has reported why; the supervisor exits with its code. */
export class WorkerStartError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("the first worker did not start");
    this.exitCode = exitCode;
  }
}

export interface PoolEvents {
  started(worker: WorkerProcess): void;
  /** Serves: when it is ready, and when it answers again after it was silent. */
  ready(worker: WorkerProcess): void;
  /** Does not answer. Repeated with each ping. */
  silent(worker: WorkerProcess): void;
  message(worker: WorkerProcess, message: FromWorker): void;
  logged(lines: string): void;
  ended(worker: WorkerProcess): void;
}

/** Part of the start message that all workers share. */
export type PoolStart = Omit<WorkerStart, "worker" | "isReplacement" | "opened">;

/** Number of a worker, and the process that has it now. */
interface Slot {
  readonly number: number;
  process: WorkerProcess | undefined;
  pauseMs: number;
  /** Readiness problem of its process. */
  problem: NotReady | undefined;
  isSilent: boolean;
  /** Settles when its first process is ready, or has ended before. */
  readonly first: PromiseWithResolvers<FirstRun | undefined>;
}

/** Starts workers, and replaces those that end. */
export class WorkerPool {
  readonly #program: WorkerProgram;
  readonly #start: PoolStart;
  readonly #log: Logger;
  readonly #events: PoolEvents;
  readonly #slots: readonly Slot[];
  /** From the first worker's being ready to the end. */
  #isServing = false;
  /** The files of the embedded database, as long as a worker has them open. */
  #opened: readonly string[] | undefined;

  constructor(program: WorkerProgram, start: PoolStart, log: Logger, events: PoolEvents) {
    this.#program = program;
    this.#start = start;
    this.#log = log;
    this.#events = events;
    this.#slots = Array.from({ length: start.settings.workers }, (_, at) => ({
      number: at + 1,
      process: undefined,
      pauseMs: MIN_PAUSE_MS,
      problem: undefined,
      isSilent: false,
      first: Promise.withResolvers(),
    }));
    // Nobody waits for the start of a replacement.
    for (const { first } of this.#slots) first.promise.catch(() => {});
    setInterval(() => this.#pingAll(), PING_MS).unref();
  }

  /** The processes that run. */
  get all(): WorkerProcess[] {
    return this.#slots.flatMap(({ process }) => process ?? []);
  }

  /** Starts the first worker, which creates or upgrades the store, then the others. */
  async start(): Promise<FirstRun | undefined> {
    const [first, ...others] = this.#slots as [Slot, ...Slot[]];
    this.#startWorker(first, false);
    const firstRun = await first.first.promise;
    this.#isServing = true;
    for (const slot of others) this.#startWorker(slot, false);
    // A worker that fails now is replaced later: the server can serve without it.
    await Promise.allSettled(others.map(({ first }) => first.promise));
    return firstRun;
  }

  /** Workers that end from now on are not replaced. */
  stopReplacing(): void {
    this.#isServing = false;
  }

  broadcast(message: ToWorker): void {
    for (const worker of this.all) worker.send(message);
  }

  killAll(): void {
    for (const worker of this.all) worker.kill();
  }

  #startWorker(slot: Slot, isReplacement: boolean): void {
    const { number: worker } = slot;
    const start: WorkerStart = { ...this.#start, worker, isReplacement, opened: this.#opened };
    try {
      slot.process = new WorkerProcess(this.#program, start, {
        message: (from, message) => this.#received(slot, from, message),
        logged: (lines) => this.#events.logged(lines),
        ended: (ended, code, signal) => this.#ended(slot, ended, code, signal),
      });
      this.#events.started(slot.process);
    } catch (error) {
      // Such as for lack of file descriptors or memory.
      this.#log.error({ worker, err: error }, "worker not started");
      slot.first.reject(error);
      this.#replaceSoon(slot);
    }
  }

  #received(slot: Slot, worker: WorkerProcess, message: FromWorker): void {
    if (message.kind === "problem") {
      slot.problem = message.problem;
      this.#shareProblems();
    } else if (message.kind === "pong") this.#answered(slot, worker);
    else if (message.kind === "ready") {
      worker.isReady = true;
      this.#opened = message.opened;
      this.#log.info({ worker: slot.number, pid: worker.pid }, "worker ready");
      this.#shareProblems();
      this.#events.ready(worker);
      slot.first.resolve(message.firstRun);
    } else this.#events.message(worker, message);
  }

  /** Time is counted in pings, so that a paused supervisor does not count its pause as silence. A start may take long. */
  #pingAll(): void {
    for (const slot of this.#slots) {
      const { process: worker, number } = slot;
      if (!worker?.isReady) continue;
      const fields = { worker: number, pid: worker.pid };
      if (worker.unansweredPings === KILL_UNANSWERED_PINGS) {
        this.#log.error(fields, "worker does not respond: it is killed");
        worker.kill();
      } else if (worker.unansweredPings >= MAX_UNANSWERED_PINGS) {
        if (!slot.isSilent) {
          this.#log.warn(fields, "worker does not respond: it gets no connections");
          slot.isSilent = true;
          this.#shareProblems();
        }
        this.#events.silent(worker);
      }
      worker.ping();
    }
  }

  #answered(slot: Slot, worker: WorkerProcess): void {
    worker.unansweredPings = 0;
    if (!slot.isSilent) return;
    slot.isSilent = false;
    this.#log.info({ worker: slot.number, pid: worker.pid }, "worker responds again");
    this.#shareProblems();
    this.#events.ready(worker);
  }

  /** Every worker answers for all: a client learns the same wherever its connection leads. */
  #shareProblems(): void {
    for (const slot of this.#slots) {
      const others = this.#slots.filter((other) => other !== slot);
      const problems = others.map((other) => (other.isSilent ? HANGING : other.problem));
      const problem = problems.find((one) => one !== undefined);
      slot.process?.send({ kind: "elsewhere", problem });
    }
  }

  #ended(
    slot: Slot,
    worker: WorkerProcess,
    code: number | null,
    signal: NodeJS.Signals | null,
  ): void {
    slot.process = undefined;
    slot.problem = undefined;
    slot.isSilent = false;
    this.#shareProblems();
    // The last one may have removed the log, as SQLite does: the next one opens what is there, as at a start.
    if (!this.all.some(({ isReady }) => isReady)) this.#opened = undefined;
    this.#events.ended(worker);
    slot.first.reject(new WorkerStartError(code ?? 1));
    if (!this.#isServing) return;
    if (performance.now() - worker.started > STABLE_MS) slot.pauseMs = MIN_PAUSE_MS;
    const fields = { worker: slot.number, exitCode: code, signal, restartMs: slot.pauseMs };
    this.#log.error(fields, "worker ended unexpectedly: it is replaced");
    this.#replaceSoon(slot);
  }

  #replaceSoon(slot: Slot): void {
    const { pauseMs } = slot;
    slot.pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    setTimeout(() => {
      if (this.#isServing) this.#startWorker(slot, true);
    }, pauseMs);
  }
}
