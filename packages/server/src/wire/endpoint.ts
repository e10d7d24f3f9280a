import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { WharfError } from "../lib/errors.ts";

/** A request to something that is not an RPC: health, metrics, keys, pages. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** What stood after the question mark, as it came. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly requestId: string;
  /** Reads the whole body. Rejects with RESOURCE_EXHAUSTED when it is larger than the limit. */
  body(limit: number): Promise<Buffer>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** All of it, or the pieces that it is made of as it goes out, each when the client has room. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Why it is a refusal, for the log; the body has said so in its own way. */
  readonly error?: WharfError;
}

/** Answers one exact path, or everything below it. */
export interface HttpEndpoint {
  readonly method: string;
  readonly path: string;
  /** Whether every path that begins with this one is answered; it then ends in a slash. */
  readonly prefix?: true;
  handle(request: HttpRequest): Promise<HttpResponse>;
}
