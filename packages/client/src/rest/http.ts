/** A request over HTTP. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** The begin of a response over HTTP; its body is read once. */
export interface IncomingResponse {
  readonly status: number;
  /** The reason phrase; empty over HTTP/2. */
  readonly statusText: string;
  readonly headers: ResponseHeaders;
  /** The whole body. */
  text(): Promise<string>;
  /** The body as it arrives. */
  chunks(): AsyncIterable<Uint8Array>;
}

export interface ResponseHeaders {
  /** The value of a header by its name, in lower case. */
  get(name: string): string | null;
}

/** Sends a request. Rejects without a response, and follows no redirects: tokens must not reach other servers. */
export type SendHttp = (request: OutgoingRequest) => Promise<IncomingResponse>;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends requests with `fetch`.
 *
 * @example restTransport(overFetch(fetch))
 */
export function overFetch(fetch: Fetch): SendHttp {
  return async ({ method, url, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: "error",
      // Cookies are not used.
      credentials: "omit",
      cache: "no-store",
      ...(body === undefined ? {} : { body }),
    });
    const { status, statusText, headers: received } = response;
    return {
      status,
      statusText,
      headers: received,
      text: () => response.text(),
      async *chunks() {
        yield* response.body ?? [];
      },
    };
  };
}
