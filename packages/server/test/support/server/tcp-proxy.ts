/** A TCP proxy in front of a database, for outages that the database itself cannot simulate. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: "forward" | "stall" | "reset" = "forward";

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      if (this.#mode === "reset") {
        client.resetAndDestroy();
        return;
      }
      const target = connect(targetPort, "127.0.0.1");
      this.#join(client, target);
      this.#join(target, client);
    });
  }

  static async to(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Forwards nothing, in either direction, and closes nothing. */
  stall(): void {
    this.#mode = "stall";
    for (const socket of this.#sockets) socket.pause();
  }

  /** Resets all connections, also new ones. */
  reset(): void {
    this.#mode = "reset";
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Forwards again, with the bytes that were held back. */
  heal(): void {
    this.#mode = "forward";
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.reset();
    this.#server.close();
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (chunk) => to.write(chunk));
    if (this.#mode === "stall") from.pause();
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
