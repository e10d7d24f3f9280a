import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { operatorToken } from "../../src/app/admin.ts";
import { readSettings } from "../../src/config/settings.ts";
import { freePort } from "./free-port.ts";
import { newDatabase } from "./postgres.ts";
import { scratchFolder } from "./scratch.ts";

export type StoreKind = "sqlite" | "postgres";

/** Both stores, for suites that run on each. */
export const STORES: readonly StoreKind[] = ["sqlite", "postgres"];

const WHARF = join(import.meta.dirname, "../../../cli/bin/wharf.cjs");

/** A server that takes longer to start is not going to, on the slowest machine. */
const START_MS = 60_000;

export interface StartOptions {
  readonly store?: StoreKind;
  readonly flags?: readonly string[];
  /** Join the store of another server instead of making one. */
  readonly sameStoreAs?: Pick<TestServer, "storeFlags">;
}

/** A real server process with a store of its own. */
export class TestServer {
  readonly url: string;
  readonly storeFlags: readonly string[];
  readonly data: string;
  readonly #flags: readonly string[];
  #process: ChildProcess;
  #log: string[];

  private constructor(
    started: Started,
    storeFlags: readonly string[],
    flags: readonly string[],
    data: string,
  ) {
    this.url = started.url;
    this.#process = started.process;
    this.#log = started.log;
    this.storeFlags = storeFlags;
    this.#flags = flags;
    this.data = data;
  }

  /**
   * Starts a server and waits until it is ready.
   *
   * @example const server = await TestServer.start({ store: "postgres" });
   */
  static async start({
    store = "sqlite",
    flags = [],
    sameStoreAs,
  }: StartOptions = {}): Promise<TestServer> {
    const data = scratchFolder("wharf-test-");
    const storeFlags = sameStoreAs?.storeFlags ?? [
      ...(await newStore(store, data)),
      ...secretKeyOf(flags),
    ];
    const listen = `127.0.0.1:${await freePort()}`;
    const started = await launch(["--listen", listen, ...storeFlags, ...flags]);
    return new TestServer(started, storeFlags, flags, data);
  }

  /** Everything that the server has logged so far. */
  get log(): string {
    return this.#log.join("\n");
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** The address that tokens are meant for: that of the flags, or where the server listens. */
  get baseUrl(): string {
    const at = this.#flags.indexOf("--base-url");
    return at < 0 ? this.url : (this.#flags[at + 1] as string);
  }

  /** A token of the operator, or of an identity: what the admin command prints, without its process. */
  async token(identity?: string): Promise<string> {
    return operatorToken(await readSettings(this.#adminFlags, {}), identity);
  }

  /** Runs an admin command on the server's store and returns what it prints. */
  async admin(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [
      WHARF,
      "admin",
      ...args,
      ...this.#adminFlags,
    ]);
    return stdout;
  }

  get #adminFlags(): string[] {
    return [...this.storeFlags, "--base-url", this.baseUrl];
  }

  /** Ends the process at once, as a power cut would. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, "exit");
  }

  /** Starts again on the same address and store, with other settings where these are given. */
  async restart(flags = this.#flags): Promise<void> {
    const { host } = new URL(this.url);
    const started = await launch(["--listen", host, ...this.storeFlags, ...flags]);
    this.#process = started.process;
    this.#log = started.log;
  }

  /** Asks the process to end, and returns its exit code once it has; what it kept stays. */
  async terminate(): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      // "close" comes after the last line of its log.
      const closed = once(this.#process, "close");
      this.#process.kill("SIGTERM");
      await closed;
    }
    return this.#process.exitCode;
  }

  /** Asks the process to end, throws away what it kept, and returns its exit code. */
  async stop(): Promise<number | null> {
    const code = await this.terminate();
    rmSync(this.data, { recursive: true, force: true });
    return code;
  }
}

interface Started {
  readonly process: ChildProcess;
  readonly url: string;
  readonly log: string[];
}

/** The secret key belongs to the store: admin commands and replicas need it, too. */
function secretKeyOf(flags: readonly string[]): readonly string[] {
  const at = flags.indexOf("--secret-key-file");
  return at < 0 ? [] : flags.slice(at, at + 2);
}

async function newStore(store: StoreKind, data: string): Promise<string[]> {
  return store === "sqlite" ? ["--data", data] : ["--database-url", await newDatabase()];
}

/** Whatever still runs when the tests end is not left behind. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

async function launch(flags: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [WHARF, "serve", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`the server ${what}:\n${log.join("\n")}`));
    lines.once("line", (line) => resolve(line));
    // "close" comes after the last line of its log.
    child.once("close", (code) => fail(`ended at start with ${code}`));
    const timer = setTimeout(() => {
      fail("did not start");
      child.kill("SIGKILL");
    }, START_MS);
    lines.once("close", () => clearTimeout(timer));
    lines.once("line", () => clearTimeout(timer));
  });
  const url = (await ready).replace("wharf: ready at ", "");
  return { process: child, url, log };
}
