import { failureText, type StoreFailure } from "../store/db/failure.ts";
import type { HealthObserver } from "../store/db/health.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

/** While the store fails, every request does; the log has one line per interval. */
const LOG_INTERVAL_MS = 60_000;

/** Logs and counts failures of the store. */
export function storeFailures(
  log: Pick<Logger, "error" | "info">,
  metrics: Pick<Metrics, "count">,
  now: () => number = Date.now,
): HealthObserver {
  let logged = Number.NEGATIVE_INFINITY;
  let lastCause = "";
  let unlogged = 0;
  return {
    failed(failure: StoreFailure) {
      const { cause, error } = failure;
      metrics.count("wharf_store_errors_total", { cause });
      unlogged++;
      if (now() - logged < LOG_INTERVAL_MS && cause === lastCause) return;
      log.error({ cause, failures: unlogged, err: error }, failureText(failure));
      [logged, lastCause, unlogged] = [now(), cause, 0];
    },
    recovered({ cause }: StoreFailure) {
      log.info({ cause, failures: unlogged }, "the store can be written again");
      [logged, unlogged] = [Number.NEGATIVE_INFINITY, 0];
    },
  };
}
