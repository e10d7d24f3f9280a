import { randomBytes } from "node:crypto";
import type { ServerSpan, TraceContext } from "../../wire/trace-context.ts";

/** Kinds of OpenTelemetry. */
export const KIND = { internal: 1, server: 2, client: 3 } as const;

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/** A span that has begun. */
export class Span implements ServerSpan {
  readonly traceId: string;
  readonly spanId = randomBytes(8).toString("hex");
  readonly parentId: string;
  readonly start = performance.timeOrigin + performance.now();

  constructor(parent: Pick<TraceContext, "traceId" | "parentId"> | undefined) {
    this.traceId = parent?.traceId ?? randomBytes(16).toString("hex");
    this.parentId = parent?.parentId ?? "";
  }

  /** The field for requests on behalf of it: the trace is recorded. */
  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-01`;
  }

  child(): Span {
    return new Span({ traceId: this.traceId, parentId: this.spanId });
  }

  finish(
    name: string,
    kind: number,
    attributes: Attributes,
    isError: boolean = false,
  ): FinishedSpan {
    const { traceId, spanId, parentId, start } = this;
    const end = performance.timeOrigin + performance.now();
    return { traceId, spanId, parentId, name, kind, start, end, attributes, isError };
  }
}
