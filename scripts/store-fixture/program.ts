import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The line with which every version says where it listens, and that with the code of the first run. */
const READY = /^wharf: ready at (\S+)$/;
const FIRST_RUN = /first run.* ((?:[A-Z]{4}-){4}[A-Z]{4}) /;

/** A server of any version, run from its checkout. */
export class Program {
  readonly url: string;
  readonly code: string;
  readonly #command: readonly string[];
  readonly #flags: readonly string[];
  readonly #child: ChildProcess;

  private constructor(
    ready: { readonly url: string; readonly code: string },
    command: readonly string[],
    flags: readonly string[],
    child: ChildProcess,
  ) {
    this.url = ready.url;
    this.code = ready.code;
    this.#command = command;
    this.#flags = flags;
    this.#child = child;
  }

  static async start(directory: string, flags: readonly string[]): Promise<Program> {
    const command = [process.execPath, join(directory, "packages/cli/bin/wharf.cjs")] as const;
    const [node, wharf] = command;
    const args = [wharf, "serve", "--listen", "127.0.0.1:0", ...flags];
    const child = spawn(node, args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
    process.on("exit", () => child.kill("SIGKILL"));
    const found = { url: "", code: "" };
    const ready = new Promise<void>((resolve, reject) => {
      const lines: string[] = [];
      const read = (line: string) => {
        lines.push(line);
        found.url ||= READY.exec(line)?.[1] ?? "";
        found.code ||= FIRST_RUN.exec(line)?.[1] ?? "";
        if (found.url !== "" && found.code !== "") resolve();
      };
      for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", read);
      child.once("close", () => reject(new Error(`the server ended:\n${lines.join("\n")}`)));
    });
    await ready;
    return new Program(found, command, flags, child);
  }

  /** A token of the operator. */
  token(): string {
    const [node = "", ...args] = [...this.#command, "admin", "token", ...this.#flags];
    return execFileSync(node, args, { encoding: "utf8" }).trim();
  }

  async stop(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGTERM");
    await closed;
  }
}
