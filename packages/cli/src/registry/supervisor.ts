import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { failed } from "../errors.ts";
import { RegistryProcess } from "./process.ts";
import type { RegistrySite } from "./site.ts";

/** How often the server is polled until it is ready. */
const POLL_INTERVAL_MS = 250;

/** How often the server's keys are read; a new key is published long before it is used. */
const KEYS_INTERVAL_MS = 2_000;

/** Keeps a registry running with the current keys until it is stopped. */
export class Supervisor {
  /** Resolves when stopped; rejects when the registry exits by itself. */
  readonly ended: Promise<void>;
  readonly #renew: () => Promise<RegistrySite>;
  #site: RegistrySite;
  readonly #stopping = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #process: RegistryProcess | undefined;
  #keys = "";
  #hasServer = true;

  /** @param renew writes the registry's files again: a rotation of keys may come with a new notification secret. */
  constructor(site: RegistrySite, renew: () => Promise<RegistrySite>) {
    this.#site = site;
    this.#renew = renew;
    this.ended = this.#end.promise;
    this.ended.catch(() => {});
  }

  /** Waits for the server, then starts the registry and waits until it is ready. */
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
      // Stopped while waiting.
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
    do await sleep(POLL_INTERVAL_MS, undefined, this.#stopping);
    while (!(await isThere()));
  }

  /** Sends an empty notification, to check that the server accepts those of the registry. */
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
      `the registry ${host} is not attached to the server at ${baseUrl}`,
      `start it with --registry-urls ${host}=${url.origin}`,
    );
  }

  async #publishedKeys(): Promise<string> {
    const answer = await fetch(`${this.#site.wiring.baseUrl}/registry/certs.pem`);
    if (!answer.ok) throw failed(`the server returned ${answer.status} for its keys`);
    return answer.text();
  }

  /** Registries read keys only at startup. */
  async #watchKeys(): Promise<void> {
    for (;;) {
      try {
        await sleep(KEYS_INTERVAL_MS, undefined, this.#stopping);
        const keys = await this.#publishedKeys().catch(() => undefined);
        this.#noteServer(keys !== undefined);
        if (keys === undefined) continue;
        if (!hasNewKey(keys, this.#keys) || this.#stopping.signal.aborted) continue;
        console.error("wharf: the keys of registry tokens have changed; restarting the registry");
        this.#keys = keys;
        await this.#down();
        this.#site = await this.#renew();
        await this.#up();
        console.error("wharf: the registry is back, with the current keys");
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        await this.#down();
        this.#end.reject(error);
        return;
      }
    }
  }

  /** Keeps the registry running without its server, which may only be restarting. */
  #noteServer(isThere: boolean): void {
    if (isThere === this.#hasServer) return;
    this.#hasServer = isThere;
    const { baseUrl } = this.#site.wiring;
    console.error(
      isThere
        ? `wharf: the server at ${baseUrl} is back`
        : `wharf: the server at ${baseUrl} is unreachable; until it is back, no new tokens are issued. Ctrl-C stops the registry`,
    );
  }

  async #up(): Promise<void> {
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    writeFileSync(this.#site.certificates, this.#keys);
    const started = new RegistryProcess(this.#site);
    this.#process = started;
    await started.ready(signal);
    started.exited.then((reason) => {
      if (this.#process !== started) return;
      this.#stopping.abort();
      this.#end.reject(failed(reason));
    });
  }

  async #down(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.stop();
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Whether there is a new certificate. Removed ones do not require a restart. */
export function hasNewKey(published: string, known: string): boolean {
  return (published.match(CERTIFICATE) ?? []).some((certificate) => !known.includes(certificate));
}
