/** CNCF Distribution, the registry, and skopeo, a client of it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { scratchFolder } from "../server/scratch-folder.ts";

/** A registry that takes longer to start is not going to, on the slowest machine. */
const START_MS = 60_000;

/** The differences of a registry from one with access control only. */
export interface TestRegistryOptions {
  /** The secret of notifications to the server; without it, none are sent. */
  readonly secret?: string;
  /** The notification endpoint, by default that of the server. */
  readonly notifyUrl?: string;
  /** Additional settings of its configuration. */
  readonly more?: object;
}

/** A real CNCF Distribution that asks a server of ours who may do what. */
export class TestRegistry {
  readonly host: string;
  readonly folder: string;
  #process: ChildProcess | undefined;

  private constructor(host: string, folder: string) {
    this.host = host;
    this.folder = folder;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  /** The folder of its files, for tests that write them. */
  get storage(): string {
    return join(this.folder, "storage");
  }

  /**
   * Starts a registry that sends its clients to a server, and trusts the keys that this publishes now.
   *
   * @example const registry = await TestRegistry.start(server.url, host);
   */
  static async start(
    authUrl: string,
    host: string,
    { secret, notifyUrl = authUrl, more }: TestRegistryOptions = {},
  ): Promise<TestRegistry> {
    const folder = scratchFolder("wharf-registry-");
    const bundle = join(folder, "certs.pem");
    writeFileSync(bundle, await (await fetch(`${authUrl}/registry/certs.pem`)).text());
    const token = { realm: `${authUrl}/token`, service: host, issuer: authUrl };
    const storage = {
      filesystem: { rootdirectory: join(folder, "storage") },
      delete: { enabled: true },
    };
    const endpoint = {
      name: "wharf",
      url: `${notifyUrl}/registry/notifications`,
      headers: { Authorization: [`Bearer ${secret}`] },
      timeout: "5s",
      threshold: 3,
      backoff: "1s",
    };
    const config = {
      version: "0.1",
      log: { accesslog: { disabled: true }, level: "error" },
      storage,
      http: { addr: host },
      auth: { token: { ...token, rootcertbundle: bundle } },
      ...(secret !== undefined && { notifications: { endpoints: [endpoint] } }),
      ...more,
    };
    writeFileSync(join(folder, "config.yml"), stringify(config));
    const registry = new TestRegistry(host, folder);
    await registry.up();
    return registry;
  }

  /** Starts it, again if it was down. */
  async up(): Promise<void> {
    const child = spawn("docker-registry", ["serve", join(this.folder, "config.yml")], {
      stdio: "ignore",
    });
    process.once("exit", () => child.kill("SIGKILL"));
    this.#process = child;
    await this.#ready();
  }

  /** Ends it; what it keeps stays. */
  async down(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }

  async #ready(): Promise<void> {
    const until = Date.now() + START_MS;
    while (Date.now() < until && this.#process?.exitCode === null) {
      const answered = await fetch(`http://${this.host}/v2/`).catch(() => undefined);
      if (answered?.status === 401) return;
      await sleep(50);
    }
    throw new Error("the registry did not start");
  }

  async stop(): Promise<void> {
    await this.down();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The result of a run of skopeo. */
export interface Ran {
  readonly ok: boolean;
  readonly output: string;
}

/**
 * Runs skopeo, which knows registries as any client does. Never rejects: refusals are what tests ask for.
 *
 * @example const { ok } = await skopeo("list-tags", "--no-creds", "docker://127.0.0.1:5000/acme/app");
 */
export function skopeo(...args: string[]): Promise<Ran> {
  return skopeoIn(process.env, ...args);
}

/** The same as someone else, with an environment of their own. */
export function skopeoIn(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile("skopeo", ["--insecure-policy", ...args], { env }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr}` });
    });
  });
}
