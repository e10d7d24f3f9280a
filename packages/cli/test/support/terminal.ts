/** The command at a terminal of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cleanEnvironment, LAUNCHER } from "./command.ts";

/** Longer than anything here takes on the slowest machine. */
const TIMEOUT_MS = 120_000;

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

/** A process at a terminal of its own, made by script(1). */
export class TestTerminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #shown = "";
  #hasEnded = false;

  constructor(command: string, { env, columns = 80 }: TerminalOptions = {}) {
    const line = `stty cols ${columns} rows 24; ${command}`;
    this.#child = spawn("script", ["-qec", line, "/dev/null"], {
      env: cleanEnvironment({ SHELL: "/bin/sh", ...env }),
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdout?.on("data", (chunk) => {
      this.#shown += chunk;
    });
    this.#ended = once(this.#child, "close").then(() => {
      this.#hasEnded = true;
    });
  }

  /** All output so far, with control codes. */
  get shown(): string {
    return this.#shown;
  }

  /** The visible text. */
  get text(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: codes of the terminal are what we take out.
    return this.#shown.replace(/\u001b\[[0-9;?]*[A-Za-z]|\u001b[()][A-Z0-9]|\r/g, "");
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Waits until it shows something. */
  async until(expected: RegExp): Promise<void> {
    const begun = Date.now();
    while (!expected.test(this.text)) {
      if (Date.now() - begun > TIMEOUT_MS || this.#hasEnded) {
        throw new Error(`waited for ${expected}; the terminal shows:\n${this.text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Waits for the end, and answers the exit code. */
  async end(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Runs the command at a terminal. */
export function wharfAtTerminal(args: readonly string[], options?: TerminalOptions): TestTerminal {
  const words = [process.execPath, LAUNCHER, ...args].map((word) => `'${word}'`);
  return new TestTerminal(`exec ${words.join(" ")}`, options);
}
