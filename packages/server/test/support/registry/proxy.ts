/** A reverse proxy in front of a registry. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer in place of the registry's. */
export interface InsteadAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the connection is reset after this body. */
  readonly isReset?: boolean;
}

type Instead = InsteadAnswer | undefined;

/** A received request. */
export interface AskedRegistry {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A reverse proxy in front of a registry: it forwards, records, and answers by itself where a test wants it. */
export class RegistryProxy {
  /** The registry behind it. */
  host: string;
  /** Answers in place of the registry, if anything is returned. */
  instead: (asked: AskedRegistry) => Instead | Promise<Instead> = () => undefined;
  readonly asked: AskedRegistry[] = [];
  readonly #server: Server;

  private constructor(server: Server, host: string) {
    this.host = host;
    this.#server = server;
    server.on("request", async (incoming, outgoing) => {
      const { method = "", url = "", headers } = incoming;
      const asked = { method, url, headers };
      this.asked.push(asked);
      const answer = await this.instead(asked);
      if (answer !== undefined) {
        outgoing.writeHead(answer.status, answer.headers);
        if (answer.isReset) outgoing.write(answer.body ?? "", () => outgoing.destroy());
        else outgoing.end(answer.body);
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

  /** @example const proxy = await RegistryProxy.start("127.0.0.1:5000"); */
  static async start(host: string): Promise<RegistryProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RegistryProxy(server, host);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
