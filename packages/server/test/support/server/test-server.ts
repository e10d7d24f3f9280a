/** The server under test, in this process or in one of its own. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { operatorToken } from "../../../src/app/admin.ts";
import { type ServerOptions, startServer } from "../../../src/app/server.ts";
import { DELIVERY_TIMES, type DeliveryTimes } from "../../../src/delivery/times.ts";
import { ENGINE_LIMITS, type EngineLimits } from "../../../src/engine/limits.ts";
import { openServerStore } from "../../../src/store/db/open.ts";
import type { Store } from "../../../src/store/db/store.ts";
import { freePort } from "./free-port.ts";
import { newLocalDatabase } from "./postgres.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { copyTemplate } from "./store-template.ts";
import { testSettings } from "./test-settings.ts";

export type StoreKind = "sqlite" | "postgres";

/** Both stores, for suites that run on each. */
export const STORES: readonly StoreKind[] = ["sqlite", "postgres"];

const WHARF = join(import.meta.dirname, "../../../../cli/bin/wharf.cjs");

/** Runs tests of one process with several: see `test/long/workers.test.ts`. */
const WORKERS = process.env.WHARF_TEST_WORKERS ? Number(process.env.WHARF_TEST_WORKERS) : undefined;

/** A server that takes longer to start is not going to, on the slowest machine. */
const START_MS = 240_000;

export interface StartOptions {
  readonly store?: StoreKind;
  readonly flags?: readonly string[];
  /** Join the store of another server instead of making one. */
  readonly sameStoreAs?: Pick<TestServer, "storeFlags">;
  /**
   * Start the built program as a process of its own: for tests that kill it, measure it, or need it
   * to work while the test itself is busy. Otherwise the server runs within the test's process,
   * which takes a tenth of the time to start.
   */
  readonly ownProcess?: boolean;
  /** Start several processes that serve on one port. Implies `ownProcess`. */
  readonly workers?: number | undefined;
  /** Program that starts the server in place of the command, in a process of its own: for options that are no settings. */
  readonly program?: string;
  /** Opens the store of a server in this process, for tests that delay its writes. */
  readonly open?: ServerOptions["open"];
  /** Smaller sizes than usual, for a server in this process: tests of limits need fewer rows. */
  readonly limits?: Partial<EngineLimits>;
  /** Shorter times of deliveries, for a server in this process. */
  readonly deliveryTimes?: Partial<DeliveryTimes>;
  /** The resolver of sinks' host names, for a server in this process. */
  readonly hosts?: ServerOptions["hosts"];
}

/** A real server on a real port, with a store of its own. */
export class TestServer {
  readonly url: string;
  readonly storeFlags: readonly string[];
  readonly data: string;
  readonly #launch: Launch;
  readonly #flags: readonly string[];
  #running: Running;

  private constructor(
    launch: Launch,
    running: Running,
    storeFlags: readonly string[],
    flags: readonly string[],
    data: string,
  ) {
    this.url = running.url;
    this.#launch = launch;
    this.#running = running;
    this.storeFlags = storeFlags;
    this.#flags = flags;
    this.data = data;
  }

  /** Starts a server and waits until it is ready. */
  static async start({
    store = "sqlite",
    flags = [],
    sameStoreAs,
    open,
    limits,
    deliveryTimes,
    hosts,
    workers = open || limits || deliveryTimes || hosts ? undefined : WORKERS,
    program,
    ownProcess = workers !== undefined || program !== undefined,
  }: StartOptions = {}): Promise<TestServer> {
    const data = scratchFolder("wharf-test-");
    const storeFlags = sameStoreAs?.storeFlags ?? [
      ...(await newStore(store, data)),
      ...secretKeyOf(flags),
    ];
    const listen = `127.0.0.1:${await freePort()}`;
    const launch = ownProcess
      ? startProcess(program)
      : startInProcess({ open, limits, deliveryTimes, hosts });
    const all = workers === undefined ? flags : ["--workers", String(workers), ...flags];
    const running = await launch(["--listen", listen, ...storeFlags, ...all]);
    return new TestServer(launch, running, storeFlags, all, data);
  }

  /** The server's log so far. */
  get log(): string {
    return this.logLines.join("\n");
  }

  /** The lines that the server has logged since its start: one list, which grows. */
  get logLines(): readonly string[] {
    return this.#running.log;
  }

