import type { IncomingHttpHeaders } from "node:http";
import {
  type Download,
  DownloadError,
  type DownloadOptions,
  download,
  mayLead,
} from "../../delivery/download.ts";
import { type CodeName, WharfError } from "../../lib/errors.ts";
import type { HostLookup } from "../../lib/net/host-lookup.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import type { ResourceActions } from "../access/token.ts";
import { MANIFEST_TYPES } from "../images/manifest.ts";
import { Authorization, AuthorizationError, type Credentials } from "./authorization.ts";
import type { RegistryRequest, RegistryResponse } from "./client.ts";
import type { RegistrySender } from "./remote.ts";

/** Concurrent requests for tags and manifests; others wait as long as for an answer. */
const CONCURRENCY = 16;

/** Of a blob, from the request to the last byte. */
const BLOB_TOTAL_MS = 12 * 3_600_000;

const MAX_TOKEN_BYTES = 64 * 1024;

const ACCEPT = [...MANIFEST_TYPES, "*/*"].join(", ");

/** The address of the API of Docker Hub, which has other names, too. */
const DOCKER_HUB = "https://registry-1.docker.io";
const DOCKER_HUB_HOSTS = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);

/** The outcome of a request, for the state of the upstream. */
export interface UpstreamOutcome {
  /** Empty if it succeeded. */
  readonly error: string;
  /** The requests that the rate limit leaves; undefined if the upstream does not say so. */
  readonly rate: number | undefined;
}

export interface UpstreamClientDeps {
  readonly url: string;
  /** Whether a URL may be reached without TLS and at a private address. */
  readonly mayBePrivate: (url: URL) => boolean;
  readonly hosts?: HostLookup | undefined;
  credentials(): Promise<Credentials | undefined>;
  observe(outcome: UpstreamOutcome): void;
  /** From the request to the answer, and between two chunks; manifests and blobs have three of it. */
  readonly timeoutMs: number;
  /** Aborted when this process stops. */
  readonly signal: AbortSignal;
}

/** A blob as it arrives. */
export interface ArrivingBlob {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** As the upstream states it; undefined if it does not. */
  readonly size: number | undefined;
}

type RequestOptions = Pick<DownloadOptions, "timeoutMs" | "totalMs" | "maxBytes" | "signal"> & {
  readonly method?: "GET" | "HEAD";
};

/**
 * Reads from a registry of somebody else, whose address users choose: only over HTTPS and from public addresses by default,
 * also token endpoints and the storage that blobs are redirected to. Credentials go to the token endpoint that the registry
 * names, tokens to the registry alone. UNAVAILABLE and DEADLINE_EXCEEDED mean that it may answer later.
 */
export class UpstreamClient implements RegistrySender {
  readonly #deps: UpstreamClientDeps;
  readonly #base: URL;
  readonly #authorization: Authorization;
  readonly #requests: KeyedSemaphore;

