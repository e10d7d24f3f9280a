/** Bounds the number of open connections. */
import type { Socket } from "node:net";
import { clientNetwork } from "../../lib/net/client-network.ts";
import type { Limits } from "../limits.ts";
import type { CloseReason } from "../observer.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** A connection and its activity. */
export class Connection {
  /** The remote address. */
  readonly peer: string;
  /** The client network whose limit applies; undefined for trusted proxies, which have none. */
  readonly network: string | undefined;
  readonly #socket: Socket;
  /** Requests in progress, and all requests so far. */
  #active = 0;
  #total = 0;
  #lastActivity = performance.now();

  constructor(socket: Socket, proxies: TrustedProxies | undefined) {
    this.#socket = socket;
    this.peer = socket.remoteAddress ?? "";
    this.network = proxies?.includes(this.peer) ? undefined : clientNetwork(this.peer);
  }

  /** Requests in progress. */
  get active(): number {
    return this.#active;
  }

  get isIdle(): boolean {
    return this.#active === 0;
  }

  /** Whether the client has never sent complete request headers. */
  get isUnused(): boolean {
    return this.#total === 0;
  }

  /** `performance.now()` when it was opened, or when a request last started or finished. */
  get lastActivity(): number {
    return this.#lastActivity;
  }

  /** All headers of a request have arrived. Bytes and pings alone do not count as activity. */
  requestStarted(now: number): void {
    this.#active += 1;
    this.#total += 1;
    this.#lastActivity = now;
  }

  requestFinished(now: number): void {
    this.#active -= 1;
    this.#lastActivity = now;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Connections of one network. */
type Group = Set<Connection>;

/**
 * Enforces the limits. At the limit of its network, a new connection replaces the least recently active one of that
 * network. At the total limit, it replaces the least recently active one of the network with the most connections,
 * so a network with many cannot starve those with few.
 */
export class Connections {
  readonly #limits: Pick<Limits, "connections" | "connectionsPerNetwork">;
  readonly #proxies: TrustedProxies | undefined;
  readonly #closed: (reason: CloseReason) => void;
  readonly #groups = new Map<string | undefined, Group>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** By remote address and port: a TLS socket has no other link to its connection. */
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

  /** Requests in progress on all connections. */
  get requests(): number {
    let requests = 0;
    for (const group of this.#groups.values())
      for (const connection of group) requests += connection.active;
    return requests;
  }

  /** Accepts a connection, closing another if necessary; closes the new one if no other can be closed. */
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

  /** The connection of a socket, or of the TLS socket on top of it. */
  of(socket: Socket): Connection {
    let existing = this.#bySocket.get(socket);
    if (existing === undefined) {
      existing = this.#byPeer.get(peerOf(socket)) ?? new Connection(socket, this.#proxies);
      this.#bySocket.set(socket, existing);
    }
    return existing;
  }

  /** Closes another connection if a limit is reached. Returns the limit if none can be closed. */
  #makeRoom({ network }: Connection): CloseReason | undefined {
    const own = this.#groups.get(network);
    if (network !== undefined && (own?.size ?? 0) >= this.#limits.connectionsPerNetwork) {
      if (!this.#closeIdlest(own, "address", { busy: false })) return "address";
    }
    if (this.#count < this.#limits.connections) return undefined;
    const [largest, size] = this.#largest();
    const ownSize = network === undefined ? 0 : (own?.size ?? 0) + 1;
    // Busy connections are closed only in favor of a smaller network.
    const made =
      ownSize > size
        ? this.#closeIdlest(own, "total", { busy: false })
        : this.#closeIdlest(largest, "total", { busy: ownSize < size });
    return made ? undefined : "total";
  }

  /** The connections of the largest networks; those of trusted proxies if there are no others. */
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

/** Idle connections first, then by least recent activity. */
function isIdler(one: Connection, other: Connection): boolean {
  return one.isIdle === other.isIdle ? one.lastActivity < other.lastActivity : one.isIdle;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
