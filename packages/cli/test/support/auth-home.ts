/** A home folder and environment for the command, with logins of its own. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
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
import { HttpBrowser, type Visited } from "../../../server/test/support/browser/http-browser.ts";
import type { World } from "../../../server/test/support/world/world.ts";
import type { Login } from "../../src/auth/cache/login.ts";
import { type Order, runCommand, startCommand } from "./resident.ts";
import { type Ended, type Running, RunningProcess } from "./running.ts";

export type { Ended };

/** The launchers. */
export const BIN = join(import.meta.dirname, "../../bin");

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The owner of the process, if root runs the tests. */
  readonly uid?: number;
}

/** A user's home, and the command as this user runs it. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), "wharf-home-"));
  readonly cache = join(this.folder, "cache");
  /** The file to which the script that stands for a browser writes the addresses that it opens. */
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

  /** Starts a command in a process of its own. */
  startProcess(args: readonly string[], options: RunOptions = {}, bin = "wharf"): RunningProcess {
    const { env, input, uid } = options;
    const child = spawn(process.execPath, [join(BIN, `${bin}.cjs`), ...args], {
      env: { ...this.env, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    return new RunningProcess(child, input);
  }

  /** Starts a command that the test goes on with, in whichever process. */
  start(args: readonly string[], options: RunOptions = {}): Running {
    return startCommand(this.#order(args, options), () => this.startProcess(args, options));
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const alone = () => this.startProcess(args, options);
    if (options.uid !== undefined) return alone().ended;
    return runCommand(this.#order(args, options), alone);
  }

  #order(words: readonly string[], { env, input = "" }: RunOptions): Order {
    return { words, env: { ...this.env, ...env }, input };
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
    const words = ["auth", "docker-credential", verb];
    return runCommand(this.#order(words, { ...options, input }), () =>
      this.startProcess([verb], { ...options, input }, "docker-credential-wharf"),
    );
  }

  /** Logs a person in, with a browser reduced to what a login needs. */
  async logIn(
    world: World,
    person: string,
    args: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<Ended & { page: Visited }> {
    const provider = ["--identity-provider", world.login.provider];
    const login = this.start(["auth", "login", "--no-browser", ...provider, ...args], options);
    const [url] = await login.says(/http:\S+/);
    const page = await world.login.signIn(new HttpBrowser(), url, person);
    return { ...(await login.ended), page };
  }

  /** The files of the cache, by path. */
  files(): string[] {
    return readdirSync(this.cache, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  /** The file of the only login. */
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
    // A browser that was started may still write the address.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
