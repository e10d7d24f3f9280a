import type { FirstRun } from "../login/local/setup.ts";

/** How long requests may take to finish after the server was asked to stop. */
export const DRAIN_MS = 10_000;

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  /** Reads the certificate again; connections that are open keep the one before. */
  reload(): void;
  /** Where to create the first account, and the code for it; undefined once there is an account. */
  readonly firstRun: FirstRun | undefined;
  /**
   * Fails readiness at once and serves for `delayMs` more, until balancers have noticed. Then drains requests and
   * background tasks, and closes the store. A second call without a delay ends the delay of the first.
   */
  stop(delayMs?: number): Promise<void>;
}
