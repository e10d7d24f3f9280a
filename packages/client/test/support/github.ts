/** The token endpoint of GitHub Actions, as workloads see it. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JWTPayload } from "jose";
import type { StandInIssuer } from "../../../server/test/support/providers/issuer.ts";

const SECRET = "runner-secret";

/** The part of a GitHub runner that gives tokens to jobs, as the runner's own protocol has it. */
export class StandInGithub {
  readonly #server: Server;
  readonly asked: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * @example const github = await StandInGithub.start(issuer, { sub: "repo:acme/app:ref:refs/heads/main" });
   */
  static async start(issuer: StandInIssuer, claims: JWTPayload): Promise<StandInGithub> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const github = new StandInGithub(server);
    server.on("request", async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://github.test");
      github.asked.push(request.url ?? "");
      const known = request.headers.authorization?.toLowerCase() === `bearer ${SECRET}`;
      if (!known || pathname !== "/token" || searchParams.get("api-version") !== "2.0") {
        response.writeHead(known ? 404 : 401).end("{}");
        return;
      }
      const aud = searchParams.get("audience") ?? "https://github.com/acme";
      const value = await issuer.sign({ ...claims, aud });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ count: value.length, value }));
    });
    return github;
  }

  /** The variables that a job sees. */
  get variables(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
