import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from "node:http";
import { rejectPrivate } from "../lib/net/fetch-json.ts";
import { HOST_LOOKUP, type HostLookup } from "../lib/net/host-lookup.ts";
import { https } from "../lib/runtime/lazy-builtins.ts";
import { reasonOf } from "./pinned-client.ts";
import { readRetryAfter } from "./retry-schedule.ts";

const MAX_REDIRECTS = 5;

export type DownloadErrorCode =
  | "UNREACHABLE"
  | "TIMEOUT"
  | "HTTP_STATUS"
  | "REDIRECT"
  | "TOO_LARGE";

/** A file could not be downloaded. The message may be shown: it contains nothing internal. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
  readonly code: DownloadErrorCode;
  /** The status of the answer; 0 without one. */
  readonly status: number;
  /** The headers of the answer. */
  readonly headers: IncomingHttpHeaders;

  constructor(
    code: DownloadErrorCode,
    text: string,
    status = 0,
    headers: IncomingHttpHeaders = {},
  ) {
    super(text);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }

  /** The pause that the server asks for. */
  get retryAfterMs(): number {
    return readRetryAfter(this.headers["retry-after"], Date.now());
  }
}

export interface DownloadOptions {
  /** GET by default; HEAD has no chunks. */
  readonly method?: "GET" | "HEAD";
  readonly accept?: string;
  /** Whether a URL may be reached without TLS and at a private address. */
  readonly mayBePrivate: (url: URL) => boolean;
  readonly hosts?: HostLookup | undefined;
  /** Credentials, which are sent to the origin of the URL only. */
  readonly authorization?: string | undefined;
  /** The validators of an earlier download. */
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** From the request to the answer, and between two chunks. */
  readonly timeoutMs: number;
  /** From the request to the last byte. */
  readonly totalMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A file that is being downloaded. Its chunks must be read to the end, or their iterator returned. */
export interface Download {
  /** Undefined if the validators still hold. */
  readonly chunks: AsyncIterable<Uint8Array> | undefined;
  readonly etag: string;
  readonly lastModified: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Downloads a file, bounded in time and size. Like `PinnedClient`, only over HTTPS and from public addresses by default:
 * the address that was checked is the one that is connected to. Each redirect is checked like the URL itself, and
 * never leads from a public address to a private one.
 */
export async function download(url: URL, options: DownloadOptions): Promise<Download> {
  const ends = AbortSignal.any([options.signal, AbortSignal.timeout(options.totalMs)]);
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const answer = await request(at, url, options, ends);
    const { statusCode: status = 0, headers } = answer;
    if (status >= 300 && status < 400 && status !== 304) {
      answer.destroy();
      if (redirects === MAX_REDIRECTS)
        throw new DownloadError("REDIRECT", "it redirects too often");
      at = targetOf(at, headers.location, options);
      continue;
    }
    const etag = headers.etag ?? "";
    const found = { etag, lastModified: headers["last-modified"] ?? "", headers };
    if (status === 304 || (status === 200 && options.method === "HEAD")) {
      answer.resume();
      return { chunks: undefined, ...found };
    }
    if (status !== 200) {
      answer.destroy();
      // Only the first server may ask for credentials.
      const { "www-authenticate": _, ...others } = headers;
      const answered = at.origin === url.origin ? headers : others;
      throw new DownloadError("HTTP_STATUS", `it answers with status ${status}`, status, answered);
    }
    checkHead(answer, options);
    return { chunks: bounded(answer, options, ends), ...found };
  }
}

function request(
  at: URL,
  first: URL,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const anywhere = options.mayBePrivate(at);
  const { hosts = HOST_LOOKUP, timeoutMs } = options;
  try {
    if (!anywhere) rejectPrivate(at);
  } catch (error) {
    throw new DownloadError("UNREACHABLE", (error as Error).message);
  }
  const send = at.protocol === "https:" ? https().request : requestHttp;
  const lookup = anywhere ? hosts.anywhere : hosts.publicOnly;
  const headers = headersOf(options, at.origin === first.origin);
  return new Promise((resolve, reject) => {
    const { method = "GET" } = options;
    const outgoing = send(at, { method, headers, lookup, agent: false, signal });
    let answer: IncomingMessage | undefined;
    outgoing.setTimeout(timeoutMs, () => {
      const error = new DownloadError("TIMEOUT", `it sends nothing for ${timeoutMs} ms`);
      (answer ?? outgoing).destroy(error);
    });
    outgoing.on("response", (response) => {
      answer = response;
      resolve(response);
    });
    outgoing.on("error", (error) => reject(failureOf(error, anywhere)));
    outgoing.end();
  });
}

function headersOf(options: DownloadOptions, isSameOrigin: boolean): OutgoingHttpHeaders {
  const { authorization, accept, etag, lastModified } = options;
  return {
    ...(accept && { accept }),
    // Decompression would escape the limit of bytes.
    "accept-encoding": "identity",
    "user-agent": "wharf",
    ...(isSameOrigin && authorization !== undefined && { authorization }),
    ...(etag && { "if-none-match": etag }),
    ...(lastModified && { "if-modified-since": lastModified }),
  };
}

function targetOf(from: URL, location: string | undefined, options: DownloadOptions): URL {
  const target = URL.parse(location ?? "", from);
  if (target === null || !/^https?:$/.test(target.protocol)) {
    throw new DownloadError("REDIRECT", "it redirects to something that is not a URL");
  }
  if (!mayLead(from, target, options.mayBePrivate)) {
    const text = "it redirects to an address that is not public, or without TLS";
    throw new DownloadError("REDIRECT", text);
  }
  return target;
}

/** Whether a server may name another address: never a private one, unless both are allowed to be private. */
export function mayLead(from: URL, to: URL, mayBePrivate: (url: URL) => boolean): boolean {
  return mayBePrivate(to) ? mayBePrivate(from) : isPublic(to);
}

function isPublic(url: URL): boolean {
  try {
    rejectPrivate(url);
    return true;
  } catch {
    return false;
  }
}

function checkHead(answer: IncomingMessage, { maxBytes }: DownloadOptions): void {
  const { "content-encoding": encoding = "identity", "content-length": length } = answer.headers;
  const isLarge = Number(length ?? 0) > maxBytes;
  if (encoding === "identity" && !isLarge) return;
  answer.destroy();
  if (isLarge) throw tooLarge(maxBytes);
  throw new DownloadError("HTTP_STATUS", `it answers in the encoding ${encoding}`, 200);
}

async function* bounded(
  answer: IncomingMessage,
  { maxBytes }: DownloadOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
    // Without a length, a closed connection looks like the end.
    if (!answer.complete) throw new DownloadError("UNREACHABLE", "the connection was closed");
  } catch (error) {
    if (signal.aborted) throw failureOf(signal.reason as Error, false);
    throw failureOf(error as Error, false);
  } finally {
    answer.destroy();
  }
}

function failureOf(error: Error, anywhere: boolean): Error {
  if (error instanceof DownloadError) return error;
  const { name, cause } = error;
  if (name === "TimeoutError" || (cause as Error | undefined)?.name === "TimeoutError") {
    return new DownloadError("TIMEOUT", "it takes too long");
  }
  if (name === "AbortError") return error;
  return new DownloadError("UNREACHABLE", reasonOf(error, anywhere));
}

function tooLarge(maxBytes: number): DownloadError {
  return new DownloadError("TOO_LARGE", `it has more than ${maxBytes} bytes`);
}
