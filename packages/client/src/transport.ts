import type { DescMethod, Message } from "@bufbuild/protobuf";

/** One attempt at a call, ready to be sent. */
export interface Attempt {
  readonly method: DescMethod;
  readonly request: Message;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the attempt: the caller gave up, or the time is over. */
  readonly signal: AbortSignal;
  /** How much time is left. */
  readonly timeoutMs: number;
}

/** How an attempt went, for whoever watches. Nothing of it is secret. */
export interface Sent {
  /** The verb of HTTP. */
  readonly method: string;
  readonly url: string;
  /** The status of HTTP; 0 when no answer came. */
  readonly status: number;
  readonly ms: number;
}

/** A way to reach the server: REST by default, gRPC from `@wharf/client/node`. */
export interface Transport {
  /**
   * Sends and answers with the response message. Rejects with a WharfError, or with the reason of
   * the signal once that is aborted.
   */
  send(attempt: Attempt, sent: (how: Sent) => void): Promise<Message>;
}
