/** Plain HTTP, for requests that are about HTTP itself. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Not fetch: it takes longer for a request than the server does, and most tests are requests. With several workers, each
 * request has a connection of its own, so that the next one reaches another worker.
 */
const AGENT = new Agent({ keepAlive: process.env.WHARF_TEST_WORKERS === undefined });

/** An answer over REST. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  readonly headers: Headers;
}

/** A plain HTTP client, for requests that are about HTTP itself: what a user of curl would send. */
export class Http {
  readonly #url: string;
  readonly #token: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#token = token;
    this.#headers = headers;
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.send("POST", path, body);
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.send("PATCH", path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.send("DELETE", path);
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const headers = {
      ...this.#headers,
      ...(this.#token === "" ? {} : { authorization: `Bearer ${this.#token}` }),
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...(sent === undefined ? {} : { "content-length": Buffer.byteLength(sent) }),
    };
    const asked = request(`${this.#url}${path}`, { agent: AGENT, method, headers });
    asked.end(sent);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const answer = await text(response);
    return {
      status: response.statusCode as number,
      body: answer === "" ? undefined : JSON.parse(answer),
      get headers() {
        return new Headers(Object.entries(response.headersDistinct).flatMap(each));
      },
    };
  }
}

function each([name, values = []]: [string, string[] | undefined]): [string, string][] {
  return values.map((value) => [name, value]);
}
