/** What one client may ask of the port. Every bound is here, with the reason for its size. */
export interface Limits {
  /** Open sockets. Each costs tens of kilobytes; beyond this the machine, not we, would refuse. */
  readonly connections: number;
  /** Open sockets of one client network: a tenth of all. Trusted proxies are not limited. */
  readonly connectionsPerNetwork: number;
  /** Milliseconds in which a new socket must say enough to tell HTTP/1 from HTTP/2. */
  readonly silentMs: number;
  /** Milliseconds for all headers of an HTTP/1 request: long for any network, short for a loris. */
  readonly headersMs: number;
  /** Milliseconds for a request from first byte to answer. Nothing we do takes longer. */
  readonly requestMs: number;
  /** Milliseconds without a byte in either direction after which a socket is let go. */
  readonly idleMs: number;
  /** Milliseconds in which the first request on an HTTP/2 connection must come. */
  readonly firstRequestMs: number;
  /** Milliseconds a connection without requests is kept: longer than the 60 s of usual proxies. */
  readonly keepAliveMs: number;
  /** Streams at once on an HTTP/2 connection: the value that RFC 9113 advises as the least. */
  readonly streams: number;
  /** Bytes of all headers together: a token of 8 KiB, twice. */
  readonly headerBytes: number;
  /** Bytes of a URL: long filters and page tokens fit; what proxies commonly let through. */
  readonly urlBytes: number;
  /** Bytes of a request, as sent and unpacked: 4 MiB is what gRPC servers take by default. */
  readonly messageBytes: number;
  /** Bytes of a request that needs no credentials: a form with two tokens fits. */
  readonly openMessageBytes: number;
  /** Bytes of all request bodies above 64 KiB that are being read or worked on. */
  readonly bodyBytes: number;
  /** Header fields of a request: several times what browsers and proxies send. */
  readonly headerFields: number;
  /** Segments of a path: more than the deepest uid has that fits into a URL. */
  readonly pathSegments: number;
  /** Bytes of all long gRPC answers that clients have not read yet: four lists of the longest. */
  readonly unreadBytes: number;
  /** Stream resets an HTTP/2 client may do at once, and per second after (CVE-2023-44487). */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
}

export const DEFAULT_LIMITS: Limits = {
  connections: 10_000,
  connectionsPerNetwork: 1_000,
  silentMs: 10_000,
  headersMs: 15_000,
  requestMs: 30_000,
  idleMs: 120_000,
  firstRequestMs: 15_000,
  keepAliveMs: 65_000,
  streams: 100,
  headerBytes: 16 * 1024,
  urlBytes: 8 * 1024,
  messageBytes: 4 * 1024 * 1024,
  openMessageBytes: 64 * 1024,
  bodyBytes: 256 * 1024 * 1024,
  headerFields: 128,
  pathSegments: 512,
  unreadBytes: 256 * 1024 * 1024,
  resetBurst: 500,
  resetsPerSecond: 50,
};

/**
 * Answers below this go out as they are: they fit into one packet, so packing saves no round trip.
 */
export const COMPRESS_FROM_BYTES = 1400;

/** Fastest level: on lists it packs to within a tenth of the best at a fifth of the time. */
export const COMPRESS_LEVEL = 1;

/** Half-written answers above this can block on the client's window, so they get a timer. */
export const SLOW_CLIENT_BYTES = 64 * 1024;
