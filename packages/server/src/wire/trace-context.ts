import { randomBytes } from "node:crypto";

/** The position of a request in a distributed trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal characters. */
  readonly traceId: string;
  /** The span of the caller, 16 hexadecimal characters. */
  readonly parentId: string;
  /** Whether the caller records the trace, as two hexadecimal characters. */
  readonly flags: string;
}

/** The span of a request in this server, if traces are recorded. */
export interface ServerSpan {
  readonly traceId: string;
  /** The field for requests on behalf of it. */
  readonly traceparent: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads the field `traceparent`; undefined if it is absent or invalid, which must not fail a request. */
export function readTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== "string") return undefined;
  const [, version, traceId, parentId, flags] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === "ff" || traceId === undefined) return undefined;
  // Version 00 has exactly four parts; later ones may have more.
  if (version === "00" && header.length !== 55) return undefined;
  if (parentId === undefined || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, parentId, flags: flags ?? "00" };
}

/** The field for a request that this server sends on behalf of the traced one: the same trace, a new span. */
export function childTraceparent({ traceId, flags }: TraceContext): string {
  return `00-${traceId}-${randomBytes(8).toString("hex")}-${flags}`;
}
