import { constants } from "node:os";
import { extname, join } from "node:path";
import { isSea } from "node:sea";
import type { RunningServer } from "@wharf/server/app/running-server.ts";
import { startServer } from "@wharf/server/app/server.ts";
import { Supervisor } from "@wharf/server/app/workers/supervisor.ts";
import { runWorker } from "@wharf/server/app/workers/worker.ts";
import { WorkerStartError } from "@wharf/server/app/workers/worker-pool.ts";
import { readSettings, type Settings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { serveDefinition } from "./commands.ts";

/**
 * A signal that follows another within this time is the same one: npm and the launcher forward a Ctrl-C that the
 * terminal has sent to the whole process group.
 */
const SAME_SIGNAL_MS = 500;

/** Timeout for a failed start to close what it has opened, such as connections to a silent database. */
const FAILED_START_MS = 2_000;

/** The word that makes this program one of several processes of a server, started by the first of them. */
export const WORKER = "serve-worker";

/** `wharf serve`: runs the server until SIGTERM or SIGINT. */
export async function runServe(args: readonly string[]): Promise<void> {
  surviveReaders();
  const settings = await readSettings(args, process.env);
  const server = await startUnlessSignaled(settings, args).catch((error) => {
    if (!(error instanceof WorkerStartError)) throw error;
    // The worker has reported it.
    process.exitCode = error.exitCode;
  });
  if (server === undefined) return;
  // Before the ready line: a script that waits for it may stop the server at once.
  stopOnSignals(server, settings.shutdownDelay * 1000);
  // Without a certificate, the signal means that the terminal is gone.
  if (settings.tlsCert !== "") process.on("SIGHUP", () => server.reload());
  const { firstRun } = server;
  if (firstRun !== undefined) {
    const { url, code } = firstRun;
    console.error(`wharf: first run: open ${url} and enter the code ${code} (valid for 24 hours)`);
  }
  console.log(`wharf: ready at ${server.url}`);
}

/** One of several processes of a server. */
export async function runServeWorker(): Promise<void> {
  surviveReaders();
  try {
    await runWorker();
  } catch (error) {
    exitSoon();
    throw error;
  }
}

/** A server outlives the readers of its output. */
function surviveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners("error").on("error", () => {});
}

/**
 * A signal ends a start at once: nothing was acknowledged yet, and an open transaction is rolled back. Without a
 * listener, the first process of a container would ignore it.
 */
async function startUnlessSignaled(
  settings: Settings,
  args: readonly string[],
): Promise<RunningServer> {
  const exit = () => process.exit(0);
  process.on("SIGTERM", exit).on("SIGINT", exit);
  try {
    if (settings.workers === 1) return await startServer(settings);
    return await Supervisor.start(settings, { file: ownProgram(), args: [WORKER, ...args] });
  } catch (error) {
    exitSoon();
    throw error;
  } finally {
    process.off("SIGTERM", exit).off("SIGINT", exit);
  }
}

/** The start of this build, whose folder stays while it is in use: a worker that is replaced is of the same build. */
function ownProgram(): string {
  const isBuilt = extname(import.meta.filename) === ".cjs" && !isSea();
  return isBuilt ? join(import.meta.dirname, "wharf.cjs") : (process.argv[1] as string);
}

function exitSoon(): void {
  setTimeout(() => process.exit(), FAILED_START_MS).unref();
}

/**
 * SIGTERM comes from supervisors, so balancers get time to notice. SIGINT comes from a person at a terminal, who
 * should not have to wait. A second signal ends the process at once.
 */
function stopOnSignals(server: RunningServer, delayMs: number): void {
  let stoppingSince: number | undefined;
  const stop = (signal: "SIGTERM" | "SIGINT") => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      void server.stop(signal === "SIGTERM" ? delayMs : 0).then(() => process.exit(0));
    } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

export const run: Run<typeof serveDefinition> = (_context, { words }) => runServe(words);
