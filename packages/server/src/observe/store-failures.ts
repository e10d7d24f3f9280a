import type { LaggingCopyObserver } from "../store/db/connection.ts";
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

/** Logs that the standby cannot be used: requests do not fail. */
export function standbyFailures(faults: FaultLog): LaggingCopyObserver {
  const cause = "standby_unusable";
  let isLogged = false;
  return {
    failed(reason) {
      const message = "the standby cannot be used; lists are read from the primary";
      if (faults.fault(cause, { reason }, message)) isLogged = true;
    },
    recovered() {
      if (isLogged) faults.recovered(cause, "the standby can be used again");
      isLogged = false;
    },
  };
}
