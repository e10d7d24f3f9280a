import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { FIRST_DESCRIPTOR } from "../../lib/child-program.ts";
import type { FailureCode } from "./failure.ts";
import type { FailedInventory } from "./inventory.ts";
import type { LayerAnswer } from "./layer-task.ts";
import type { LayerLimits } from "./limits.ts";

/** The end of its standard error that is kept, for the message. */
const MAX_STDERR_CHARS = 2_000;

/** The interval at which its memory is compared with the limit. */
const MEMORY_INTERVAL_MS = 250;

const PAGE_BYTES = 4096;

/** A layer process that runs, within its limits. It is killed when it exceeds one, or when its caller aborts. */
export class LayerChild {
  readonly #child: ChildProcess;
  readonly #limits: LayerLimits;
  #stdout: Buffer[] = [];
  #bytes = 0;
  #stderr = "";
  #killedFor: FailedInventory | undefined;

  constructor(child: ChildProcess, limits: LayerLimits) {
    this.#child = child;
    this.#limits = limits;
    // Without descriptors or memory, a process does not start, and has no pipes.
    child.on("error", () => {});
    if (child.pid === undefined) throw new Error("the process did not start");
    // Pipes that the process does not read to their end: what writes them gets to know it.
    for (const pipe of child.stdio.slice(FIRST_DESCRIPTOR)) pipe?.on("error", () => {});
    (child.stdout as Readable).on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > limits.answerBytes) this.kill(failed("answer_too_large", ""));
      else this.#stdout.push(chunk);
    });
    (child.stderr as Readable).setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARS);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.killed;
  }

  /** The end of a pipe to it. */
  pipe(descriptor: number): Writable {
    return this.#child.stdio[descriptor] as Writable;
  }

  /** @param outcome That of `answer`, unless the process was killed before. */
  kill(outcome: FailedInventory): void {
    this.#killedFor ??= outcome;
    this.#stdout = [];
    this.#child.kill("SIGKILL");
  }

  /** Settles when the process has ended. */
  async answer(): Promise<LayerAnswer> {
    const timeout = setTimeout(() => this.kill(failed("timeout", "")), this.#limits.timeoutMs);
    const memory = setInterval(() => void this.#checkMemory(), MEMORY_INTERVAL_MS);
    try {
      return await new Promise((resolve) => {
        this.#child.once("error", (error) => resolve(failed("crashed", error.message)));
        this.#child.once("close", (code, signal) => resolve(this.#outcome(code, signal)));
      });
    } finally {
      clearTimeout(timeout);
      clearInterval(memory);
    }
  }

  #outcome(code: number | null, signal: NodeJS.Signals | null): LayerAnswer {
    if (this.#killedFor !== undefined) return this.#killedFor;
    if (code === 0) {
      try {
        return JSON.parse(Buffer.concat(this.#stdout).toString("utf8")) as LayerAnswer;
      } catch (error) {
        return failed("crashed", (error as Error).message);
      }
    }
    const isOutOfMemory = /heap out of memory|Array buffer allocation failed|ENOMEM/.test(
      this.#stderr,
    );
    const outcome = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const ended = signal === "SIGKILL" ? "killed" : "crashed";
    return failed(isOutOfMemory ? "out_of_memory" : ended, `${outcome}: ${this.#stderr}`);
  }

  /** Buffers are not in the heap, which V8 bounds. */
  async #checkMemory(): Promise<void> {
    try {
      const [, pages = "0"] = (await readFile(`/proc/${this.pid}/statm`, "utf8")).split(" ");
      if (Number(pages) * PAGE_BYTES > this.#limits.memoryBytes)
        this.kill(failed("out_of_memory", ""));
    } catch {
      // It has ended, or the system is not Linux.
    }
  }
}

export function failed(code: FailureCode, message: string, layer = ""): FailedInventory {
  return { outcome: "failed", code, layer, message };
}