  /** The process of a server that has one of its own. */
  get process(): ChildProcess {
    assert.ok(this.#running.process, "the server was started without `ownProcess`");
    return this.#running.process;
  }

  /** The open store of a server in this process, unless the test opens it: another would need connections of its own. */
  get store(): Store | undefined {
    return this.#running.store;
  }

  /** The address that tokens are meant for: that of the flags, or where the server listens. */
  get baseUrl(): string {
    const at = this.#flags.indexOf("--base-url");
    return at < 0 ? this.url : (this.#flags[at + 1] as string);
  }

  /** A token of the operator, or of an identity: what the admin command prints, without its process. */
  async token(identity?: string): Promise<string> {
    return operatorToken(await testSettings(this.#adminFlags), identity);
  }

  /** Runs an admin command on the server's store and returns what it prints. */
  async admin(...args: string[]): Promise<string> {
    const words = ["admin", ...args, ...this.#adminFlags];
    // Only here: few tests need the command.
    const { runCommand } = await import("../../../../cli/test/support/resident.ts");
    const { RunningProcess } = await import("../../../../cli/test/support/running.ts");
    const env = { ...process.env };
    const alone = () => new RunningProcess(spawn(process.execPath, [WHARF, ...words], { env }));
    const { code, stdout, stderr } = await runCommand({ words, env, input: "" }, alone);
    if (code === 0) return stdout;
    throw Object.assign(new Error(`wharf ${words.join(" ")}: ${stderr}`), { code, stderr });
  }

  get #adminFlags(): string[] {
    return [...this.storeFlags, "--base-url", this.baseUrl];
  }

  /** Ends the process at once, as a power cut would. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    if (this.process.exitCode === null && this.process.signalCode === null)
      await once(this.process, "exit");
  }

  /** Starts again on the same address and store, with overrides of its settings. */
  async restart(flags = this.#flags): Promise<void> {
    const { host } = new URL(this.url);
    this.#running = await this.#launch(["--listen", host, ...this.storeFlags, ...flags]);
  }

  /**
   * Stops the server as SIGTERM does, and returns its exit code; its data stays. A delay is for servers in this
   * process: the next call ends it.
   */
  terminate(delayMs?: number): Promise<number | null> {
    return this.#running.stop(delayMs);
  }

  /** Stops the server, removes its data, and returns its exit code. */
  async stop(): Promise<number | null> {
    const code = await this.terminate();
    rmSync(this.data, { recursive: true, force: true });
    return code;
  }
}

/** A server that answers. */
interface Running {
  readonly url: string;
  /** The lines of its log so far. */
  readonly log: readonly string[];
  /** Undefined where it runs in this one. */
  readonly process?: ChildProcess;
  readonly store?: Store | undefined;
  stop(delayMs?: number): Promise<number | null>;
}

type Launch = (flags: readonly string[]) => Promise<Running>;

/** Options that only a server in this process can have. */
type Inside = {
  readonly [Name in "open" | "limits" | "deliveryTimes" | "hosts"]: StartOptions[Name] | undefined;
};

const startInProcess =
  ({ open, limits, deliveryTimes, hosts }: Inside) =>
  async (flags: readonly string[]) => {
    const log: string[] = [];
    const write = (line: string) => log.push(line.trimEnd());
    let store: Store | undefined;
    const openUsual: ServerOptions["open"] = async (...args) => {
      store = await openServerStore(...args);
      return store;
    };
    const server = await startServer(await testSettings(flags), {
      open: open ?? openUsual,
      logOutput: { write, flushSync() {} },
      // Hashing at the production cost would take most of the time of login tests.
      passwordCost: { memory: 64, passes: 1, parallelism: 1 },
      ...(limits && { limits: { ...ENGINE_LIMITS, ...limits } }),
      ...(hosts && { hosts }),
      ...(deliveryTimes && { deliveryTimes: { ...DELIVERY_TIMES, ...deliveryTimes } }),
    });
    if (server.firstRun !== undefined) {
      const { url, code } = server.firstRun;
      log.push(`wharf: first run: open ${url} and enter the code ${code} (valid for 24 hours)`);
    }
    const stop = async (delayMs?: number) => {
      await server.stop(delayMs);
      // Clients in this process see the end of their connections with the next events: until then
      // they would use them for the next request.
      for (let tick = 0; tick < 3; tick++) await setImmediate();
      return 0;
    };
    return { url: server.url, log, store, stop };
  };

/** The secret key belongs to the store: admin commands and replicas need it, too. */
function secretKeyOf(flags: readonly string[]): readonly string[] {
  const at = flags.indexOf("--secret-key-file");
  return at < 0 ? [] : flags.slice(at, at + 2);
}

async function newStore(store: StoreKind, data: string): Promise<string[]> {
  const own = ["--data", data];
  if (store === "postgres") return ["--database-url", await newLocalDatabase(), ...own];
  await copyTemplate(data);
  return own;
}

/** Whatever still runs when the tests end is not left behind. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

const COMMAND = [WHARF, "serve", "--shutdown-delay", "0", "--workers", "1"];

const startProcess = (program?: string) => async (flags: readonly string[]) => {
  const words = program === undefined ? COMMAND : [program];
  const child = spawn(process.execPath, [...words, ...flags], {
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
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      // "close" comes after the last line of its log.
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    }
    return child.exitCode;
  };
  return { url, log, process: child, stop };
};
