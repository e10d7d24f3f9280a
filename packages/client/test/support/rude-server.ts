import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What came in: its verb and path, and the token that it came with. */
export interface Asked {
  readonly what: string;
  readonly token: string;
  readonly at: number;
  readonly body: string;
}

/** A server that answers as it is told, request by request; then with the last answer for ever. */
export class RudeServer {
  readonly url: string;
  readonly asked: Asked[] = [];
  answers: Answer[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /**
   * @example const server = await RudeServer.start(status(503), json({ uid: "a" }));
   */
  static async start(...answers: Answer[]): Promise<RudeServer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const rude = new RudeServer(server);
    rude.answers = answers;
    return rude;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const token = request.headers.authorization?.replace(/^Bearer /i, "") ?? "";
    const what = `${request.method} ${request.url}`;
    this.asked.push({ what, token, at: performance.now(), body });
    const answer = this.answers[Math.min(this.asked.length, this.answers.length) - 1];
    answer?.(request, response);
  }
}

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers as the server does when it refuses. */
export function refusal(code: number, status: number, headers?: Record<string, string>): Answer {
  return json({ code, message: `code ${code}`, details: [] }, status, headers);
}

/** Answers as a proxy does. */
export function page(status: number): Answer {
  return (_, response) => response.writeHead(status).end("<h1>sorry</h1>");
}

/** Hangs up without an answer. */
export const hangUp: Answer = (request) => request.socket.destroy();

/** Never answers. */
export const silence: Answer = () => {};
