import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { WharfError } from "../lib/errors.ts";

/** A request to something that is not an RPC: health, metrics, keys, pages. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** The raw query string. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly requestId: string;
  /** The error if the client is gone or the deadline has passed: work that has not begun is dropped. */
  readonly abandoned?: WharfError | undefined;
  /** Aborted when the client is gone or the deadline has passed. Created on first use. */
  readonly signal: AbortSignal;
  /** Reads the whole body. Rejects with RESOURCE_EXHAUSTED when it is larger than the limit. */
  body(limit: number): Promise<Buffer>;
  /**
   * The body as it arrives, however long it is and takes, of an endpoint that `streams`. Rejects if the client stops
   * sending, or too many bodies are being received.
   */
  chunks(): AsyncIterable<Buffer>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** The whole body, chunks that are produced as fast as the client reads, or a stream of bytes that are sent as they are. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | Readable;
  /** The error behind the response, for the log. The body reports it in a format of its own. */
  readonly error?: WharfError;
  /** Why the response is what it is, for the log; without secrets. */
  readonly reason?: string;
  /** The uid of the authenticated caller, for the log. */
  readonly caller?: string;
  /** The operation, for log and metrics, of an endpoint that has several below its path. */
  readonly operation?: string;
}

/** Handles one exact path, or all paths with a prefix. */
export interface HttpEndpoint {
  readonly method: string;
  readonly path: string;
  /** Whether `path` is a prefix, which then ends in a slash. */
  readonly prefix?: true;
  /** Whether machines poll it: successful requests are logged at the level debug. */
  readonly isPolled?: true;
  /** Whether bodies are streams: a request has no time limit while its client sends, and one of its own afterwards. */
  readonly streams?: true;
  /** Whether monitoring probes it: it answers however many requests wait. */
  readonly isProbe?: true;
  /** Whether it serves only pages of this server: CORS does not open it, and the API description need not mention it. */
  readonly isPage?: true;
  handle(request: HttpRequest): Promise<HttpResponse>;
}
