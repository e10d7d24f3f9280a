import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer of the token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly expires_in: number;
  readonly error: string;
  readonly error_description: string;
}

/**
 * A command-line tool that waits at a loopback address for a login to end there.
 *
 * @example
 * const tool = await Tool.start(server.url);
 * await page.goto(tool.loginUrl({ idp_id: provider }));
 * const { access_token } = await tool.redeem(await tool.callback());
 */
export class Tool {
  readonly redirectUri: string;
  readonly verifier = randomBytes(32).toString("base64url");
  readonly state = randomBytes(16).toString("base64url");
  readonly #url: string;
  readonly #server: Server;
  readonly #calls: URLSearchParams[] = [];
  #arrived: (() => void) | undefined;

  private constructor(url: string, server: Server) {
    this.#url = url;
    this.#server = server;
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    server.on("request", (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", this.redirectUri);
      response.setHeader("content-type", "text/plain").end("thank you");
      if (pathname !== "/callback") return;
      this.#calls.push(searchParams);
      this.#arrived?.();
    });
  }

  static async start(url: string): Promise<Tool> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Tool(url, server);
  }

  /** Where the tool sends its person: a code is to come back, for PKCE. */
  loginUrl(parameters: Readonly<Record<string, string>> = {}): string {
    const challenge = createHash("sha256").update(this.verifier).digest("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: "wharf",
      redirect_uri: this.redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: this.state,
      ...parameters,
    });
    return `${this.#url}/oauth?${query}`;
  }

  /** What comes back, once it has. */
  async callback(): Promise<URLSearchParams> {
    const call = this.#calls.shift();
    if (call !== undefined) return call;
    await new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    return this.callback();
  }

  /** Exchanges the code that came back for tokens. */
  redeem(
    callback: URLSearchParams,
    changed: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    return askForToken(this.#url, {
      grant_type: "authorization_code",
      client_id: "wharf",
      code: callback.get("code") ?? "",
      code_verifier: this.verifier,
      redirect_uri: this.redirectUri,
      ...changed,
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/**
 * @example await askForToken(server.url, { grant_type: "refresh_token", refresh_token });
 */
export async function askForToken(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const response = await fetch(`${url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return { status: response.status, ...((await response.json()) as Omit<TokenAnswer, "status">) };
}
