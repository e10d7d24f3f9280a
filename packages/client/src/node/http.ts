/**
 * REST over node:http. The requests and errors are those of `fetch`, but Node.js loads its `fetch` at the first use,
 * which takes several times as long as a request: for programs that start often, such as commands.
 */
import type { IncomingMessage, RequestOptions } from "node:http";
import { abortable } from "../deadline.ts";
import type { OutgoingRequest, SendHttp } from "../rest/http.ts";
import { restTransport } from "../rest/transport.ts";
import type { Transport } from "../transport.ts";

export { errorOf, isSuccess, unreachable } from "../rest/error-response.ts";

/** The statuses of redirects, which are not followed. */
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Calls over REST with node:http. Connections are persistent; certificate authorities and proxies are those of the
 * process: `NODE_EXTRA_CA_CERTS`, and `HTTPS_PROXY` with `NODE_USE_ENV_PROXY=1`.
 *
 * @example createWharf({ baseUrl, token, transport: httpTransport() })
 */
export function httpTransport(): Transport {
  // Canceled calls end at once, as with fetch; node:http reports them when the socket is closed.
  return restTransport((request) => abortable(overNode(request), request.signal));
}

/**
 * Sends requests with node:http.
 *
 * @example const response = await overNode({ method: "GET", url, headers: {}, signal });
 */
export const overNode: SendHttp = async (request) => {
  const response = await responseOf(request);
  const { statusCode = 0, statusMessage = "", headers } = response;
  if (REDIRECTS.has(statusCode)) {
    response.destroy();
    throw new Error("unexpected redirect");
  }
  return {
    status: statusCode,
    statusText: statusMessage,
    headers: { get: (name) => [headers[name] ?? null].flat().join(", ") || null },
    text: async () => {
      const body = await abortable(bodyOf(response), request.signal);
      return (await decoded(body, headers["content-encoding"])).toString();
    },
    // Streams are requested without compression.
    chunks: () => response,
  };
};

async function responseOf({ url, body, ...outgoing }: OutgoingRequest): Promise<IncomingMessage> {
  const { protocol, hostname, port, pathname, search, username, password } = new URL(url);
  if (username !== "" || password !== "") throw new TypeError("the URL has credentials");
  const { request } =
    protocol === "https:" ? await import("node:https") : await import("node:http");
  const options: RequestOptions = {
    method: outgoing.method,
    // IPv6 addresses are in brackets in URLs only.
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: pathname + search,
    headers: {
      accept: "*/*",
      // On the same machine, compression takes longer than it saves.
      ...(LOOPBACK.test(hostname) ? {} : { "accept-encoding": "gzip, deflate" }),
      ...outgoing.headers,
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    signal: outgoing.signal,
  };
  return new Promise((resolve, reject) => {
    request(options, resolve).on("error", reject).end(body);
  });
}

function bodyOf(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => resolve(Buffer.concat(chunks)));
    response.on("error", reject);
  });
}

async function decoded(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === undefined || encoding === "identity" || body.length === 0) return body;
  const { unzip } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    unzip(body, (error, text) => (error ? reject(error) : resolve(text)));
  });
}
