import { fromJson, type Message } from "@bufbuild/protobuf";
import { WharfError, wharfError } from "../errors.ts";
import type { Attempt, Sent, Transport } from "../transport.ts";
import { errorOf, httpErrorContext, isSuccess, unreachable } from "./error-response.ts";
import type { IncomingResponse, SendHttp } from "./http.ts";
import { httpRequest } from "./route.ts";
import { serverSentEvents } from "./server-sent-events.ts";

/**
 * Calls over REST.
 *
 * @example createWharf({ baseUrl, token, transport: restTransport(overFetch(fetch)) })
 */
export function restTransport(sendHttp: SendHttp): Transport {
  return {
    async send(attempt, sent) {
      const { verb, path, contentType, body } = httpRequest(attempt.method, attempt.request);
      const headers = contentType === undefined ? {} : { "content-type": contentType };
      const { response, text } = await exchange(attempt, { verb, path, body, headers }, sent, true);
      if (!isSuccess(response)) throw errorOf(response, text);
      return readResponse(attempt, response, text);
    },
    async *stream(attempt, sent) {
      const { method, signal, baseUrl } = attempt;
      const { verb, path } = httpRequest(method, attempt.request);
      const headers = { accept: "text/event-stream", "accept-encoding": "identity" };
      const { response } = await exchange(attempt, { verb, path, headers }, sent, false);
      try {
        if (!isSuccess(response)) throw errorOf(response, await response.text());
        for await (const { event, data } of serverSentEvents(response.chunks())) {
          if (event === "error") throw errorOf(response, data);
          yield fromJson(method.output, JSON.parse(data), { ignoreUnknownFields: true });
        }
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof WharfError) throw cause;
        throw unreachable(baseUrl, cause);
      }
    },
  };

  /** Sends a request, and reads the text of the response if requested; reports what was sent. */
  async function exchange(
    { baseUrl, headers, signal }: Omit<Attempt, "timeoutMs">,
    request: HttpCall,
    sent: (how: Sent) => void,
    isWhole: boolean,
  ): Promise<{ response: IncomingResponse; text: string }> {
    const { verb: method, path, body } = request;
    const url = baseUrl + path;
    const started = performance.now();
    const report = (status: number) =>
      sent({ method, url, status, ms: performance.now() - started });
    try {
      const sending = { method, url, headers: { ...headers, ...request.headers }, body, signal };
      const response = await sendHttp(sending);
      const text = isWhole ? await response.text() : "";
      report(response.status);
      return { response, text };
    } catch (cause) {
      report(0);
      signal.throwIfAborted();
      throw unreachable(baseUrl, cause);
    }
  }
}

interface HttpCall {
  readonly verb: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

function readResponse({ method }: Attempt, response: IncomingResponse, text: string): Message {
  try {
    return fromJson(method.output, JSON.parse(text || "{}"), {
      ignoreUnknownFields: true,
    });
  } catch (cause) {
    throw wharfError("INTERNAL", `Internal: the response is not a ${method.output.name}`, {
      ...httpErrorContext(response.status, response.headers),
      cause,
    });
  }
}
