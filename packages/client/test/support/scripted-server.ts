/** An HTTP server whose answers are scripted. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Responder = (request: IncomingMessage, response: ServerResponse) => void;

/** A received request: its verb and path, its token and its idempotency key. */
export interface Asked {
  readonly what: string;
  readonly token: string;
  readonly key: string | undefined;
  readonly at: number;
  readonly body: string;
}

/** A server with scripted responses, one per request; the last one repeats. */
export class ScriptedServer {
  readonly url: string;
  readonly asked: Asked[] = [];
  responses: Responder[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#respond(request, response).catch(() => response.destroy());
    });
  }

  /**
   * @example const server = await ScriptedServer.start(status(503), json({ uid: "a" }));
   */
  static async start(...responses: Responder[]): Promise<ScriptedServer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const scripted = new ScriptedServer(server);
    scripted.responses = responses;
    return scripted;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const token = request.headers.authorization?.replace(/^Bearer /i, "") ?? "";
    const what = `${request.method} ${request.url}`;
    const key = request.headers["idempotency-key"] as string | undefined;
    this.asked.push({ what, token, key, at: performance.now(), body });
    const answer = this.responses[Math.min(this.asked.length, this.responses.length) - 1];
    answer?.(request, response);
  }
}

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Responder {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An error of the server. */
export function errorResponse(
  code: number,
  status: number,
  headers?: Record<string, string>,
): Responder {
  return json({ code, message: `code ${code}`, details: [] }, status, headers);
}

/** An error page of a proxy. */
export function page(status: number): Responder {
  return (_, response) => response.writeHead(status).end("<h1>sorry</h1>");
}

/** Hangs up without an answer. */
export const hangUp: Responder = (request) => request.socket.destroy();

/** Never answers. */
export const silence: Responder = () => {};
