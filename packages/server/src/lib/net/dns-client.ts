import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { NameFiles } from "../name-files.ts";

/** Without an answer, a name server is asked again after this time, and then given up after twice that. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;

/** What name servers answer when there is no such name, or no address of it. */
const NO_SUCH_NAME = new Set(["ENOTFOUND", "ENODATA", "EBADNAME", "EFORMERR"]);

export interface DnsOptions {
  /** Name servers, as addresses with ports; by default those of resolv.conf. */
  readonly servers?: readonly string[];
  /** How long a name server is waited for at first. */
  readonly timeoutMs?: number;
}

/** Asks name servers. Concurrent lookups of a name share one question. */
export class DnsClient {
  readonly #files: NameFiles;
  readonly #options: DnsOptions;
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();
  #resolver: Resolver | undefined;
  #version = "";

  constructor(files: NameFiles, options: DnsOptions) {
    this.#files = files;
    this.#options = options;
  }

  resolve(name: string): Promise<readonly LookupAddress[]> {
    let running = this.#running.get(name);
    if (running === undefined) {
      running = this.#search(name).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
    return running;
  }

  async #search(name: string): Promise<readonly LookupAddress[]> {
    const resolver = this.#current();
    let isUncertain = false;
    for (const candidate of this.#files.candidates(name)) {
      const found = await ask(resolver, candidate);
      if (typeof found === "object") return found;
      if (found === "ECONNREFUSED") throw lookupError(found, name);
      if (NO_SUCH_NAME.has(found)) continue;
      isUncertain = true;
      // As resolver(3): after a failure of the server the search goes on, without an answer it does not.
      if (found !== "ESERVFAIL") break;
    }
    throw lookupError(isUncertain ? "EAI_AGAIN" : "ENOTFOUND", name);
  }

  /** A resolver has the name servers of the time when it is made. */
  #current(): Resolver {
    const { version } = this.#files;
    if (this.#resolver === undefined || version !== this.#version) {
      const { servers, timeoutMs: timeout = TIMEOUT_MS } = this.#options;
      this.#resolver = new Resolver({ timeout, tries: TRIES });
      if (servers !== undefined) this.#resolver.setServers(servers);
      this.#version = version;
    }
    return this.#resolver;
  }
}

/** The addresses of both families, or the code of the error if there are none. */
async function ask(resolver: Resolver, name: string): Promise<readonly LookupAddress[] | string> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (addresses.length > 0) return addresses.map(withFamily);
  const codes = answers.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  return codes.find((code) => !NO_SUCH_NAME.has(code)) ?? "ENOTFOUND";
}

export function withFamily(address: string): LookupAddress {
  return { address, family: isIP(address) };
}

export function lookupError(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: cannot resolve ${name}`), { code });
}
