import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { finished } from "node:stream/promises";
import { landingPage, PAGE_HEADERS } from "./page.ts";

/** What came back from the server by way of the browser. */
export interface Arrival {
  readonly query: URLSearchParams;
  /** Answers the browser, which waits for it. */
  reply(title: string, text: string): Promise<void>;
}

/** An address of this machine where a login ends. Nobody elsewhere can reach it. */
export class Loopback {
  readonly redirectUri: string;
  /** What tells the answer to our question from others. */
  readonly state = randomBytes(16).toString("base64url");
  readonly #server: Server;
  readonly #arrival = Promise.withResolvers<Arrival>();
  readonly #onward = new Map<string, string>();

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.redirectUri = `http://127.0.0.1:${port}/callback`;
    server.on("request", (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<Loopback> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Loopback(server);
  }

  /**
   * An address that leads on to another one, once: the other one holds what must not be seen on
   * command lines, and browsers are given their address on one.
   */
  leadOn(url: string): string {
    const path = `/${randomBytes(16).toString("base64url")}`;
    this.#onward.set(path, url);
    return new URL(path, this.redirectUri).href;
  }

  /** Waits for the browser to come back. */
  async arrival(signal: AbortSignal): Promise<Arrival> {
    signal.throwIfAborted();
    const aborted = once(signal, "abort").then(() => {
      throw signal.reason;
    });
    return Promise.race([this.#arrival.promise, aborted]);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", this.redirectUri);
    const onward = this.#onward.get(pathname);
    if (request.method === "GET" && onward !== undefined) {
      this.#onward.delete(pathname);
      response.writeHead(302, { ...PAGE_HEADERS, location: onward }).end();
    } else if (request.method !== "GET" || pathname !== "/callback") {
      response.writeHead(404, PAGE_HEADERS).end(landingPage("Nothing here", "This is no page."));
    } else if (!this.#isOurs(query)) {
      // Anyone can send a browser here; the login goes on waiting for its own answer.
      const text = "This answer does not belong to the login that waits here.";
      response.writeHead(400, PAGE_HEADERS).end(landingPage("Not this login", text));
    } else {
      this.#arrival.resolve({ query, reply: (title, text) => reply(response, title, text) });
    }
  }

  #isOurs(query: URLSearchParams): boolean {
    const [given, wanted] = [query.get("state") ?? "", this.state].map((text) => Buffer.from(text));
    return given?.length === wanted?.length && timingSafeEqual(given as Buffer, wanted as Buffer);
  }
}

async function reply(response: ServerResponse, title: string, text: string): Promise<void> {
  response.writeHead(200, { ...PAGE_HEADERS, connection: "close" });
  response.end(landingPage(title, text));
  // The browser may have left, even before this; nothing depends on it.
  await finished(response).catch(() => {});
}
