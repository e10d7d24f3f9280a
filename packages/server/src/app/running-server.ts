import type { FirstRun } from "../login/local/setup.ts";

/** Grace period of requests in progress after a request to stop. */
export const DRAIN_MS = 10_000;

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  /** Reads the certificate again; connections that are open keep the one before. */
  reload(): void;
  /** Address and code to create the first account; undefined once there is an account. */
  readonly firstRun: FirstRun | undefined;
  /**
   * Fails readiness at once and serves for `delayMs` more, until balancers have noticed. Then drains requests and
   * background tasks, and closes the store. A second call without a delay ends the delay of the first.
   */
  stop(delayMs?: number): Promise<void>;
}
