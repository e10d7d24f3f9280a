import { constants } from "node:os";
import { type RunningServer, startServer } from "@wharf/server/app/server.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { serveDefinition } from "./commands.ts";

/**
 * A signal that follows another within this time is the same one: npm and the launcher forward a Ctrl-C that the
 * terminal has sent to the whole process group.
 */
const SAME_SIGNAL_MS = 500;

/** `wharf serve`: runs the server until SIGTERM or SIGINT. */
export async function runServe(args: readonly string[]): Promise<void> {
  const settings = await readSettings(args, process.env);
  const server = await startServer(settings);
  // Before the ready line: a script that waits for it may stop the server at once.
  stopOnSignals(server, settings.shutdownDelay * 1000);
  const { firstRun } = server;
  if (firstRun !== undefined) {
    const { url, code } = firstRun;
    console.error(`wharf: first run: open ${url} and enter the code ${code} (valid for 24 hours)`);
  }
  console.log(`wharf: ready at ${server.url}`);
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
