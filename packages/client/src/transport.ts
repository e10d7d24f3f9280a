import type { DescMethod, Message } from "@bufbuild/protobuf";

/** One attempt of a call. */
export interface Attempt {
  readonly method: DescMethod;
  readonly request: Message;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the caller cancels or the deadline passes. */
  readonly signal: AbortSignal;
  /** The time until the deadline. */
  readonly timeoutMs: number;
}

/** The result of an attempt, for logs. Contains no secrets. */
export interface Sent {
  /** The HTTP method. */
  readonly method: string;
  readonly url: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly ms: number;
}

/** REST by default; gRPC is in `@wharf/client/node`. */
export interface Transport {
  /**
   * Sends an attempt and returns the response message. Rejects with a WharfError, or with the reason of the signal if
   * it is aborted.
   */
  send(attempt: Attempt, sent: (how: Sent) => void): Promise<Message>;

  /** Sends a call of a method that streams, and yields its messages. Ends with the same errors. */
  stream?(attempt: Omit<Attempt, "timeoutMs">, sent: (how: Sent) => void): AsyncIterable<Message>;
}
