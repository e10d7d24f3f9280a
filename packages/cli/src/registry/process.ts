import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { failed } from "../errors.ts";
import { INSTANCE_HEADER, type RegistrySite } from "./site.ts";

const POLL_INTERVAL_MS = 50;

const START_TIMEOUT_MS = 20_000;

/** Time for the output that explains an exit to arrive after it. */
const OUTPUT_TIMEOUT_MS = 1_000;

/** Log lines about 4xx responses, which are normal: missing blobs, requests without a token. */
const ROUTINE =
  /msg="(error authorizing context|response completed with error".* http\.response\.status=4\d\d)/;

/** A log line that explains an exit, such as `level=fatal msg="listen tcp …: address already in use"`. */
const FATAL = /\blevel=(?:fatal|panic)\b.*?\bmsg="((?:[^"\\]|\\.)*)"/;

/** The process of a registry, from its start to its exit. */
export class RegistryProcess {
  /** Resolves with the reason when the process has exited, or could not be started. */
  readonly exited: Promise<string>;
  readonly #site: RegistrySite;
  readonly #child: ChildProcess;
  #fatal = "";
  #lastLine = "";

  constructor(site: RegistrySite) {
    this.#site = site;
    const { program, configFile } = site;
    this.#child = spawn(program, ["serve", configFile], { stdio: ["ignore", "pipe", "pipe"] });
    const outputs = [this.#child.stdout, this.#child.stderr].map((input) => {
      if (input === null) return undefined;
      const lines = createInterface({ input }).on("line", (line) => this.#note(line));
      return new Promise((resolve) => lines.once("close", resolve));
    });
    this.exited = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(`the registry cannot run: ${error.message}`));
      this.#child.once("exit", async (code, signal) => {
        // A process that it has started may keep the output open.
        await Promise.race([Promise.all(outputs), sleep(OUTPUT_TIMEOUT_MS)]);
        const reason = this.#fatal || this.#lastLine;
        const end = signal === null ? `exited with code ${code}` : `was terminated by ${signal}`;
        resolve(`the registry ${end}${reason && `: ${reason}`}`);
      });
    });
  }

  /** Resolves when this process answers at its address; rejects with the reason if it exits. */
  async ready(signal: AbortSignal): Promise<void> {
    const { url } = this.#site;
    let reason: string | undefined;
    this.exited.then((text) => {
      reason = text;
    });
    const until = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < until) {
      if (reason !== undefined) throw failed(reason, this.#hint());
      if (await this.#answers()) return;
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
    const seconds = START_TIMEOUT_MS / 1000;
    throw failed(`the registry does not answer at ${url.host} after ${seconds} seconds`);
  }

  /** Stops the process and waits for its exit. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.exited;
  }

  /** Whether this process answers, not another one that has the port. */
  async #answers(): Promise<boolean> {
    const { url, instance } = this.#site;
    const answer = await fetch(`${url.origin}/v2/`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 401 && answer.headers.get(INSTANCE_HEADER) === instance;
  }

  #note(line: string): void {
    if (ROUTINE.test(line)) return;
    this.#lastLine = line;
    this.#fatal ||= FATAL.exec(line)?.[1] ?? "";
    console.error(line);
  }

  #hint(): string | undefined {
    if (!/address already in use/.test(this.#fatal)) return undefined;
    return `another process listens at ${this.#site.url.host}: stop it, or choose another port in --registry-urls`;
  }
}
