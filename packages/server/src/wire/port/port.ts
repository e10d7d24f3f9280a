/**
 * The listener detects the protocol of each connection and passes it to one of two servers that never listen
 * themselves. Requests are dispatched to gRPC or REST by content type.
 */
import { once } from "node:events";
import type { Http2Server } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import type { DescService } from "@bufbuild/protobuf";
import { serviceNames } from "@wharf/contract";
import type { AddressRange } from "../../lib/net/address-range.ts";
import { isLoopbackHost } from "../../lib/net/loopback.ts";
import { tls } from "../../lib/runtime/lazy-builtins.ts";
import type { Methods } from "../../rpc/call.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import type { GrpcWire } from "../grpc/handler.ts";
import { Descriptors } from "../grpc/system/descriptors.ts";
import type { HealthSource } from "../grpc/system/health.ts";
import { Health } from "../grpc/system/health.ts";
import { reflectionMethods, SYSTEM_SERVICES } from "../grpc/system/reflection.ts";
import { BodyBudget } from "../http/body-budget.ts";
import type { CorsOptions } from "../http/cors.ts";
import { Cors } from "../http/cors.ts";
import { Deadlines } from "../http/deadlines.ts";
import { Endpoints } from "../http/endpoints.ts";
import { LoopbackHosts } from "../http/host.ts";
import type { ErrorPage } from "../http/http.ts";
import { UnreadReplies } from "../http/unread-replies.ts";
import type { Limits } from "../limits.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Observer } from "../observer.ts";
import { openApiEndpoint } from "../rest/openapi.ts";
import { restRouter, routesOf } from "../rest/route.ts";
import { NOTHING_UNSUPPORTED, type UnsupportedApi } from "../unsupported.ts";
import { Connections } from "./connections.ts";
import { http1Server } from "./http1.ts";
import { http2Server, type Sessions } from "./http2.ts";
import { detectHttp2 } from "./preface.ts";
import { closePort } from "./shutdown.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

export interface PortOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** Serves connections that another process has accepted at this address, instead of listening. */
  readonly source?: ConnectionSource | undefined;
  /** PEM. Without it the port is plaintext. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly methods: Methods;
  /** Parts of the public API that answer UNIMPLEMENTED. */
  readonly unsupported?: UnsupportedApi;
  /** Matched before the routes of methods. */
  readonly endpoints: readonly HttpEndpoint[];
  /** The addresses at which clients reach this API, for its description. */
  readonly servers?: () => readonly string[];
  /** Whether connections wait until `start()`: the URL is known before the server can answer. */
  readonly held?: boolean;
  readonly limits?: Partial<Limits>;
  readonly cors?: CorsOptions;
  readonly observer: Observer;
  /**
   * Allowed hosts in addition to the loopback names. They apply if the port listens on a loopback address and no
   * proxy is trusted. Without them, any host is allowed.
   */
  readonly hosts?: readonly string[];
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly AddressRange[];
  /** The `domain` of every ErrorInfo. */
  readonly errorDomain: string;
  /** Page for browsers at paths without a handler; other clients get JSON. */
  readonly noRoutePage?: ErrorPage;
  /** The URL of the metadata that names the issuer of tokens (RFC 9728). */
  readonly resourceMetadata?: () => string;
  readonly health: HealthSource;
}

/** Connections that another process accepts. */
export interface ConnectionSource {
  readonly address: AddressInfo;
  onConnection(listener: (socket: Socket) => void): void;
}

export interface Port {
  readonly url: string;
  readonly address: AddressInfo;
  /** Serves the connections of a port that was opened as `held`, and all later ones. */
  start(): void;
  /** Open connections, and requests in progress on them. */
  readonly load: { readonly connections: number; readonly requests: number };
  /** New connections get this certificate. Throws if it is not valid, and keeps the one before. */
  renewCertificate(pair: { readonly cert: string; readonly key: string }): void;
  /** Keeps serving, but every HTTP/1 response closes its connection, so that clients move to other servers. */
  drain(): void;
  /** Stops accepting connections, waits for requests in progress, then closes the remaining ones. */
  close(graceMs: number): Promise<void>;
}

