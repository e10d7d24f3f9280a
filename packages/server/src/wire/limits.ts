import type { Method } from "../rpc/call.ts";

/** The limits of a port, with the reasons for their defaults. */
export interface Limits {
  /** Open sockets. Each costs tens of kilobytes. */
  readonly connections: number;
  /** Open sockets of one client network: a tenth of all. Trusted proxies are not limited. */
  readonly connectionsPerNetwork: number;
  /** Milliseconds until the first bytes of a socket, or the end of its TLS handshake. */
  readonly handshakeMs: number;
  /** Milliseconds for the headers of an HTTP/1 request (slowloris). */
  readonly headersMs: number;
  /** Milliseconds from the first byte of a request to its response. */
  readonly requestMs: number;
  /** Milliseconds without a byte in either direction until a socket is closed. */
  readonly idleMs: number;
  /** Milliseconds until the first request of an HTTP/2 connection. */
  readonly firstRequestMs: number;
  /** Milliseconds until a connection without requests is closed: longer than the usual 60 s of proxies. */
  readonly keepAliveMs: number;
  /** Concurrent streams of an HTTP/2 connection: the minimum that RFC 9113 recommends. */
  readonly streams: number;
  /** Bytes of all headers: two tokens of 8 KiB. */
  readonly headerBytes: number;
  /** Bytes of a URL: the usual limit of proxies. */
  readonly urlBytes: number;
  /** Bytes of a request message, compressed and decompressed: several times the largest resource. */
  readonly messageBytes: number;
  /** Bytes of a request with documents, such as an import: the default of gRPC servers. */
  readonly documentBytes: number;
  /** Bytes of a request to a public method: enough for a form with two tokens. */
  readonly publicMessageBytes: number;
  /** Bytes of all request bodies in memory; an eighth of it is for bodies up to 64 KiB. */
  readonly bodyBytes: number;
  /** Header fields of a request: several times what browsers and proxies send. */
  readonly headerFields: number;
  /** Segments of a path: more than the deepest UID that fits into a URL. */
  readonly pathSegments: number;
  /** Bytes of all long gRPC responses that clients have not read yet: four lists of maximum length. */
  readonly unreadBytes: number;
  /** Burst and rate of stream resets by an HTTP/2 client (CVE-2023-44487). */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
}

export const DEFAULT_LIMITS: Limits = {
  connections: 10_000,
  connectionsPerNetwork: 1_000,
  handshakeMs: 10_000,
  headersMs: 15_000,
  requestMs: 30_000,
  idleMs: 120_000,
  firstRequestMs: 15_000,
  keepAliveMs: 65_000,
  streams: 100,
  headerBytes: 16 * 1024,
  urlBytes: 8 * 1024,
  messageBytes: 256 * 1024,
  documentBytes: 4 * 1024 * 1024,
  publicMessageBytes: 64 * 1024,
  bodyBytes: 256 * 1024 * 1024,
  headerFields: 128,
  pathSegments: 512,
  unreadBytes: 256 * 1024 * 1024,
  resetBurst: 500,
  resetsPerSecond: 50,
};

/** Bytes of a request of a method. */
export function maxRequestBytes(method: Method, limits: Limits): number {
  if (method.isPublic) return limits.publicMessageBytes;
  return method.takesDocuments ? limits.documentBytes : limits.messageBytes;
}

/** Shorter responses are not compressed: they fit into one packet. */
export const COMPRESS_FROM_BYTES = 1400;

/** The fastest level: on lists, within 10% of the best compression at a fifth of the time. */
export const COMPRESS_LEVEL = 1;

/** Longer responses can block on the client's flow-control window, so they get a timeout. */
export const SLOW_CLIENT_BYTES = 64 * 1024;
