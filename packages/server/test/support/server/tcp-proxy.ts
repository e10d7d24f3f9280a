/** A TCP proxy that can fail as networks do. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class TcpProxy {
  readonly #server: Server;
  #isSilent = false;
  readonly #sockets = new Set<Socket>();
  readonly #upstream = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server);
    server.on("connection", (client) => proxy.#forward(client, port));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on connections are accepted, and nothing is forwarded. */
  silence(): void {
    this.#isSilent = true;
    this.loseUpstream();
  }

  /** Connections from now on work. */
  heal(): void {
    this.#isSilent = false;
  }

  /** The peer of each open connection is gone, and its client does not notice. */
  loseUpstream(): void {
    for (const socket of this.#upstream) socket.destroy();
    this.#upstream.clear();
  }

  /** The clients of open connections hear nothing more, but their peer is still there. */
  forgetClients(): void {
    for (const socket of [...this.#sockets, ...this.#upstream]) socket.removeAllListeners("data");
    this.#upstream.clear();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.loseUpstream();
    this.#server.close();
  }

  #forward(client: Socket, port: number): void {
    this.#sockets.add(client);
    client.on("error", () => {});
    if (this.#isSilent) {
      client.resume();
      return;
    }
    const upstream = connect(port, "127.0.0.1");
    this.#upstream.add(upstream);
    upstream.on("error", () => {});
    upstream.on("data", (data) => client.write(data));
    client.on("data", (data) => upstream.write(data));
    client.on("close", () => upstream.destroy());
  }
}
