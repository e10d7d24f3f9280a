import { setTimeout as sleep } from "node:timers/promises";
import type { Addresses } from "../../config/addresses.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { WharfError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/scheduling/semaphore.ts";
import type { RegistryKeys } from "../access/keys.ts";
import { issueRegistryToken, type ResourceActions } from "../access/token.ts";
import { MANIFEST_TYPES } from "../images/manifest.ts";
import {
  ResponseTooLargeError,
  Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

/** The subject of our own tokens. Registries report our reads, too; they are not counted as pulls. */
export const SERVICE_SUBJECT = "wharf";

/** Concurrent requests to one registry. */
const CONCURRENCY = 8;

/** Our own tokens are valid for five minutes and reused for four. */
const TOKEN_REUSE_MS = 4 * 60_000;

/** Retries after 429, at the time that Retry-After names. */
const MAX_RETRIES = 3;
const MAX_RETRY_DELAY_MS = 10_000;

/** The registry, or a proxy in front of it, is overloaded or down. */
const UNAVAILABLE_STATUSES = new Set([429, 502, 503, 504]);

/** More than the repositories that are read concurrently. */
const MAX_CACHED_TOKENS = 64;

const ACCEPT = [...MANIFEST_TYPES, "*/*"].join(", ");

export interface RegistryClientDeps {
  readonly host: string;
  readonly url: string;
  readonly keys: RegistryKeys;
  addresses(): Addresses;
}

export interface RegistryRequest extends Omit<TransportRequest, "headers"> {
  readonly target: string;
  readonly access: readonly ResourceActions[];
  /** The subject of the token; undefined for our own. */
  readonly subject?: string;
  readonly contentType?: string;
}

export interface RegistryResponse extends TransportResponse {
  /** The time at which the request was sent, by the registry's clock. */
  readonly time: number;
}

interface CachedToken {
  readonly token: string;
  readonly kid: string;
}

/** Sends requests to one registry with self-signed tokens, bounded concurrency and retries. */
export class RegistryClient {
  readonly #deps: RegistryClientDeps;
  readonly #semaphore = new Semaphore(CONCURRENCY);
  readonly #transport = new Transport(CONCURRENCY);
  readonly #tokens = new BoundedCache<string, CachedToken>({
    maxEntries: MAX_CACHED_TOKENS,
    ttlMs: TOKEN_REUSE_MS,
  });

  constructor(deps: RegistryClientDeps) {
    this.#deps = deps;
  }

  /** Sends a request. Returns undefined for 404; other error statuses throw. */
  send(request: RegistryRequest): Promise<RegistryResponse | undefined> {
    const { target, access, subject, contentType, ...rest } = request;
    return this.#semaphore.run(async () => {
      const token = await (subject === undefined
        ? this.#ownToken(access)
        : this.#sign(subject, access));
      const type = contentType && { "content-type": contentType };
      const headers = { authorization: `Bearer ${token}`, accept: ACCEPT, ...type };
      const url = new URL(`${this.#deps.url}${target}`);
      const response = await this.#sendWithRetries(url, { ...rest, headers });
      const { status } = response;
      if (status >= 200 && status <= 204) return response;
      if (status === 404) return undefined;
      const problem = `answers ${status} to ${request.method} ${target}`;
      throw UNAVAILABLE_STATUSES.has(status)
        ? this.#unavailable(problem)
        : this.protocolError(problem);
    });
  }

  /** The registry answers, but not as the protocol requires. */
  protocolError(problem: string): WharfError {
    return new WharfError("UNKNOWN", `the registry ${this.#deps.host} ${problem}`);
  }

  close(): void {
    this.#transport.close();
  }

  async #sendWithRetries(url: URL, request: TransportRequest): Promise<RegistryResponse> {
    for (let retries = 0; ; retries++) {
      const began = Date.now();
      const response = await this.#transport.send(url, request).catch((error) => {
        const problem = `cannot be read: ${error.message || error.code}`;
        throw error instanceof ResponseTooLargeError
          ? this.protocolError(problem)
          : this.#unavailable(problem, error);
      });
      const { status, headers } = response;
      if (status !== 429 || retries === MAX_RETRIES) {
        return { ...response, time: registryTime(began, headers.date) };
      }
      const { signal } = request;
      await sleep(retryDelay(headers["retry-after"]), undefined, signal && { signal });
    }
  }

  /** A token for ourselves; cached, as a reconcile pass sends many requests for one repository. */
  async #ownToken(access: readonly ResourceActions[]): Promise<string> {
    const name = (access[0] as ResourceActions).name;
    const cached = this.#tokens.get(name);
    // After a rotation, registries may no longer accept the former key.
    const { kid } = await this.#deps.keys.current();
    if (cached?.kid === kid) return cached.token;
    const token = await this.#sign(SERVICE_SUBJECT, access);
    this.#tokens.set(name, { token, kid });
    return token;
  }

  async #sign(subject: string, access: readonly ResourceActions[]): Promise<string> {
    const { host: service, keys, addresses } = this.#deps;
    const issuer = addresses().authUrl;
    const content = { issuer, service, subject, access, expires: Number.POSITIVE_INFINITY };
    return issueRegistryToken(await keys.current(), content, Date.now()).token;
  }

  #unavailable(problem: string, cause?: unknown): WharfError {
    const { host } = this.#deps;
    return new WharfError("UNAVAILABLE", `the registry ${host} ${problem}`, undefined, cause);
  }
}

/** The delay that Retry-After names, in seconds or as a date; one second without it. */
function retryDelay(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter ?? 1);
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter as string) - Date.now() : seconds * 1000;
  return Math.min(Math.max(ms || 0, 0), MAX_RETRY_DELAY_MS);
}

/** The Date header has a resolution of a second: smaller differences count as equal clocks. */
const CLOCK_TOLERANCE_MS = 2_000;

/** Our time by the registry's clock, according to the Date header, but never later than ours. */
function registryTime(began: number, date: string | undefined): number {
  const theirs = Date.parse(date ?? "");
  return Math.abs(theirs - began) > CLOCK_TOLERANCE_MS ? Math.min(theirs, began) : began;
}
