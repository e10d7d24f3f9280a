/**
 * Runs the tools of this repository as named, timed steps.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The repository; every tool runs here. */
export const ROOT = join(import.meta.dirname, "..");

const BIN = join(ROOT, "node_modules", ".bin");

/** Tools written in Go run for seconds: they collect garbage only when they would need more memory than this. */
const GO = { GOGC: "off", GOMEMLIMIT: "2GiB" };

/** The environment of this process, with the tools of the repository first on the PATH. */
function environment(): NodeJS.ProcessEnv {
  return { ...GO, ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}` };
}

/** Why a step failed, and what to do. */
export class StepError extends Error {
  override readonly name = "StepError";
}

/** The text of a file of the repository; undefined without one. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return undefined;
  }
}

/** Runs a tool without showing its output. Rejects with a StepError that contains the output if it fails. */
export function tool(command: string, ...args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(command, args, {
    cwd: ROOT,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  child.on("error", (error) => reject(new StepError(`${command}: ${error.message}`)));
  child.on("close", (code) => {
    if (code === 0) resolve();
    else reject(new StepError(Buffer.concat(output).toString().trim() || `exit code ${code}`));
  });
  return promise;
}

/** Runs a tool that shows its own output, and returns its exit code. */
export function loudly(command: string, ...args: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(command, args, { cwd: ROOT, env: environment(), stdio: "inherit" });
  child.on("error", reject);
  child.on("close", (code) => resolve(code ?? 1));
  return promise;
}

/** Runs a step and reports its result and duration. Returns whether it succeeded. */
export async function step(name: string, work: () => Promise<void>): Promise<boolean> {
  const begun = performance.now();
  let failure = "";
  try {
    await work();
  } catch (error) {
    failure = error instanceof StepError ? error.message : String(error);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${failure ? "✖" : "✔"} ${name} (${seconds} s)`);
  if (failure) console.log(failure.replaceAll(/^/gm, "    "));
  return failure === "";
}
