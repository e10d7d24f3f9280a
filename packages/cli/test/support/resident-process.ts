/**
 * Runs one command line after the other, each as in a process of its own: environment, streams and exit code are the
 * command's alone. The cost of a process is thus paid once.
 */
import { Console } from "node:console";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Readable, Writable } from "node:stream";
import { run } from "../../src/commands.ts";
import type { Order } from "./resident.ts";

/** A chunk of a command's output, or its end. */
export type Said =
  | { readonly stream: "stdout" | "stderr"; readonly chunk: Uint8Array }
  | { readonly code: number };

const START = process.cwd();

function say(said: Said): void {
  process.send?.(said);
}

/** Passes on what is written. */
function passing(stream: "stdout" | "stderr"): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      say({ stream, chunk });
      done();
    },
  });
}

/** The value of `readFileSync(0)`, which reads no stream. */
let standardInput: string | Buffer = "";

const { readFileSync } = fs;
fs.readFileSync = ((...args: Parameters<typeof readFileSync>) =>
  args[0] === 0 ? String(standardInput) : readFileSync(...args)) as typeof readFileSync;
syncBuiltinESMExports();

async function perform({ words, env, input, cwd = START }: Order): Promise<void> {
  process.chdir(cwd);
  // Variable by variable, since what is not JavaScript looks at the process's own.
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdin = new Readable({ read() {} });
  stdin.push(input);
  stdin.push(null);
  const streams = { stdin, stdout: passing("stdout"), stderr: passing("stderr") };
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  globalThis.console = new Console(streams);
  standardInput = input;
  process.exitCode = undefined;
  await run(words);
  const { exitCode } = process;
  process.exitCode = undefined;
  process.removeAllListeners("SIGINT");
  dropConnections();
  say({ code: Number(exitCode ?? 0) });
}

/** The property in which Node.js keeps the connections of fetch. */
const CONNECTIONS = Symbol.for("undici.globalDispatcher.2");

/** The next command finds none open, as one that has just started. */
function dropConnections(): void {
  const place = globalThis as unknown as Record<symbol, { destroy(): Promise<void> } | undefined>;
  const open = place[CONNECTIONS];
  if (open === undefined) return;
  place[CONNECTIONS] = Reflect.construct(open.constructor, []);
  void open.destroy();
}

process.on("message", (order: Order) => void perform(order));
process.on("disconnect", () => process.exit());
