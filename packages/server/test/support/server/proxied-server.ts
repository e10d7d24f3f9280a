/** A server in this process, with a proxy in front of its database that simulates outages. */
import { operatorToken } from "../../../src/app/admin.ts";
import type { RunningServer } from "../../../src/app/running-server.ts";
import { startServer } from "../../../src/app/server.ts";
import type { Settings } from "../../../src/config/settings.ts";
import { openPostgres } from "../../../src/store/db/postgres.ts";
import { Store } from "../../../src/store/db/store.ts";
import { newDatabase } from "./postgres.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { testSettings } from "./test-settings.ts";

/** The interval of health checks. */
const CHECK_MS = 50;

export class ProxiedServer {
  readonly proxy: TcpProxy;
  readonly log: string[] = [];
  readonly #settings: Settings;
  #server!: RunningServer;

  private constructor(proxy: TcpProxy, settings: Settings) {
    this.proxy = proxy;
    this.#settings = settings;
  }

  static async start(...flags: readonly string[]): Promise<ProxiedServer> {
    const url = new URL(await newDatabase());
    const proxy = await TcpProxy.to(Number(url.port));
    const all = ["--listen", "127.0.0.1:0", "--database-url", url.href, ...flags];
    const started = new ProxiedServer(proxy, await testSettings(all));
    url.port = String(proxy.port);
    started.#server = await startServer(started.#settings, {
      open: async (_settings, tables, timings) =>
        Store.open(await openPostgres(url.href), tables, timings, { checkMs: CHECK_MS }),
      logOutput: { write: (line) => started.log.push(line), flushSync() {} },
    });
    return started;
  }

  get url(): string {
    return this.#server.url;
  }

  /** A token of the operator, which does not need the proxy. */
  token(): Promise<string> {
    return operatorToken(this.#settings);
  }

  async stop(): Promise<void> {
    this.proxy.heal();
    await this.#server.stop();
    this.proxy.close();
  }
}
