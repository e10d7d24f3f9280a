import type { AddressInfo } from "node:net";
import type { Settings } from "../../config/settings.ts";
import type { LimitedUse } from "../../lib/scheduling/rate-limits.ts";
import type { FirstRun } from "../../login/local/setup.ts";
import type { NotReady } from "../../observe/readiness.ts";

/*
 * A server of several processes: a supervisor that listens and starts workers, which serve. They exchange these
 * messages over the channel of Node.js, and single bytes of the writer mutex over a pipe (writer-mutexes.ts).
 */

/** Start message of a worker. */
export interface WorkerStart {
  /** From 1. The first one also does what only one process of a server may do. */
  readonly worker: number;
  /** The share of this worker. */
  readonly settings: Settings;
  /** Address on which the supervisor listens. */
  readonly address: AddressInfo;
  /** Whether it replaces one that has ended. */
  readonly isReplacement: boolean;
  /** The files of the embedded database that other workers have open. */
  readonly opened: readonly string[] | undefined;
}

/** Message of the supervisor to a worker. */
export type ToWorker =
  | { readonly kind: "start"; readonly start: WorkerStart }
  /** Comes with a socket. */
  | { readonly kind: "connection" }
  /** Answers a question for uses of limits. */
  | { readonly kind: "taken"; readonly id: number; readonly waitMs: number }
  /** Readiness problem of a sibling worker. */
  | { readonly kind: "elsewhere"; readonly problem: NotReady | undefined }
  /** Asks for the metrics of this worker, and answers a question for those of all. */
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "scraped"; readonly id: number; readonly text: string }
  /** Is answered at once, unless the worker hangs. */
  | { readonly kind: "ping" }
  /** Reads the certificate again. */
  | { readonly kind: "reload" }
  /** Not ready from now on, but serving. */
  | { readonly kind: "drain" }
  /** Ends once requests in progress are answered. */
  | { readonly kind: "stop" };

/** Message of a worker to the supervisor. */
export type FromWorker =
  | {
      readonly kind: "ready";
      readonly firstRun: FirstRun | undefined;
      readonly opened: readonly string[] | undefined;
    }
  | { readonly kind: "pong" }
  /** Has received a connection. */
  | { readonly kind: "accepted" }
  | { readonly kind: "take"; readonly id: number; readonly uses: readonly LimitedUse[] }
  | { readonly kind: "problem"; readonly problem: NotReady | undefined }
  | { readonly kind: "scrape"; readonly id: number }
  | { readonly kind: "reported"; readonly id: number; readonly text: string };
