import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { certificate } from "../../../server/src/wire/testing/certificate.ts";
import { until } from "../../../server/test/support/until.ts";

/** A request of a browser, and what it was answered. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly cookie: string;
  readonly fetchSite: string;
  readonly status: number;
}

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A site over TLS on a port of its own, which remembers its requests. Browsers reach it by any host name. */
export class TlsSite {
  readonly arrived: Arrived[] = [];
  /** Answers requests. */
  respond: Respond = (_, outgoing) => outgoing.writeHead(404).end();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(certificate(), (incoming, outgoing) => {
      const { method = "", url = "", headers } = incoming;
      const fetchSite = String(headers["sec-fetch-site"] ?? "");
      const cookie = headers.cookie ?? "";
      outgoing.on("finish", () => {
        this.arrived.push({ method, url, cookie, fetchSite, status: outgoing.statusCode });
      });
      this.respond(incoming, outgoing);
    });
  }

  static async start(): Promise<TlsSite> {
    const site = new TlsSite();
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  /** The origin of the site by a host name. */
  origin(host: string): string {
    return `https://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Passes all requests on to a server without TLS, as a proxy in front of it does. */
  passOnTo(server: string): void {
    this.respond = (incoming, outgoing) => {
      const { method, url = "", headers } = incoming;
      const passed = request(`${server}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on("error", () => outgoing.destroy());
      outgoing.on("close", () => passed.destroy());
      incoming.pipe(passed);
    };
  }

  /** Waits until a request with a mark in its URL was answered. */
  answered(mark: string): Promise<Arrived> {
    return until(async () => this.arrived.find(({ url }) => url.includes(mark)));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
