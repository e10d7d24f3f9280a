import { readSettings } from "@wharf/server/config.ts";
import { startServer } from "@wharf/server/server.ts";

/** `wharf serve`: runs the server until it is told to stop. */
export async function runServe(args: readonly string[]): Promise<void> {
  const settings = await readSettings(args, process.env);
  const server = await startServer(settings);
  // Before anyone is told that it is ready: they may want it to stop at once.
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
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
