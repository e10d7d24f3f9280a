/** A proxy before a server that delays or fails requests. */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Site } from "./site.ts";

/** Whether a request is forwarded or fails. */
export type Verdict = "pass" | "unavailable";

/** Answers that come late. */
export interface Delay {
  readonly holdsMs: number;
  /** Only those to requests of this method. */
  readonly method: string;
}

/** A proxy that delays or fails requests of tests. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(
    site: Site,
    judge: (request: IncomingMessage) => Verdict | Promise<Verdict>,
    delay?: Delay,
  ): Promise<FaultProxy> {
    const server = createServer(async (incoming, answer) => {
      if ((await judge(incoming)) === "unavailable") {
        incoming.resume();
        answer.writeHead(503, { "content-type": "application/json", "retry-after": "0" });
        answer.end('{"code":14,"message":"Unavailable: later"}');
        return;
      }
      const { method = "GET", url = "/", headers } = incoming;
      const outgoing = request(site.server.url + url, { method, headers }, (back) => {
        const pass = () => {
          answer.writeHead(back.statusCode ?? 500, back.headers);
          back.pipe(answer);
        };
        if (delay?.method === method) setTimeout(pass, delay.holdsMs);
        else pass();
      });
      outgoing.on("error", () => answer.destroy());
      incoming.pipe(outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new FaultProxy(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
