/** Programs of a release, run as those who installed them would. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { fetchedNode } from "../../../../scripts/release/node-runtimes.ts";
import { cleanEnvironment } from "./command.ts";

export const ROOT = join(import.meta.dirname, "../../../..");

/** The oldest Node.js that packages support, by architecture. */
const NODE_20 = {
  arm64:
    "sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==",
  x64: "sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
} as const;

/** A PATH on which `node` is this program, in a folder that it makes. */
export function pathWith(folder: string, node: string): string {
  mkdirSync(folder, { recursive: true });
  symlinkSync(node, join(folder, "node"));
  return `${folder}:${process.env.PATH}`;
}

export function node20(): string {
  const architecture = process.arch as keyof typeof NODE_20;
  return fetchedNode({
    name: `node-linux-${architecture}`,
    version: "20.20.2",
    integrity: NODE_20[architecture],
    program: "bin/node",
  });
}

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The output of a program that must have succeeded. */
export function worked({ code, stdout, stderr }: Output): string {
  assert.equal(code, 0, stderr || stdout);
  return stdout;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

/** The environment of builds, which download: with the certificates and proxies of this machine. */
export const BUILD_ENVIRONMENT = process.env as Readonly<Record<string, string>>;

/** Runs a program, and returns what it printed, whether or not it failed. */
export async function run(
  program: string,
  args: readonly string[],
  { env = {}, cwd, input = "" }: RunOptions = {},
): Promise<Output> {
  const options = { env: cleanEnvironment(env), cwd, maxBuffer: 1 << 26 };
  const running = promisify(execFile)(program, args, options);
  // It may end without having read it.
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(input);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** Runs npm in a folder, with the user's settings: it may need a registry. */
export function npm(args: readonly string[], cwd: string): Promise<Output> {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  return run("npm", args, { cwd, env: Object.fromEntries(env) as Record<string, string> });
}

/** A server that runs. */
export interface Served {
  readonly url: string;
  /** Its log so far. */
  readonly log: string;
  /** Sends SIGTERM, and answers the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a server, and waits until it is ready. */
export async function serve(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const child = spawn(program, args, {
    env: cleanEnvironment({ WHARF_SHUTDOWN_DELAY: "0", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const ready = once(lines, "line").then(([line]) => /ready at (\S+)/.exec(line)?.[1]);
  const url = await Promise.race([ready, exited.then(() => undefined)]);
  if (url === undefined) throw new Error(`${program} ended:\n${errors}`);
  return {
    url,
    get log() {
      return errors;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}
