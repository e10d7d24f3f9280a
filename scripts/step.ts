/**
 * Runs the tools of this repository as named, timed steps.
 */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** The repository; every tool runs here. */
export const ROOT = join(import.meta.dirname, "..");

const BIN = join(ROOT, "node_modules", ".bin");

/** Ours as it is by now, with the tools of the repository before others. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}` };
}

/** What went wrong in a step, in words for whoever has to mend it. */
export class StepError extends Error {
  override readonly name = "StepError";
}

/**
 * Runs a tool quietly. Rejects with a StepError that holds its output if it fails.
 *
 * @example await tool("buf", "lint");
 */
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

/**
 * Runs a tool that shows its own output, and answers its exit code.
 *
 * @example process.exitCode = await loudly(process.execPath, "--test");
 */
export function loudly(command: string, ...args: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(command, args, { cwd: ROOT, env: environment(), stdio: "inherit" });
  child.on("error", reject);
  child.on("close", (code) => resolve(code ?? 1));
  return promise;
}

/**
 * Runs a step and reports how it went and how long it took. Answers whether it went well.
 *
 * @example await step("lint", () => tool("buf", "lint"));
 */
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
