/** Which connections are open, and which of them is closed when there are too many. */
import type { Socket } from "node:net";
import { clientNetwork } from "../lib/client-network.ts";
import type { Limits } from "./limits.ts";
import type { CloseReason } from "./observer.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** One connection, and what its client does with it. */
export class Connection {
  /** The address of the other end. */
  readonly peer: string;
  /** What it counts for: its client's network; undefined for trusted proxies, which are not limited. */
  readonly network: string | undefined;
  readonly #socket: Socket;
  /** Requests that are not answered yet, and those there ever were. */
  #active = 0;
  #total = 0;
  #changed = performance.now();

  constructor(socket: Socket, proxies: TrustedProxies | undefined) {
    this.#socket = socket;
    this.peer = socket.remoteAddress ?? "";
    this.network = proxies?.includes(this.peer) ? undefined : clientNetwork(this.peer);
  }

  get isIdle(): boolean {
    return this.#active === 0;
  }

  /** Whether its client has never sent a whole request. */
  get isUnused(): boolean {
    return this.#total === 0;
  }

  /** `performance.now()` of its beginning, or of when a request of it last began or was answered. */
  get changed(): number {
    return this.#changed;
  }

  /** A request has come, with all of its headers. Bytes and pings alone are no activity. */
  began(now: number): void {
    this.#active += 1;
    this.#total += 1;
    this.#changed = now;
  }

  answered(now: number): void {
    this.#active -= 1;
    this.#changed = now;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Connections of one network. */
type Group = Set<Connection>;

/**
 * Keeps connections within bounds. Beyond the bound of its network, a new connection takes the place of
 * the network's idlest one. Beyond the bound of all, it takes the place of the idlest connection of
 * the network that has the most, so that a network with many makes room for those with few.
 */
export class Connections {
  readonly #limits: Pick<Limits, "connections" | "connectionsPerNetwork">;
  readonly #proxies: TrustedProxies | undefined;
  readonly #closed: (reason: CloseReason) => void;
  readonly #groups = new Map<string | undefined, Group>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** The connections by their other end, which is how a TLS socket finds its own. */
  readonly #byPeer = new Map<string, Connection>();
  #count = 0;

  constructor(
    limits: Pick<Limits, "connections" | "connectionsPerNetwork">,
    proxies: TrustedProxies | undefined,
    closed: (reason: CloseReason) => void = () => {},
  ) {
    this.#limits = limits;
    this.#proxies = proxies;
    this.#closed = closed;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a new connection, closing another for it if need be; or closes it, if none can be. */
  add(socket: Socket): void {
    const connection = new Connection(socket, this.#proxies);
    const reason = this.#makeRoom(connection);
    if (reason !== undefined) {
      connection.close();
      this.#closed(reason);
      return;
    }
    const group = this.#groups.get(connection.network) ?? new Set();
    this.#groups.set(connection.network, group.add(connection));
    this.#count += 1;
    this.#bySocket.set(socket, connection);
    const peer = peerOf(socket);
    this.#byPeer.set(peer, connection);
    socket.once("close", () => {
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
      this.#remove(connection);
    });
  }

  /** The connection of a socket, or of a TLS socket above it. */
  of(socket: Socket): Connection {
    let known = this.#bySocket.get(socket);
    if (known === undefined) {
      known = this.#byPeer.get(peerOf(socket)) ?? new Connection(socket, this.#proxies);
      this.#bySocket.set(socket, known);
    }
    return known;
  }

  /** Closes what must go for a new connection; says why, where nothing can. */
  #makeRoom({ network }: Connection): CloseReason | undefined {
    const own = this.#groups.get(network);
    if (network !== undefined && (own?.size ?? 0) >= this.#limits.connectionsPerNetwork) {
      if (!this.#closeIdlest(own, "address", { busy: false })) return "address";
    }
    if (this.#count < this.#limits.connections) return undefined;
    const [largest, size] = this.#largest();
    const ownSize = network === undefined ? 0 : (own?.size ?? 0) + 1;
    // Work under way is given up only for those who hold less.
    const made =
      ownSize > size
        ? this.#closeIdlest(own, "total", { busy: false })
        : this.#closeIdlest(largest, "total", { busy: ownSize < size });
    return made ? undefined : "total";
  }

  /** The network that has the most connections, or all that do; trusted proxies, if nobody else. */
  #largest(): [connections: Iterable<Connection>, size: number] {
    let size = 0;
    let largest: Group[] = [];
    for (const [network, group] of this.#groups) {
      if (network === undefined || group.size < size) continue;
      if (group.size > size) largest = [];
      size = group.size;
      largest.push(group);
    }
    if (largest.length === 0) return [this.#groups.get(undefined) ?? [], 0];
    return [largest.flatMap((group) => [...group]), size];
  }

  #closeIdlest(
    connections: Iterable<Connection> = [],
    reason: CloseReason,
    { busy }: { readonly busy: boolean },
  ): boolean {
    let idlest: Connection | undefined;
    for (const connection of connections) {
      if (idlest === undefined || isIdler(connection, idlest)) idlest = connection;
    }
    if (idlest === undefined || !(idlest.isIdle || busy)) return false;
    this.#remove(idlest);
    idlest.close();
    this.#closed(reason);
    return true;
  }

  #remove(connection: Connection): void {
    const group = this.#groups.get(connection.network);
    if (!group?.delete(connection)) return;
    this.#count -= 1;
    if (group.size === 0) this.#groups.delete(connection.network);
  }
}

/** Those without work come first, then those whose last work is longest ago. */
function isIdler(one: Connection, other: Connection): boolean {
  return one.isIdle === other.isIdle ? one.changed < other.changed : one.isIdle;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
