import { Socket } from "node:net";
import { workerStoreOpener } from "../../store/db/open.ts";
import { type DrainableServer, startServer } from "../server.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { SupervisorLink } from "./supervisor-link.ts";
import { MUTEX_FD } from "./worker-process.ts";
import { PipeMutex } from "./writer-mutexes.ts";

/** Serves as one process of several, until the supervisor ends it or is gone. Rejects if it cannot start. */
export function runWorker(): Promise<void> {
  // Terminals and service managers send signals to all processes: the supervisor decides what they mean.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  return new Promise((resolve, reject) => {
    let worker: Worker | undefined;
    // A single listener from the beginning: no message is missed.
    process.on("message", (message: ToWorker, socket: Socket | undefined) => {
      if (message.kind === "start") {
        worker = new Worker(message.start);
        worker.ready.then(resolve, reject);
      } else worker?.receive(message, socket);
    });
    process.on("disconnect", () => worker?.abandon() ?? process.exit(1));
  });
}

class Worker {
  readonly ready: Promise<void>;
  readonly #link: SupervisorLink;
  readonly #starting: Promise<DrainableServer>;

  constructor(start: WorkerStart) {
    this.#link = new SupervisorLink(start, send);
    const mutex = new PipeMutex(new Socket({ fd: MUTEX_FD, readable: true, writable: true }));
    let { opened } = start;
    const onOpen = (files: readonly string[]) => {
      opened = files;
    };
    const open = workerStoreOpener({ mutex, opened, onOpen });
    this.#starting = startServer(start.settings, { supervisor: this.#link, open });
    this.ready = this.#starting.then(({ firstRun }) => send({ kind: "ready", firstRun, opened }));
  }

  receive(message: ToWorker, socket: Socket | undefined): void {
    if (message.kind === "drain") this.#whenStarted((server) => server.drain());
    else if (message.kind === "reload") this.#whenStarted((server) => server.reload());
    else if (message.kind === "stop") this.stop();
    else this.#link.receive(message, socket);
  }

  /** The supervisor is gone. */
  abandon(): void {
    this.#link.close();
    this.stop();
  }

  stop(): void {
    this.#whenStarted((server) => server.stop().then(() => process.exit(0)));
  }

  /** A start that has failed ends the process anyway. */
  #whenStarted(act: (server: DrainableServer) => unknown): void {
    this.#starting.then(act, () => {});
  }
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {});
}
