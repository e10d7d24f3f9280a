/** Runs the command as a user would, and returns its exit code and output. */
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./resident.ts";
import { type Ended, RunningProcess } from "./running.ts";

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
  return runCommand({ words, env, input }, () => {
    return new RunningProcess(spawn(process.execPath, [LAUNCHER, ...words], { env }), input);
  });
}
