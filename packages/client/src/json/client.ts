import { wharfError } from "../errors.ts";
import { errorOf, httpErrorContext, isSuccess, unreachable } from "../rest/error-response.ts";
import type { IncomingResponse, SendHttp } from "../rest/http.ts";
import { serverSentEvents } from "../rest/server-sent-events.ts";
import { httpJsonRequest, type JsonMethod } from "./method.ts";

export interface JsonClientOptions {
  /** The URL of the server; empty for the origin of the page. */
  readonly baseUrl: string;
  /** Returns the access token of a call; a new one after the server rejected the previous one. */
  token(rejected?: string): Promise<string>;
  readonly send: SendHttp;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface StreamOptions extends CallOptions {
  readonly signal: AbortSignal;
  /** Called once the server has accepted the request. */
  readonly onOpen?: () => void;
}

export interface JsonClient {
  /** Calls a method. Throws a `WharfError`. */
  call<Input, Output>(
    method: JsonMethod<Input, Output>,
    request: Input,
    options?: CallOptions,
  ): Promise<Output>;
  /** The messages of a method that streams, until the signal aborts or the server ends it. */
  stream<Input, Output>(
    method: JsonMethod<Input, Output>,
    request: Input,
    options: StreamOptions,
  ): AsyncGenerator<Output>;
}

/**
 * Creates a client whose requests and responses are JSON.
 *
 * @example
 * const client = createJsonClient({ baseUrl: "", token, send: overFetch(fetch) });
 * const { items = [] } = await client.call(JSON_SERVICES.groups.list, { pageSize: 50 });
 */
export function createJsonClient({ baseUrl, token, send }: JsonClientOptions): JsonClient {
  async function request<Input>(
    method: JsonMethod<Input, unknown>,
    input: Input,
    { signal = new AbortController().signal, headers }: CallOptions,
    accept: string,
  ): Promise<IncomingResponse> {
    const { verb, path, body } = httpJsonRequest(method, input);
    const attempt = async (access: string) => {
      const outgoing = {
        ...headers,
        accept,
        authorization: `Bearer ${access}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      };
      try {
        return await send({ method: verb, url: baseUrl + path, headers: outgoing, body, signal });
      } catch (cause) {
        signal.throwIfAborted();
        throw unreachable(baseUrl, cause);
      }
    };
    const first = await token();
    const response = await attempt(first);
    // The token may have expired on the way; nobody else gets a second one.
    return response.status === 401 ? attempt(await token(first)) : response;
  }

  return {
    async call<Input, Output>(
      method: JsonMethod<Input, Output>,
      input: Input,
      options: CallOptions = {},
    ) {
      const response = await request(method, input, options, "application/json");
      const text = await response.text();
      if (!isSuccess(response)) throw errorOf(response, text);
      try {
        return JSON.parse(text || "{}") as Output;
      } catch (cause) {
        const context = { ...httpErrorContext(response.status, response.headers), cause };
        throw wharfError("INTERNAL", "Internal: the response is not JSON", context);
      }
    },
    async *stream<Input, Output>(
      method: JsonMethod<Input, Output>,
      input: Input,
      options: StreamOptions,
    ) {
      const response = await request(method, input, options, "text/event-stream");
      if (!isSuccess(response)) throw errorOf(response, await response.text());
      options.onOpen?.();
      for await (const { event, data } of serverSentEvents(response.chunks())) {
        if (event === "error") throw errorOf(response, data);
        yield JSON.parse(data) as Output;
      }
    },
  };
}
