import type { WharfError } from "../lib/errors.ts";
import type { ServerSpan, TraceContext } from "./trace-context.ts";

export type Protocol = "rest" | "grpc" | "grpc-web" | "connect" | "http";

/** A finished request, for logs and metrics. */
export interface Finished {
  readonly requestId: string;
  readonly protocol: Protocol;
  /** The full name of the RPC, the path of the endpoint, or "-" if none matched; never a raw path. */
  readonly method: string;
  readonly httpStatus: number;
  /** Canonical code; 0 is OK. */
  readonly code: number;
  readonly ms: number;
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly bytesOut: number;
  /** Whether machines poll the endpoint. */
  readonly isPolled?: boolean;
  /** Why the response is what it is, if the endpoint says so. */
  readonly reason?: string | undefined;
  /** The uid and the name of the caller, once authenticated; empty for calls without credentials. */
  readonly caller?: string | undefined;
  readonly callerName?: string | undefined;
  /** The trace that the client is part of (W3C Trace Context). */
  readonly traceId?: string | undefined;
  readonly error?: WharfError | undefined;
  /** The result of `started`. */
  readonly span?: ServerSpan | undefined;
}

/** Why a connection was closed: the total limit, the limit of its network, or the idle timeout. */
export type CloseReason = "total" | "address" | "idle";

export interface Observer {
  /** Called once per request when it has arrived. Absent unless traces are recorded. */
  started?(trace: TraceContext | undefined): ServerSpan | undefined;
  /** Called once per request, after its response was written to the socket. */
  finished(event: Finished): void;
  /** Called for each connection that was closed because of a limit. */
  closed?(reason: CloseReason): void;
  /** Called for each new connection. */
  accepted?(): void;
  /** Called when a connection cannot be accepted. */
  acceptFailed?(error: Error): void;
}