  constructor(deps: UpstreamClientDeps) {
    this.#deps = deps;
    this.#base = new URL(isDockerHub(deps.url) ? DOCKER_HUB : deps.url);
    const { host, origin: url } = this.#base;
    this.#requests = new KeyedSemaphore({
      ...{ perKey: CONCURRENCY, maxWaitMs: deps.timeoutMs },
      rejection: () => this.#failure("UNAVAILABLE", "too many requests wait for it"),
    });
    this.#authorization = new Authorization({ host, url }, deps.credentials, (realm, init) =>
      this.#askForToken(realm, init),
    );
  }

  get host(): string {
    return this.#base.host;
  }

  send(request: RegistryRequest): Promise<RegistryResponse | undefined> {
    const { method, target, maxBytes, access, signal = this.#deps.signal } = request;
    if (method !== "GET" && method !== "HEAD") throw new TypeError("upstreams are only read");
    const { timeoutMs } = this.#deps;
    const options = { method, timeoutMs, totalMs: 3 * timeoutMs, maxBytes, signal };
    return this.#requests.run("", async () => {
      const time = Date.now();
      const found = await this.#read(target, scopeOf(access), options);
      if (found === undefined) return undefined;
      const { headers, chunks = [] } = found;
      const body = Buffer.concat(await Array.fromAsync(this.#observed(chunks)));
      return { status: 200, headers, body, time };
    });
  }

  /** Whether the registry accepts the credentials. Rejects with the reason if not. */
  async ping(): Promise<void> {
    await this.send({ method: "GET", target: "/v2/", access: [], maxBytes: MAX_TOKEN_BYTES });
  }

  /** Begins to read a blob; undefined if the upstream does not have it. Its chunks must be read, or they end after a time. */
  async blob(
    path: string,
    digest: string,
    maxBytes: number,
    method: "GET" | "HEAD" = "GET",
  ): Promise<ArrivingBlob | undefined> {
    const { signal, timeoutMs: one } = this.#deps;
    const options = { method, timeoutMs: 3 * one, totalMs: BLOB_TOTAL_MS, maxBytes, signal };
    const access = [{ type: "repository", name: path, actions: ["pull"] }];
    const found = await this.#read(`/v2/${path}/blobs/${digest}`, scopeOf(access), options);
    if (found === undefined) return undefined;
    const { headers, chunks = [] } = found;
    const { "content-length": length } = headers;
    const size = length === undefined ? undefined : Number(length);
    return { chunks: this.#observed(chunks), size };
  }

  protocolError(problem: string): WharfError {
    return this.#failure("UNKNOWN", problem);
  }

  close(): void {}

  async #read(
    target: string,
    scope: string,
    options: RequestOptions,
  ): Promise<Download | undefined> {
    try {
      const found = await this.#withToken(target, scope, options);
      this.#observe("", found.headers);
      return found;
    } catch (error) {
      if (error instanceof DownloadError && error.status === 404) {
        this.#observe("", error.headers);
        return undefined;
      }
      throw this.#failed(error);
    }
  }

  async #withToken(target: string, scope: string, options: RequestOptions): Promise<Download> {
    const url = new URL(`${this.#base.href.replace(/\/+$/, "")}${target}`);
    const { mayBePrivate, hosts } = this.#deps;
    for (let isRepeated = false; ; isRepeated = true) {
      const authorization = await this.#authorization.headerFor(scope);
      try {
        return await download(url, {
          ...{ ...options, mayBePrivate, hosts, authorization },
          accept: ACCEPT,
        });
      } catch (error) {
        if (!(error instanceof DownloadError) || error.status !== 401 || isRepeated) throw error;
        const challenge = error.headers["www-authenticate"];
        if (challenge === undefined) throw error;
        this.#authorization.challenged(challenge, scope);
      }
    }
  }

  async #askForToken(realm: URL, init: RequestInit): Promise<unknown> {
    const { mayBePrivate, hosts, signal, timeoutMs } = this.#deps;
    if (!mayLead(this.#base, realm, mayBePrivate)) {
      const text = "names a token endpoint at an address that is not public, or without TLS";
      throw new AuthorizationError(`${this.host} ${text}`);
    }
    const { authorization } = (init.headers ?? {}) as Record<string, string>;
    const bounds = { timeoutMs, totalMs: timeoutMs, maxBytes: MAX_TOKEN_BYTES };
    const { chunks = [] } = await download(realm, {
      ...{ ...bounds, mayBePrivate, hosts, authorization, signal },
    });
    try {
      return JSON.parse(Buffer.concat(await Array.fromAsync(chunks)).toString("utf8"));
    } catch (error) {
      if (error instanceof DownloadError) throw error;
      return null;
    }
  }

  /** The chunks of an answer, with errors that say whether it may succeed later. */
  async *#observed(
    chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #observe(error: string, headers: IncomingHttpHeaders): void {
    const text = String(headers["ratelimit-remaining"] ?? "");
    const rate = /^(\d{1,15})(?:;|$)/.exec(text)?.[1];
    this.#deps.observe({ error, rate: rate === undefined ? undefined : Number(rate) });
  }

  #failed(error: unknown): unknown {
    if (error instanceof AuthorizationError) return this.#denied(error.message);
    if (!(error instanceof DownloadError)) return error;
    const { code, status, headers, message } = error;
    if (status === 401 || status === 403) {
      return this.#denied(`denies access (${status}): check its credentials`, headers);
    }
    const isOverloaded = status === 429 || status >= 500;
    if (code === "TIMEOUT") return this.#failure("DEADLINE_EXCEEDED", "does not answer in time");
    if (code === "UNREACHABLE" || isOverloaded) {
      return this.#failure("UNAVAILABLE", status === 0 ? message : `answers ${status}`, headers);
    }
    return this.#failure("UNKNOWN", `cannot be read: ${message}`, headers);
  }

  #denied(problem: string, headers: IncomingHttpHeaders = {}): WharfError {
    return this.#failure("NOT_FOUND", problem, headers);
  }

  #failure(code: CodeName, problem: string, headers: IncomingHttpHeaders = {}): WharfError {
    const text = `the upstream ${this.host}: ${problem}`;
    this.#observe(text, headers);
    return new WharfError(code, text);
  }
}

/** Whether an address is that of Docker Hub, whose images without a namespace are below `library/`. */
export function isDockerHub(url: string): boolean {
  return DOCKER_HUB_HOSTS.has(URL.parse(url)?.hostname ?? "");
}

function scopeOf(access: readonly ResourceActions[]): string {
  return access.map(({ type, name, actions }) => `${type}:${name}:${actions}`).join(" ");
}
