import type { ChildProcess, SpawnOptions } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname } from "node:path";
import { isSea } from "node:sea";
import { childProcess } from "./runtime/lazy-builtins.ts";

/** The executable of this process, on Linux even if its file was replaced or removed since. */
const SELF = "/proc/self/exe";

export interface ChildOptions {
  /** All of it: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  readonly stderr: "inherit" | "pipe";
  /** Ignored unless it is piped. */
  readonly stdout?: "pipe";
  /** The descriptors of the child from `FIRST_DESCRIPTOR` on: open files, and pipes that this process writes. */
  readonly descriptors?: readonly (number | "pipe")[];
}

/** The descriptors below are those of any process, and the channel. */
export const FIRST_DESCRIPTOR = 4;

/**
 * A program of ours that runs in a process of its own, with a channel for messages. Its bundle is read here, when the
 * server starts: a build or an upgrade replaces the files under a running server, whose processes would be missing or
 * of another version.
 */
export class ChildProgram {
  readonly #file: string;
  /** Undefined for sources, which are many files, and for the executable, which contains its bundles. */
  readonly #code: string | undefined;

  /** @param file A file beside the one that starts it, in the sources and in the build. */
  constructor(file: string) {
    this.#file = file;
    if (extname(file) === ".cjs" && !isSea()) this.#code = programOf(file);
  }

  /** Whether it is sources, which Node.js reads from the file system when it runs them. */
  get isSource(): boolean {
    return extname(this.#file) === ".ts";
  }

  start(args: readonly string[], options: ChildOptions): ChildProcess {
    const { env, stderr, stdout = "ignore", descriptors = [] } = options;
    const isCode = this.#code !== undefined;
    const spawned: SpawnOptions & { readonly argv0: string } = {
      env,
      serialization: "advanced",
      stdio: [isCode ? "pipe" : "ignore", stdout, stderr, "ipc", ...descriptors],
      argv0: process.execPath,
    };
    const execPath = existsSync(SELF) ? SELF : process.execPath;
    const child = childProcess().spawn(execPath, [isCode ? "-" : this.#file, ...args], spawned);
    // A process that ends before it has read its program reports that itself.
    if (isCode) child.stdin?.on("error", () => {}).end(this.#code);
    return child;
  }
}

/** The bundle as Node.js runs it from its standard input: it finds libraries beside its file. */
function programOf(file: string): string {
  const [path, folder] = [file, dirname(file)].map((text) => JSON.stringify(text));
  const require = `require("node:module").createRequire(${path})`;
  const bundle = readFileSync(file, "utf8");
  return `(function (exports, require, module, __filename, __dirname) {${bundle}
})({}, ${require}, { exports: {} }, ${path}, ${folder});`;
}
