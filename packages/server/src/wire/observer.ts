import type { WharfError } from "../lib/errors.ts";

export type Protocol = "rest" | "grpc" | "grpc-web" | "http";

/** One finished request, for log lines and metrics. */
export interface Finished {
  readonly requestId: string;
  readonly protocol: Protocol;
  /** Full name of the RPC, path of the endpoint, or "-" when none matched; never a raw path. */
  readonly method: string;
  readonly httpStatus: number;
  /** Canonical code; 0 is OK. */
  readonly code: number;
  readonly ms: number;
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly bytesOut: number;
  readonly error?: WharfError | undefined;
}

/** Why a connection was closed: too many in all, too many of one address, nothing asked for so long. */
export type CloseReason = "total" | "address" | "idle";

export interface Observer {
  /** Called once for each request, after its answer was handed to the socket. */
  finished(event: Finished): void;
  /** Called for each connection that was closed for the sake of others. */
  closed?(reason: CloseReason): void;
}
