import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { failed } from "../errors.ts";
import { hasNewKey } from "./new-keys.ts";
import type { RegistrySite } from "./site.ts";

/** How often it is asked whether the server, or the registry, is there. */
const ASK_MS = 250;

/** How often the server's keys are looked at: the next key is known long before it is used. */
const KEYS_MS = 2_000;

/** A registry that takes longer to start is not going to. */
const START_MS = 20_000;

/** What a registry says of clients that ask for what is not there yet, or have yet to bring a token. */
const EVERYDAY =
  /msg="(error authorizing context|response completed with error".* http\.response\.status=4\d\d)/;

/** Keeps a registry running with the keys of today, until it is told to stop. */
export class Supervisor {
  /** Resolves when it was told to stop and has; rejects when the registry ends by itself. */
  readonly ended: Promise<void>;
  readonly #renew: () => Promise<RegistrySite>;
  #site: RegistrySite;
  readonly #stopping = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #child: ChildProcess | undefined;
  #keys = "";
  #hasServer = true;

  /** @param renew writes the registry's files again: a rotation of keys may come with a new notification secret. */
  constructor(site: RegistrySite, renew: () => Promise<RegistrySite>) {
    this.#site = site;
    this.#renew = renew;
    this.ended = this.#end.promise;
    this.ended.catch(() => {});
  }

  /** Waits for the server, then starts the registry and waits for that. */
  async start(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await this.#waitForServer();
      await this.#checkAttached();
      this.#keys = await this.#publishedKeys();
      await this.#up();
      void this.#watchKeys();
    } catch (error) {
      await this.#down();
      // Whoever was told to stop while it waited has done so.
      if (signal.aborted) process.exit(0);
      throw error;
    }
  }

  stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#down().then(() => {
      this.#end.resolve();
      process.exit(0);
    });
  }

  async #waitForServer(): Promise<void> {
    const { baseUrl } = this.#site.wiring;
    const isThere = () =>
      fetch(`${baseUrl}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
    if (await isThere()) return;
    console.error(`wharf: waiting for the server at ${baseUrl}`);
    do await sleep(ASK_MS, undefined, this.#stopping);
    while (!(await isThere()));
  }

  /** An envelope of nothing tells whether the server will take those of the registry. */
  async #checkAttached(): Promise<void> {
    const { url } = this.#site;
    const { baseUrl, host, secret } = this.#site.wiring;
    const answer = await fetch(`${baseUrl}/registry/notifications`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ events: [] }),
    });
    if (answer.ok) return;
    throw failed(
      `the server at ${baseUrl} does not keep track of ${host}`,
      `start it with --registry-urls ${host}=${url.origin}`,
    );
  }

  async #publishedKeys(): Promise<string> {
    const answer = await fetch(`${this.#site.wiring.baseUrl}/registry/certs.pem`);
    if (!answer.ok) throw failed(`the server answers ${answer.status} for its keys`);
    return answer.text();
  }

  /** Registries read keys only when they start. */
  async #watchKeys(): Promise<void> {
    for (;;) {
      try {
        await sleep(KEYS_MS, undefined, this.#stopping);
        const keys = await this.#publishedKeys().catch(() => undefined);
        this.#noteServer(keys !== undefined);
        if (keys === undefined) continue;
        if (!hasNewKey(keys, this.#keys) || this.#stopping.signal.aborted) continue;
        console.error(
          "wharf: the keys of registry tokens have changed; starting the registry anew",
        );
        this.#keys = keys;
        await this.#down();
        this.#site = await this.#renew();
        await this.#up();
        console.error("wharf: the registry is back, with the keys of now");
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#end.reject(error);
        return;
      }
    }
  }

  /** The registry goes on without its server: nobody could tell a restart from the end. */
  #noteServer(isThere: boolean): void {
    if (isThere === this.#hasServer) return;
    this.#hasServer = isThere;
    const { baseUrl } = this.#site.wiring;
    console.error(
      isThere
        ? `wharf: the server at ${baseUrl} is back`
        : `wharf: the server at ${baseUrl} is gone; until it is back, nobody is let in anew. Ctrl-C ends the registry`,
    );
  }

  async #up(): Promise<void> {
    const { program, configFile, certificates, url } = this.#site;
    this.#stopping.signal.throwIfAborted();
    writeFileSync(certificates, this.#keys);
    const child = spawn(program, ["serve", configFile], { stdio: ["ignore", "pipe", "pipe"] });
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (line) => {
        if (!EVERYDAY.test(line)) console.error(line);
      });
    }
    this.#child = child;
    child.once("exit", (code) => {
      if (this.#child === child) this.#end.reject(failed(`the registry ended with ${code}`));
    });
    const until = Date.now() + START_MS;
    while (Date.now() < until && child.exitCode === null) {
      const answer = await fetch(`${url.origin}/v2/`).catch(() => undefined);
      // Whoever else listens there does not ask for a token of ours.
      const asks = answer?.headers.get("www-authenticate") ?? "";
      if (answer?.status === 401 && asks.includes(this.#site.wiring.host)) return;
      await sleep(ASK_MS / 5, undefined, this.#stopping);
    }
    throw failed(`the registry did not start at ${url.host}`, "is the port in use?");
  }

  async #down(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}
