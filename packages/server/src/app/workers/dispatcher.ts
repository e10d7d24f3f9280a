import type { Socket } from "node:net";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { clientNetwork } from "../../lib/net/client-network.ts";

/** Something that connections can be passed to. */
export interface Receiver {
  receive(socket: Socket): void;
}

/** Networks whose next worker is kept: others begin anywhere. */
const MAX_NETWORKS = 20_000;

/**
 * Passes connections to workers: those of each client network to all of them in turn. So a few connections that stay
 * open, as gRPC clients have, keep all workers busy, and the limit of a network can be divided.
 */
export class Dispatcher {
  readonly #maxWaiting: number;
  readonly #receivers: Receiver[] = [];
  readonly #next = new BoundedCache<string, number>({ maxEntries: MAX_NETWORKS });
  #first = 0;
  /** Connections while no worker is ready. */
  #waiting: Socket[] = [];

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  add(receiver: Receiver): void {
    this.#receivers.push(receiver);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const socket of waiting) this.dispatch(socket);
  }

  remove(receiver: Receiver): void {
    const at = this.#receivers.indexOf(receiver);
    if (at >= 0) this.#receivers.splice(at, 1);
  }

  dispatch(socket: Socket): void {
    const count = this.#receivers.length;
    if (count === 0) {
      if (this.#waiting.length < this.#maxWaiting) this.#waiting.push(socket);
      else socket.destroy();
      return;
    }
    const network = clientNetwork(socket.remoteAddress ?? "");
    const next = this.#next.get(network) ?? this.#first++;
    this.#next.set(network, next + 1);
    this.#receivers[next % count]?.receive(socket);
  }
}
