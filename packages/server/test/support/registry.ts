import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";

/** A registry that takes longer to start is not going to, on the slowest machine. */
const START_MS = 20_000;

/** A real CNCF Distribution that asks a server of ours who may do what. */
export class TestRegistry {
  readonly host: string;
  readonly folder: string;
  readonly #process: ChildProcess;

  private constructor(host: string, folder: string, child: ChildProcess) {
    this.host = host;
    this.folder = folder;
    this.#process = child;
  }

  /**
   * Starts a registry that sends its clients to a server, and trusts the keys that this publishes now.
   *
   * @example const registry = await TestRegistry.start(server.url, host);
   */
  static async start(authUrl: string, host: string): Promise<TestRegistry> {
    const folder = mkdtempSync(join(tmpdir(), "wharf-registry-"));
    const bundle = join(folder, "certs.pem");
    writeFileSync(bundle, await (await fetch(`${authUrl}/registry/certs.pem`)).text());
    const token = { realm: `${authUrl}/token`, service: host, issuer: authUrl };
    const storage = {
      filesystem: { rootdirectory: join(folder, "storage") },
      delete: { enabled: true },
    };
    const config = {
      version: "0.1",
      log: { accesslog: { disabled: true }, level: "error" },
      storage,
      http: { addr: host },
      auth: { token: { ...token, rootcertbundle: bundle } },
    };
    const file = join(folder, "config.yml");
    writeFileSync(file, stringify(config));
    const child = spawn("docker-registry", ["serve", file], { stdio: "ignore" });
    process.once("exit", () => child.kill("SIGKILL"));
    const registry = new TestRegistry(host, folder, child);
    await registry.#ready();
    return registry;
  }

  async #ready(): Promise<void> {
    const until = Date.now() + START_MS;
    while (Date.now() < until && this.#process.exitCode === null) {
      const answered = await fetch(`http://${this.host}/v2/`).catch(() => undefined);
      if (answered?.status === 401) return;
      await sleep(50);
    }
    throw new Error("the registry did not start");
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, "exit");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a run of skopeo came to. */
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
  return new Promise((resolve) => {
    execFile("skopeo", ["--insecure-policy", ...args], (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr}` });
    });
  });
}
