import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Visited, Walker } from "../../../server/test/support/browser/http-browser.ts";
import type { LoginWorld } from "../../../server/test/support/world/login.ts";
import type { Login } from "../../src/auth/cache/login.ts";
import { type Ended, runCommand } from "./resident.ts";

export type { Ended };

/** The launchers. */
export const BIN = join(import.meta.dirname, "../../bin");

/** Longer than anything here takes on the slowest machine. */
const TIMEOUT_MS = 60_000;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whom the process belongs to, where root runs the tests. */
  readonly uid?: number;
}

/** A command that runs. */
export class Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  #hasEnded = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdout.on("data", (chunk) => {
      this.#stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      this.#stderr += chunk;
    });
    this.ended = once(child, "close").then(([code]) => {
      this.#hasEnded = true;
      return { code, stdout: this.#stdout, stderr: this.#stderr };
    });
  }

  /** Whether it has exited and its output is complete. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Waits until stderr matches, and returns the match. */
  async says(expected: RegExp): Promise<RegExpExecArray> {
    const begun = Date.now();
    for (;;) {
      const found = expected.exec(this.#stderr);
      if (found) return found;
      if (this.#hasEnded || Date.now() - begun > TIMEOUT_MS) {
        throw new Error(`waited for ${expected}; it said:\n${this.#stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** A user's home, and the command as this user runs it. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), "wharf-home-"));
  readonly cache = join(this.folder, "cache");
  /** Where the script that stands for a browser writes what it is asked to open. */
  readonly opened = join(this.folder, "opened");
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
    const browser = join(this.folder, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${this.opened}'\n`, { mode: 0o755 });
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.folder,
      TERM: "xterm",
      LANG: "C.UTF-8",
      XDG_CACHE_HOME: this.cache,
      XDG_CONFIG_HOME: join(this.folder, "config"),
      BROWSER: join(this.folder, "browser"),
      ...this.#env,
    };
  }

  start(args: readonly string[], { env, input, uid }: RunOptions = {}, bin = "wharf"): Running {
    const child = spawn(process.execPath, [join(BIN, `${bin}.cjs`), ...args], {
      env: { ...this.env, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
    return new Running(child);
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const alone = () => this.start(args, options).ended;
    if (options.uid !== undefined) return alone();
    const env = { ...this.env, ...options.env };
    return runCommand({ words: args, env, input: options.input ?? "" }, alone);
  }

  /** Runs a command that must succeed, and answers what it printed. */
  async ok(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    assert.equal(code, 0, `wharf ${args.join(" ")}:\n${stderr}`);
    return stdout;
  }

  /** Waits until the browser has been opened, and answers with what. */
  async browsed(login: Running): Promise<string> {
    for (;;) {
      // Whole lines alone: the file is there before anything is in it.
      const [line, ...rest] = existsSync(this.opened)
        ? readFileSync(this.opened, "utf8").split("\n")
        : [];
      if (line !== undefined && rest.length > 0) return line;
      if (login.hasEnded) assert.fail(`no browser was opened:\n${(await login.ended).stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Speaks to the credential helper as docker does. */
  helper(verb: string, input = "", options: RunOptions = {}): Promise<Ended> {
    return this.start([verb], { ...options, input }, "docker-credential-wharf").ended;
  }

  /** Logs a person in, with a browser reduced to what a login needs. */
  async logIn(
    world: LoginWorld,
    person: string,
    args: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<Ended & { page: Visited }> {
    const provider = ["--identity-provider", world.provider];
    const login = this.start(["auth", "login", "--no-browser", ...provider, ...args], options);
    const [url] = await login.says(/http:\S+/);
    const page = await world.signIn(new Walker(), url, person);
    return { ...(await login.ended), page };
  }

  /** The files of the cache, by path. */
  files(): string[] {
    return readdirSync(this.cache, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  /** The one file that has a login. */
  get loginFile(): string {
    const found = this.files().filter((path) => path.endsWith(".json"));
    assert.equal(found.length, 1, found.join());
    return found[0] as string;
  }

  get login(): Login {
    return JSON.parse(readFileSync(this.loginFile, "utf8"));
  }

  /** Makes all stored tokens look expired. */
  expire(): void {
    const { login } = this;
    const ended = Object.entries(login.tokens).map(([audience, { token }]) => [
      audience,
      { token, expires: Date.now() - 1000 },
    ]);
    const tokens = Object.fromEntries(ended);
    writeFileSync(this.loginFile, JSON.stringify({ ...login, tokens }));
  }

  write(path: string, text: string): string {
    const file = join(this.folder, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  remove(): void {
    // A browser that was started may still write what it was given.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
