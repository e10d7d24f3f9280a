/**
 * Runs one command line after the other, each as in a process of its own: environment, streams and
 * exit code are the command's alone. What a process costs is thus paid once.
 */
import { Readable, Writable } from "node:stream";
import { run } from "../../src/commands.ts";
import type { Order } from "./resident.ts";

/** Buffers what is written. */
class Kept extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

async function perform({ words, env, input }: Order): Promise<void> {
  // Variable by variable, since what is not JavaScript looks at the process's own.
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const streams = { stdin: Readable.from([input]), stdout: new Kept(), stderr: new Kept() };
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  process.exitCode = undefined;
  await run(words);
  const { exitCode } = process;
  process.exitCode = undefined;
  process.removeAllListeners("SIGINT");
  dropConnections();
  const { stdout, stderr } = streams;
  process.send?.({ code: exitCode ?? 0, stdout: stdout.text, stderr: stderr.text });
}

/** Where Node.js keeps the connections of fetch. */
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