/** Opens the port and resolves once it listens. */
export async function openPort(options: PortOptions): Promise<Port> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const services = [...new Set(Array.from(options.methods, (method) => method.desc.parent))];
  const health = new Health(options.health, services.flatMap(serviceNames));
  const wire = wireOf(options, limits, services, health);
  const sessions: Sessions = new Map();
  const http1 = http1Server(wire);
  let h2: Http2Server | undefined;
  let deferred: (() => void)[] | undefined = options.held ? [] : undefined;
  const accept = (socket: Socket, isHttp2: boolean) => {
    if (deferred !== undefined) {
      deferred.push(() => accept(socket, isHttp2));
      return;
    }
    if (isHttp2) h2 ??= http2Server(wire, sessions);
    (isHttp2 ? h2 : http1)?.emit("connection", socket);
  };
  const listener = options.tls
    ? tlsListener(options.tls, limits, accept)
    : listenerOf(limits, accept);
  const sockets = new Set<Socket>();
  listener.on("connection", (socket: Socket) => {
    options.observer.accepted?.();
    wire.connections.add(socket);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { source } = options;
  source?.onConnection((socket) => {
    socket.setNoDelay(true).setKeepAlive(true);
    listener.emit("connection", socket);
  });
  if (source === undefined) {
    listener.listen(options.listen.port, options.listen.host);
    await once(listener, "listening");
  }
  // Connections that cannot be accepted, such as for lack of file descriptors, must not end the process.
  listener.on("error", (error) => options.observer.acceptFailed?.(error));
  const address = source?.address ?? (listener.address() as AddressInfo);
  const { hosts, trustedProxies = [] } = options;
  if (hosts !== undefined && trustedProxies.length === 0 && isLoopbackHost(address.address))
    wire.hosts = new LoopbackHosts([...hosts, options.listen.host]);

  const opened = { wire, health, listener, http1, sessions, sockets };
  return {
    url: urlOf(address, options.tls !== undefined),
    address,
    start() {
      const waiting = deferred ?? [];
      deferred = undefined;
      for (const serve of waiting) serve();
    },
    get load() {
      const { count: connections, requests } = wire.connections;
      return { connections, requests };
    },
    renewCertificate(pair) {
      if (options.tls) (listener as TlsServer).setSecureContext({ ...pair, ...TLS_VERSIONS });
    },
    drain() {
      wire.draining = true;
    },
    async close(graceMs) {
      if (!wire.closing) await closePort(opened, graceMs);
    },
  };
}

function wireOf(
  options: PortOptions,
  limits: Limits,
  services: readonly DescService[],
  health: Health,
): GrpcWire {
  let descriptors: Descriptors | undefined;
  const { unsupported = NOTHING_UNSUPPORTED, trustedProxies = [] } = options;
  const routes = routesOf(options.methods);
  const { observer } = options;
  const proxies = trustedProxies.length === 0 ? undefined : new TrustedProxies(trustedProxies);
  return {
    methods: options.methods,
    router: restRouter(routes, unsupported.routes),
    unsupported,
    endpoints: new Endpoints(
      [...options.endpoints, openApiEndpoint(routes, options.endpoints, options.servers)],
      routes.map((route) => route.template),
    ),
    limits,
    connections: new Connections(limits, proxies, (reason) => observer.closed?.(reason)),
    deadlines: new Deadlines(limits.requestMs),
    bodies: new BodyBudget(limits.bodyBytes),
    unread: new UnreadReplies(limits.unreadBytes),
    cors: new Cors(options.cors ?? { origins: [] }),
    observer,
    proxies,
    errorDomain: options.errorDomain,
    noRoutePage: options.noRoutePage,
    resourceMetadata: options.resourceMetadata,
    commonHeaders: options.tls && HSTS,
    keepAlive: `timeout=${Math.floor(limits.keepAliveMs / 1000)}`,
    hosts: undefined,
    draining: false,
    closing: false,
    streamingCalls: new Set(),
    streaming: new Map([
      ...health.methods(),
      ...reflectionMethods(
        () => (descriptors ??= new Descriptors([...services, ...SYSTEM_SERVICES])),
      ),
    ]),
  };
}

/** HTTP Strict Transport Security for a year. */
const HSTS = { "strict-transport-security": "max-age=31536000" };

type Accept = (socket: Socket, isHttp2: boolean) => void;

function listenerOf(limits: Limits, accept: Accept): Server {
  return createServer({ noDelay: true, keepAlive: true }, (socket) => {
    detectHttp2(socket, limits.handshakeMs, (isHttp2) => accept(socket, isHttp2));
  });
}

const TLS_VERSIONS = { minVersion: "TLSv1.2" } as const;

function tlsListener(pair: { cert: string; key: string }, limits: Limits, accept: Accept): Server {
  const server = tls().createServer({
    ...pair,
    ALPNProtocols: ["h2", "http/1.1"],
    ...TLS_VERSIONS,
    handshakeTimeout: limits.handshakeMs,
    noDelay: true,
    keepAlive: true,
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    accept(socket, socket.alpnProtocol === "h2");
  });
  // A failed handshake affects only this client.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

/** The URL of a server that listens at an address. */
export function urlOf({ address, family, port }: AddressInfo, isTls: boolean): string {
  const host = family === "IPv6" ? `[${address}]` : address;
  return `${isTls ? "https" : "http"}://${host}:${port}`;
}
