import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

/** Exit code and output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The outputs and the exit code of a running command. */
export interface Outputs {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Comes after the last output. */
  readonly code: Promise<number | null>;
}

/** A command that runs. */
export class Running {
  readonly ended: Promise<Ended>;
  readonly #stderr: Readable;
  #out = "";
  #err = "";
  #hasEnded = false;

  constructor({ stdout, stderr, code }: Outputs) {
    stdout.setEncoding("utf8").on("data", (chunk) => {
      this.#out += chunk;
    });
    stderr.setEncoding("utf8").on("data", (chunk) => {
      this.#err += chunk;
    });
    this.#stderr = stderr;
    this.ended = code.then((code) => {
      this.#hasEnded = true;
      return { code, stdout: this.#out, stderr: this.#err };
    });
  }

  /** Whether it has exited and its output is complete. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Waits until stderr matches, and returns the match. */
  async says(expected: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = expected.exec(this.#err);
      if (found) return found;
      if (this.#hasEnded) throw new Error(`waited for ${expected}; it said:\n${this.#err}`);
      const more = new AbortController();
      await Promise.race([once(this.#stderr, "data", { signal: more.signal }), this.ended]);
      more.abort();
    }
  }
}

/** A command that runs in a process of its own. */
export class RunningProcess extends Running {
  readonly child: ChildProcessWithoutNullStreams;

  constructor(child: ChildProcessWithoutNullStreams, input: string | Buffer = "") {
    const { stdout, stderr, stdin } = child;
    super({ stdout, stderr, code: once(child, "close").then(([code]) => code) });
    this.child = child;
    // It may end without having read it.
    stdin.on("error", () => {});
    stdin.end(input);
  }
}
