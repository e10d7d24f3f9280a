/** Runs the command as a user would, and returns its exit code and output. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Ended, runCommand } from "./resident.ts";

export type { Ended };

/** The launcher. */
export const LAUNCHER = join(import.meta.dirname, "../../bin/wharf.cjs");

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
}

/** Without the settings, config file and colors of the user who runs the tests. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TERM: "xterm",
    LANG: "C.UTF-8",
    XDG_CONFIG_HOME: NO_CONFIG,
    ...more,
  };
}

const NO_CONFIG = mkdtempSync(join(tmpdir(), "wharf-cli-test-"));

/** Runs the command as scripts do: no terminal on any side. */
export function wharf(
  words: readonly string[],
  { env: more, input = "" }: RunOptions = {},
): Promise<Ended> {
  const env = cleanEnvironment(more);
  return runCommand({ words, env, input }, async () => {
    const child = spawn(process.execPath, [LAUNCHER, ...words], { env });
    // It may end without having read it.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { code, stdout, stderr };
  });
}
