import { setTimeout as sleep } from "node:timers/promises";
import {
  Authorization,
  AuthorizationError,
  type Credentials,
  type RegistryAddress,
} from "@wharf/server/registry/client/authorization.ts";
import { failed } from "../../errors.ts";
import { version } from "../../version.ts";
import { retryAfterMs, retrying, TransientError } from "./retries.ts";

export interface RegistryClientOptions {
  readonly registry: RegistryAddress;
  credentials(): Promise<Credentials | undefined>;
  readonly signal: AbortSignal;
  /** Logs a request. */
  log(text: string): void;
}

export interface RegistryRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  /** A path, or the URL that the registry has named. */
  readonly target: string;
  readonly scope: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  /** Error statuses that are returned instead of thrown. */
  readonly expected?: readonly number[];
  readonly signal?: AbortSignal;
}

/** The registry, or a proxy in front of it, is overloaded or restarts. */
const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/** Network errors that may pass; others, such as those of certificates, do not. */
const TRANSIENT_CODES =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|ETIMEDOUT|EAI_AGAIN|E(?:HOST|NET)UNREACH|UND_ERR_(?:SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT))$/;

const MAX_ERROR_BYTES = 64 * 1024;
const MAX_TOKEN_BYTES = 1024 * 1024;

/** A client of the OCI distribution API. */
export class RegistryClient {
  readonly host: string;
  readonly signal: AbortSignal;
  readonly #options: RegistryClientOptions;
  readonly #authorization: Authorization;
  /** Set by Retry-After, which concerns all requests to this registry. */
  #pausedUntil = 0;

  constructor(options: RegistryClientOptions) {
    const { registry, credentials, signal } = options;
    this.host = registry.host;
    this.signal = signal;
    this.#options = options;
    this.#authorization = new Authorization(registry, credentials, async (url, init) => {
      const response = await retrying(
        async () => this.#checked(await this.#fetch(url, init)),
        signal,
      );
      const text = (await readBytes(response, MAX_TOKEN_BYTES)).toString();
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    });
  }

  /** Sends a request once. Throws a TransientError if it may succeed later. */
  async send(request: RegistryRequest): Promise<Response> {
    const { method, target, scope, headers, body, expected, signal } = request;
    const url = new URL(target, this.#options.registry.url);
    const isOwn = url.origin === this.#options.registry.url;
    for (let isRepeated = false; ; isRepeated = true) {
      await this.#pause();
      // Other origins, such as the storage behind a registry, do not get the token.
      const authorization = isOwn ? await this.#headerFor(scope) : undefined;
      const response = await this.#fetch(url, {
        method,
        headers: { ...headers, ...(authorization !== undefined && { authorization }) },
        ...(body !== undefined && { body, duplex: "half" }),
        ...(signal !== undefined && { signal }),
      } as RequestInit);
      if (response.status !== 401 || !isOwn || isRepeated) return this.#checked(response, expected);
      await readBytes(response, MAX_ERROR_BYTES);
      this.#authorization.challenged(response.headers.get("www-authenticate"), scope);
      // A stream cannot be sent twice.
      if (body instanceof ReadableStream) throw new TransientError("the token has expired", {});
    }
  }

  /** Sends a request, with retries. */
  sendRetrying(request: RegistryRequest): Promise<Response> {
    return retrying(() => this.send(request), this.signal);
  }

  /** A response to GET with its body, with retries of both. */
  read(
    request: Omit<RegistryRequest, "method" | "body">,
    maxBytes: number,
  ): Promise<{ readonly response: Response; readonly bytes: Buffer<ArrayBuffer> }> {
    return retrying(async () => {
      const response = await this.send({ ...request, method: "GET" });
      return { response, bytes: await readBytes(response, maxBytes) };
    }, this.signal);
  }

  async #headerFor(scope: string): Promise<string | undefined> {
    try {
      return await this.#authorization.headerFor(scope);
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      const hint = "sign in with `docker login`, or give --username and WHARF_SOURCE_PASSWORD";
      throw failed(error.message, error.needsCredentials ? hint : undefined);
    }
  }

  async #pause(): Promise<void> {
    const wait = this.#pausedUntil - Date.now();
    if (wait > 0) await sleep(wait, undefined, { signal: this.signal });
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const { signal, log } = this.#options;
    const headers = {
      "user-agent": `wharf/${version()}`,
      // Digests are those of the bytes as they are stored.
      "accept-encoding": "identity",
      ...(init.headers as Record<string, string>),
    };
    try {
      const response = await fetch(url, { signal, ...init, headers });
      log(`${init.method ?? "GET"} ${url.origin}${url.pathname} → ${response.status}`);
      return response;
    } catch (error) {
      throw networkError(`${url.host} cannot be reached`, error);
    }
  }

  /** Throws for error statuses, with the registry's reason. */
  async #checked(response: Response, expected: readonly number[] = []): Promise<Response> {
    const { ok, status, headers, url } = response;
    if (ok || expected.includes(status)) return response;
    const reason = reasonOf(
      await readBytes(response, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0)),
    );
    const { host, pathname } = new URL(url);
    const message = `${host}${pathname}: ${status}${reason && ` ${reason}`}`;
    if (!TRANSIENT_STATUSES.has(status)) throw failed(message);
    const wait = retryAfterMs(headers.get("retry-after"));
    if (wait === undefined) throw new TransientError(message, {});
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + wait);
    throw new TransientError(message, { retryAfterMs: wait });
  }
}

/** Reads a body that must not be larger. */
export async function readBytes(
  response: Response,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) throw failed(`${response.url} has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw networkError(`${new URL(response.url).host} ended a response early`, error);
  }
  return Buffer.concat(chunks);
}

/** A TransientError, if the error may pass. */
export function networkError(message: string, error: unknown): unknown {
  const code = codeOf(error);
  return TRANSIENT_CODES.test(code)
    ? new TransientError(`${message}: ${code}`, { cause: error })
    : error;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" ? code : codeOf(error.cause);
}

/** The code and message of an error of the distribution API. */
function reasonOf(body: Buffer): string {
  try {
    const { errors, details } = JSON.parse(body.toString());
    const { code, message } = errors?.[0] ?? { message: details };
    return [code, message].filter((text) => typeof text === "string").join(": ");
  } catch {
    return "";
  }
}
