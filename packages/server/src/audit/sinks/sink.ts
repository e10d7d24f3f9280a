import { createHash } from "node:crypto";

/** A destination of audit entries outside the installation. */
export interface AuditSink {
  /** Without secrets, for logs and metrics. */
  readonly name: string;
  /** Resolves when the lines are delivered, or sent where the protocol has no acknowledgments. */
  send(batch: SinkBatch): Promise<void>;
  close(): void;
}

/** A sink did not take a batch. */
export class SinkError extends Error {
  /** The pause that it asks for. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface SinkBatch {
  readonly lines: readonly SinkLine[];
}

/** An entry or a checkpoint as one line of JSON, without its end. */
export interface SinkLine {
  readonly json: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Whether it says that a request was denied or failed. */
  readonly isFailure: boolean;
}

/** The name under which the progress of a sink is stored: changes with its address, not with its options. */
export function sinkKey({ protocol, host, pathname }: URL): string {
  return createHash("sha256").update(`${protocol}//${host}${pathname}`).digest("hex").slice(0, 16);
}
