import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  PASSKEY_JS,
  PASSKEY_PATH,
  pageHeaders,
  STYLE_CSS,
  STYLE_PATH,
} from "../../../src/login/pages/layout.ts";

/** What came in with a post: a form's fields, or JSON. */
export interface Posted {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** A page, a redirect, or JSON. */
export type Answer = string | { redirect: string } | { status?: number; json: unknown };

/**
 * Serves pages of the login and nothing else, and keeps what is posted. By name, not by number,
 * since passkeys ask for one.
 */
export class LoginSite {
  readonly url: string;
  /** Pages by path. */
  readonly pages = new Map<string, string>();
  readonly posts: Posted[] = [];
  /** Answers to posts by path; others get an empty page. */
  readonly answers = new Map<string, (body: never) => Answer | Promise<Answer>>();
  formTargets: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response).catch((thrown) => response.writeHead(500).end(`${thrown}`)),
    );
  }

  /**
   * @example const site = await LoginSite.start();
   */
  static async start(): Promise<LoginSite> {
    const server = createServer().listen(0, "localhost");
    await once(server, "listening");
    return new LoginSite(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", this.url);
    if (request.method === "POST") {
      const body = await bodyOf(request);
      this.posts.push({ path: pathname, body });
      const answer = (await this.answers.get(pathname)?.(body as never)) ?? "<!doctype html>";
      this.#send(response, answer);
    } else if (pathname === STYLE_PATH) {
      response.setHeader("content-type", "text/css").end(STYLE_CSS);
    } else if (pathname === PASSKEY_PATH) {
      response.setHeader("content-type", "text/javascript").end(PASSKEY_JS);
    } else {
      const page = this.pages.get(pathname);
      if (page === undefined) response.writeHead(404).end();
      else this.#send(response, page);
    }
  }

  #send(response: ServerResponse, answer: Answer): void {
    if (typeof answer === "string") {
      response.writeHead(200, pageHeaders({ formTargets: this.formTargets })).end(answer);
    } else if ("redirect" in answer) {
      response.writeHead(303, { location: answer.redirect }).end();
    } else {
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.json));
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat(await request.toArray()).toString("utf8");
  return request.headers["content-type"] === "application/json"
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text));
}
