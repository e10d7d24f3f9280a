import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { finished } from "node:stream/promises";

/** The redirect of the server, by way of the browser. */
export interface Callback {
  readonly query: URLSearchParams;
  /** Responds to the browser. */
  reply(title: string, text: string): Promise<void>;
}

/** A server on the loopback interface that receives the redirect at the end of a sign-in. */
export class Loopback {
  readonly redirectUri: string;
  /** Binds the redirect to this sign-in. */
  readonly state = randomBytes(16).toString("base64url");
  readonly #server: Server;
  readonly #callback = Promise.withResolvers<Callback>();
  readonly #redirects = new Map<string, string>();

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.redirectUri = `http://127.0.0.1:${port}/callback`;
    server.on("request", (request, response) => this.#handle(request, response));
  }

  static async start(): Promise<Loopback> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Loopback(server);
  }

  /**
   * A local URL that redirects once to another one, which contains a secret: browsers get their URL on
   * a command line, where other users can read it.
   */
  hideUrl(url: string): string {
    const path = `/${randomBytes(16).toString("base64url")}`;
    this.#redirects.set(path, url);
    return new URL(path, this.redirectUri).href;
  }

  /** Waits for the redirect. */
  async callback(signal: AbortSignal): Promise<Callback> {
    signal.throwIfAborted();
    const aborted = once(signal, "abort").then(() => {
      throw signal.reason;
    });
    return Promise.race([this.#callback.promise, aborted]);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", this.redirectUri);
    const redirect = this.#redirects.get(pathname);
    if (request.method === "GET" && redirect !== undefined) {
      this.#redirects.delete(pathname);
      response.writeHead(302, { ...PAGE_HEADERS, location: redirect }).end();
    } else if (request.method !== "GET" || pathname !== "/callback") {
      response
        .writeHead(404, PAGE_HEADERS)
        .end(landingPage("Not found", "This page does not exist."));
    } else if (!this.#hasState(query)) {
      // Any site can send a browser here; the sign-in keeps waiting for its own redirect.
      const text = "This response does not belong to the sign-in in progress.";
      response.writeHead(400, PAGE_HEADERS).end(landingPage("Wrong sign-in", text));
    } else {
      this.#callback.resolve({ query, reply: (title, text) => reply(response, title, text) });
    }
  }

  #hasState(query: URLSearchParams): boolean {
    const [received, expected] = [query.get("state") ?? "", this.state].map((text) =>
      Buffer.from(text),
    );
    return (
      received?.length === expected?.length &&
      timingSafeEqual(received as Buffer, expected as Buffer)
    );
  }
}

async function reply(response: ServerResponse, title: string, text: string): Promise<void> {
  response.writeHead(200, { ...PAGE_HEADERS, connection: "close" });
  response.end(landingPage(title, text));
  // The browser may have disconnected, which does not matter.
  await finished(response).catch(() => {});
}

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

/** Inline, since the page can load nothing. */
const STYLE = `:root{color-scheme:light dark;--ground:#eef2f5;--sheet:#fff;--text:#16222d;--soft:#52616f;--accent:#0b5f7d}
@media(prefers-color-scheme:dark){:root{--ground:#0e151b;--sheet:#17212a;--text:#e7edf2;--soft:#a4b3c0;--accent:#6cc5e2}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{background:var(--sheet);padding:2rem 2.5rem;border-radius:12px;max-width:27rem;margin:1rem;overflow-wrap:anywhere}
h1{font-size:1.35rem;margin:0 0 .5rem;color:var(--accent)}p{margin:.5rem 0}.soft{color:var(--soft)}`;

function landingPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)} – Wharf</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<p class="soft">You can close this window.</p>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replace(/[&<>"]/g, (letter) => entities[letter] as string);
}
