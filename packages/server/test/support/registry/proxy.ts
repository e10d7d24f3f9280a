import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer in place of the registry's. */
export interface InsteadAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Instead = InsteadAnswer | undefined;

/** What was asked. */
export interface AskedRegistry {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What stands before a registry, as a load balancer does: it passes on, counts, and answers itself at times. */
export class RegistryFront {
  /** The registry behind it. */
  host = "";
  /** Answers in place of the registry, if anything is returned. */
  instead: (asked: AskedRegistry) => Instead | Promise<Instead> = () => undefined;
  readonly asked: AskedRegistry[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", async (incoming, outgoing) => {
      const { method = "", url = "", headers } = incoming;
      const asked = { method, url, headers };
      this.asked.push(asked);
      const answer = await this.instead(asked);
      if (answer !== undefined) {
        outgoing.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      }
      const passedOn = request(`http://${this.host}${url}`, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      passedOn.on("error", () => outgoing.destroy());
      incoming.pipe(passedOn);
    });
  }

  /** @example const front = await RegistryFront.start(); */
  static async start(): Promise<RegistryFront> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RegistryFront(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
