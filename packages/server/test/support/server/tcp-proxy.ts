/** A TCP proxy in front of a database, for outages that the database itself cannot simulate. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #targets = new Set<Socket>();
  #mode: "forward" | "stall" | "reset" = "forward";

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      if (this.#mode === "reset") {
        client.resetAndDestroy();
        return;
      }
      const target = connect(targetPort, "127.0.0.1");
      this.#targets.add(target);
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

  /** The target of each connection is gone, and the client does not notice. New connections work. */
  loseTargets(): void {
    for (const target of this.#targets) target.removeAllListeners("close").destroy();
    this.#targets.clear();
  }

  /** Forwards nothing more on open connections, nor that one side closes them. New connections work. */
  forgetConnections(): void {
    for (const socket of this.#sockets)
      socket.removeAllListeners("data").removeAllListeners("close");
  }

  /** Resets all connections, also new ones. */
  reset(): void {
    this.#mode = "reset";
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Forwards again, with the delayed bytes. */
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
      this.#targets.delete(from);
      to.destroy();
    });
  }
}
