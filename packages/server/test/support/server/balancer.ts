/** A load balancer as small as one can be, in front of servers that come and go. */
import { once } from "node:events";
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Interval of the balancer's readiness checks. */
const CHECK_MS = 100;

/**
 * Distributes requests round robin over the servers whose `/readyz` says 200: HTTP/1 at one port, gRPC at another. It
 * keeps connections open, retries nothing, and never sends a request to a server that it knows not to be ready.
 */
export class Balancer {
  readonly #upstreams: Upstream[];
  readonly #rest: Server;
  readonly #grpc: Http2Server;
  readonly #checks = new AbortController();
  #next = 0;

  private constructor(urls: readonly string[]) {
    this.#upstreams = urls.map((url) => new Upstream(url));
    this.#rest = createServer((request, response) => this.#forward(request, response));
    this.#grpc = createHttp2();
    this.#grpc.on("stream", (stream, headers) =>
      this.#forwardStream(stream as ServerHttp2Stream, headers),
    );
  }

  /** Starts it; at least one of the servers must be ready. */
  static async start(urls: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls);
    await Promise.all(balancer.#upstreams.map((one) => one.check()));
    for (const upstream of balancer.#upstreams) void upstream.watch(balancer.#checks.signal);
    for (const server of [balancer.#rest, balancer.#grpc]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    return balancer;
  }

  get restUrl(): string {
    return `http://127.0.0.1:${(this.#rest.address() as AddressInfo).port}`;
  }

  get grpcUrl(): string {
    return `http://127.0.0.1:${(this.#grpc.address() as AddressInfo).port}`;
  }

  /** Resolves once the balancer knows whether a server is ready. */
  async until(url: string, isReady: boolean): Promise<void> {
    const upstream = this.#upstreams.find((one) => one.url === url);
    while (upstream?.isReady !== isReady) await sleep(CHECK_MS);
  }

  close(): void {
    this.#checks.abort();
    this.#rest.close();
    this.#rest.closeAllConnections();
    this.#grpc.close();
    for (const upstream of this.#upstreams) upstream.close();
  }

  #pick(): Upstream | undefined {
    const ready = this.#upstreams.filter((one) => one.isReady);
    return ready[this.#next++ % ready.length];
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const upstream = this.#pick();
    const { method, headers, url } = request;
    const fail = () => (response.headersSent ? response.destroy() : response.writeHead(502).end());
    if (upstream === undefined) {
      fail();
      return;
    }
    const sent = httpRequest(upstream.url + url, { method, headers, agent: upstream.agent });
    sent.on("error", fail);
    sent.on("response", (answer) => {
      const { connection: _, ...others } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, others);
      answer.on("error", fail);
      answer.pipe(response);
    });
    request.pipe(sent);
  }

  #forwardStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", () => {});
    const session = this.#pick()?.session();
    if (session === undefined) {
      stream.respond({ ":status": 502 }, { endStream: true });
      return;
    }
    const sent = session.request(headers);
    sent.on("error", () => stream.close(sent.rstCode));
    sent.on("response", (head) => {
      const { ":status": status, ...others } = head;
      const ends = head["grpc-status"] !== undefined;
      stream.respond({ ":status": status, ...others }, { waitForTrailers: !ends });
      sent.on("trailers", (trailers) =>
        stream.on("wantTrailers", () => stream.sendTrailers(trailers)),
      );
      sent.pipe(stream);
    });
    stream.pipe(sent);
  }
}

/** One server behind the balancer. */
class Upstream {
  readonly url: string;
  readonly agent: Agent = new Agent({ keepAlive: true });
  isReady = false;
  #session: ClientHttp2Session | undefined;

  constructor(url: string) {
    this.url = url;
  }

  async check(): Promise<void> {
    const answer = await fetch(`${this.url}/readyz`, { headers: { connection: "close" } }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    this.isReady = answer?.status === 200;
  }

  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.check();
      await sleep(CHECK_MS);
    }
  }

  session(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.url);
      this.#session.on("error", () => {});
    }
    return this.#session;
  }

  close(): void {
    this.agent.destroy();
    this.#session?.destroy();
  }
}
