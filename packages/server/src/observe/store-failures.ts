import { databaseErrorOf, failureText } from "../store/db/failure.ts";
import type { HealthObserver } from "../store/db/health.ts";
import type { FaultLog } from "./fault-log.ts";
import type { Metrics } from "./metrics.ts";

/** Logs and counts failures of the store. */
export function storeFailures(faults: FaultLog, metrics: Pick<Metrics, "count">): HealthObserver {
  let isLogged = false;
  return {
    failed(failure) {
      const { operation, cause } = failure;
      metrics.count("wharf_store_errors_total", { cause });
      const fields = { operation, err: databaseErrorOf(failure) };
      if (faults.fault(cause, fields, failureText(failure))) isLogged = true;
    },
    recovered({ cause }) {
      // A store that fails and recovers many times a minute has one line of each.
      if (isLogged) faults.recovered(cause, "the store can be read and written again");
      isLogged = false;
    },
  };
}
