import { startServer } from "@wharf/server/app/server.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { serveDefinition } from "./commands.ts";

/** `wharf serve`: runs the server until SIGTERM or SIGINT. */
export async function runServe(args: readonly string[]): Promise<void> {
  const settings = await readSettings(args, process.env);
  const server = await startServer(settings);
  // Before the ready line: a script that waits for it may stop the server at once.
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await server.stop();
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  const { firstRun } = server;
  if (firstRun !== undefined) {
    const { url, code } = firstRun;
    console.error(`wharf: first run: open ${url} and enter the code ${code} (valid for 24 hours)`);
  }
  console.log(`wharf: ready at ${server.url}`);
}

export const run: Run<typeof serveDefinition> = (_context, { words }) => runServe(words);
