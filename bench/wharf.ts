/** The server under test: the real launcher in a process of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { end, watch } from "./children.ts";
import { nodeOn } from "./cores.ts";

const CLI = join(import.meta.dirname, "../packages/cli");

/** The launcher of the build. */
export const LAUNCHER = join(CLI, "bin/wharf.cjs");

/** The launcher of the sources, where a profile names source files. */
const SOURCES = join(CLI, "src/main.ts");

export interface WharfOptions {
  /** The data directory, which also gets the log. */
  readonly data: string;
  readonly core: number | undefined;
  /** The directory of the profile, if any. */
  readonly profiles: string | undefined;
  /** Further settings. */
  readonly flags?: readonly string[];
  /** Further settings that admin commands need, too. */
  readonly store?: readonly string[];
}

/** A ready server, with an operator token. */
export class Wharf implements AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly #child: ChildProcess;

  private constructor(url: string, token: string, child: ChildProcess) {
    this.url = url;
    this.token = token;
    this.#child = child;
  }

  static async start(options: WharfOptions): Promise<Wharf> {
    const { child, url } = await Wharf.launch(options);
    const flags = ["--data", options.data, "--base-url", url, ...(options.store ?? [])];
    const { stdout } = await promisify(execFile)(process.execPath, [
      LAUNCHER,
      "admin",
      "token",
      ...flags,
    ]);
    return new Wharf(url, stdout.trim(), child);
  }

  /** Starts the process and waits for its ready line: the time of the start row. */
  static async launch(options: WharfOptions): Promise<{ child: ChildProcess; url: string }> {
    const { data, core, profiles, flags = [], store = [] } = options;
    const program =
      profiles === undefined ? [LAUNCHER] : ["--cpu-prof", `--cpu-prof-dir=${profiles}`, SOURCES];
    const log = join(data, "log");
    const [command, args] = nodeOn(core, [
      ...program,
      "serve",
      ...["--listen", "127.0.0.1:0", "--data", data, "--shutdown-delay", "0"],
      // A row that is about several workers says so.
      ...["--workers", "1", ...store, ...flags],
    ]);
    const logFile = openSync(log, "w");
    const child = spawn(command, args, { stdio: ["ignore", "pipe", logFile] });
    closeSync(logFile);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ready = once(lines, "line") as Promise<[string]>;
    const ended = watch(
      child,
      () => `the server exited:\n${readFileSync(log, "utf8").slice(-2000)}`,
    );
    const [line] = await Promise.race([ready, ended]);
    return { child, url: line.replace("wharf: ready at ", "") };
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** One request over REST, by default of the operator; rejects unless it succeeds. */
  async rest(
    path: string,
    body?: string,
    { method = "", token = this.token } = {},
  ): Promise<string> {
    const response = await fetch(`${this.url}${path}`, {
      method: method || (body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#child, "SIGTERM");
  }
}
