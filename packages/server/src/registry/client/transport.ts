import * as http from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { https } from "../../lib/runtime/lazy-builtins.ts";

const TIMEOUT_MS = 30_000;

/** Registries redirect reads of blobs to their storage. */
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 3;

/** A retry cannot help against this one. */
export class ResponseTooLargeError extends Error {}

export interface TransportRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Longer responses are rejected. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * HTTP over persistent connections. A reconcile pass sends a hundred thousand requests, for which
 * `fetch` takes three times as long.
 */
export class Transport {
  readonly #options: http.AgentOptions;
  readonly #http: http.Agent;
  /** Created on first use. */
  #https: HttpsAgent | undefined;

  constructor(connections: number) {
    this.#options = { keepAlive: true, maxSockets: connections };
    this.#http = new http.Agent(this.#options);
  }

  async send(url: URL, request: TransportRequest): Promise<TransportResponse> {
    let response = await this.#sendOnOpenConnection(url, request);
    let from = url;
    // Writes do not follow redirects.
    const isRead = request.method === "GET" || request.method === "HEAD";
    const maxRedirects = isRead ? MAX_REDIRECTS : 0;
    for (let count = 0; REDIRECT_STATUSES.has(response.status) && count < maxRedirects; count++) {
      const to = new URL(response.headers.location ?? "", from);
      const { authorization, ...headers } = request.headers;
      // Other origins do not get the token.
      const own = to.origin === url.origin && authorization !== undefined ? { authorization } : {};
      const redirected = { ...request, headers: { ...headers, ...own } };
      response = await this.#sendOnOpenConnection(to, redirected);
      from = to;
    }
    return response;
  }

  /** Retries when the peer has closed an idle connection. Safe for writes, as ours are idempotent. */
  async #sendOnOpenConnection(url: URL, request: TransportRequest): Promise<TransportResponse> {
    for (;;) {
      const response = await this.#sendOnce(url, request);
      if (response !== "closed") return response;
    }
  }

  #sendOnce(
    url: URL,
    { method, headers, body, maxBytes, signal }: TransportRequest,
  ): Promise<TransportResponse | "closed"> {
    const [request, agent] = this.#clientFor(url);
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent, ...(signal && { signal }) });
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error("it does not answer")));
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // Only a reused connection can have been closed while idle.
        if (sent.reusedSocket && error.code === "ECONNRESET") resolve("closed");
        else reject(error);
      });
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > maxBytes) {
            response.destroy(new ResponseTooLargeError(`more than ${maxBytes} bytes`));
          } else chunks.push(chunk);
        });
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks) });
        });
      });
      sent.end(body);
    });
  }

  #clientFor(url: URL): [request: typeof http.request, agent: http.Agent] {
    if (url.protocol !== "https:") return [http.request, this.#http];
    const { Agent, request } = https();
    this.#https ??= new Agent(this.#options);
    return [request, this.#https];
  }

  close(): void {
    this.#http.destroy();
    this.#https?.destroy();
  }
}
