/**
 * Runs what was built as people will, and keeps the code that V8 made of it (packages/server/src/lib/runtime/code-cache.ts).
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const RECORDER = join(import.meta.dirname, "record-code.ts");

/**
 * Starts the built server on a store that is thrown away, and asks it something with a command.
 *
 * @example await keepCode("packages/cli/dist");
 */
export async function keepCode(dist: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "wharf-build-"));
  // Independent of the building user: no settings, no config file.
  const env = { PATH: process.env.PATH, HOME: scratch, XDG_CONFIG_HOME: scratch };
  const settings = ["--listen", "127.0.0.1:0", "--data", join(scratch, "data")];
  const server = spawn(
    process.execPath,
    [RECORDER, join(dist, "server.cjs"), "serve", ...settings],
    { env, stdio: ["ignore", "pipe", "ignore"] },
  );
  try {
    const url = await readyAt(server);
    const run = async (...args: readonly string[]) =>
      (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
    const token = await run(
      ...[RECORDER, join(dist, "operators.cjs"), "admin", "token", "--base-url", url],
      ...settings.slice(2),
    );
    Object.assign(env, { WHARF_TOKEN: token, WHARF_API: url });
    await run(RECORDER, join(dist, "commands.cjs"), "iam", "organizations", "list");
  } finally {
    server.kill("SIGINT");
    await once(server, "exit");
    rmSync(scratch, { recursive: true });
  }
}

async function readyAt(server: ChildProcess): Promise<string> {
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  const ended = once(server, "exit").then(([code]) => {
    throw new Error(`the built server ended with ${code}`);
  });
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  return line.replace("wharf: ready at ", "");
}
