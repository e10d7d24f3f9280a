import { Agent, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import type { SecureContext } from "node:tls";
import { rejectPrivate } from "../lib/net/fetch-json.ts";
import { HOST_LOOKUP, type HostLookup } from "../lib/net/host-lookup.ts";
import { https, tls } from "../lib/runtime/lazy-builtins.ts";
import { readRetryAfter } from "./retry-schedule.ts";

/** Maximum bytes of an answer that are stored. */
const KEPT_BYTES = 1024;

/** Longer answers are not read: the connection is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Idle connections are closed after this time. */
const IDLE_MS = 4_000;

/**
 * One error for everything before a connection, unless any address is allowed: names that do not exist, names of private
 * addresses and closed ports look the same, so that sinks do not reveal what the network of the server has.
 */
const UNREACHABLE =
  "it cannot be reached: it needs public addresses, and a server that accepts connections";

/** The answer to a request, or why there is none. */
export interface SendResult {
  /** 0 without an answer. */
  readonly status: number;
  /** 0 without a connection: the time of a lookup would tell names apart. */
  readonly latencyMs: number;
  readonly error?: string;
  /** The cause that `error` hides, for the log of the operator. */
  readonly cause?: Error;
  /** The first KiB of the answer. */
  readonly response?: string;
  /** The pause that the sink asks for. */
  readonly retryAfterMs: number;
  /** The header `webhook-delivery`, by which a sink rejects a message for good. */
  readonly directive?: string | undefined;
}

export interface PinnedClientOptions {
  /** Whether any address is allowed, also private ones and without TLS. */
  readonly anywhere: boolean;
  /** From the DNS lookup to the status of the answer. */
  readonly timeoutMs: number;
  readonly maxConnections: number;
  readonly hosts?: HostLookup | undefined;
}

/**
 * Posts to one URL over persistent connections. Like fetchJson, only over HTTPS and to public addresses by default: the
 * address that was checked is the one that is connected to, and stays so for the life of the connection. No redirects,
 * no proxies from the environment; bounded time and size.
 */
export class PinnedClient {
  readonly #url: URL;
  readonly #options: PinnedClientOptions;
  readonly #agent: Agent;

  constructor(url: URL, options: PinnedClientOptions) {
    this.#url = url;
    this.#options = options;
    const { anywhere, maxConnections: maxSockets, hosts = HOST_LOOKUP } = options;
    const settings = {
      keepAlive: true,
      maxSockets,
      timeout: IDLE_MS,
      lookup: anywhere ? hosts.anywhere : hosts.publicOnly,
    };
    this.#agent =
      url.protocol === "https:"
        ? new (https().Agent)({ ...settings, secureContext: sharedContext() })
        : new Agent(settings);
  }

  async post(headers: OutgoingHttpHeaders, body: string): Promise<SendResult> {
    const started = performance.now();
    const failed = (error: string): SendResult => {
      return { status: 0, latencyMs: performance.now() - started, error, retryAfterMs: 0 };
    };
    try {
      if (!this.#options.anywhere) rejectPrivate(this.#url);
    } catch (error) {
      return failed((error as Error).message);
    }
    return new Promise((resolve) => this.#send(headers, body, started, resolve, failed));
  }

  #send(
    headers: OutgoingHttpHeaders,
    body: string,
    started: number,
    resolve: (result: SendResult) => void,
    failed: (error: string) => SendResult,
  ): void {
    const send = this.#url.protocol === "https:" ? https().request : requestHttp;
    const { anywhere, timeoutMs } = this.#options;
    const length = Buffer.byteLength(body);
    const outgoing = send(this.#url, {
      method: "POST",
      agent: this.#agent,
      headers: { ...headers, "content-length": length },
    });
    // Once there is a status, that is the answer: a body that never ends is cut.
    let abandon = () => {
      outgoing.destroy();
      resolve(failed(`no answer within ${timeoutMs} ms`));
    };
    const timer = setTimeout(() => abandon(), timeoutMs);
    outgoing.on("error", (error) => {
      clearTimeout(timer);
      const reason = reasonOf(error, anywhere);
      const result = { ...failed(reason), cause: error };
      resolve(reason === UNREACHABLE ? { ...result, latencyMs: 0 } : result);
    });
    outgoing.on("response", (answer) => {
      const { statusCode: status = 0, headers: received } = answer;
      const kept: Buffer[] = [];
      let size = 0;
      const finish = () => {
        clearTimeout(timer);
        const response = Buffer.concat(kept).subarray(0, KEPT_BYTES).toString("utf8");
        const directive = received["webhook-delivery"];
        resolve({
          status,
          latencyMs: performance.now() - started,
          ...(response === "" ? {} : { response: response.replaceAll("\0", "\uFFFD") }),
          retryAfterMs: readRetryAfter(received["retry-after"], Date.now()),
          directive: typeof directive === "string" ? directive : undefined,
        });
      };
      answer.on("data", (chunk: Buffer) => {
        if (size < KEPT_BYTES) kept.push(chunk);
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) answer.destroy();
      });
      abandon = () => answer.destroy();
      answer.on("error", () => {});
      answer.on("close", finish);
      answer.on("end", finish);
    });
    outgoing.end(body);
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }
}

let context: SecureContext | undefined;

/** The trusted certificate authorities: reading them again for each connection costs more than the connection. */
function sharedContext(): SecureContext {
  context ??= tls().createSecureContext();
  return context;
}

/** Only the code of a system error is reported: its message can name internal addresses. */
export function reasonOf(error: Error, anywhere: boolean): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection was closed";
  if (code?.startsWith("ERR_TLS") || code?.includes("CERT")) return "the certificate is not valid";
  if (!anywhere) return UNREACHABLE;
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the name cannot be resolved";
  return "it cannot be reached";
}
