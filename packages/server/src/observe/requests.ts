import type { Logger } from "pino";
import type { Finished, Observer } from "../wire/observer.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Tells the log and the metrics of every request: its outcome, never its content.
 *
 * @example await openPort({ …, observer: requestObserver(log, metrics) });
 */
export function requestObserver(log: Logger, metrics: Metrics): Observer {
  const wanted = log.isLevelEnabled("info");
  return {
    finished(event) {
      metrics.requestFinished(event);
      const { error } = event;
      // What went wrong on our side is for us to read, and for nobody else to see.
      if (error?.code === "INTERNAL")
        log.error({ ...line(event), err: error.cause ?? error }, "failed");
      else if (wanted) log.info(line(event));
    },
  };
}

function line(event: Finished): object {
  return {
    requestId: event.requestId,
    protocol: event.protocol,
    method: event.method,
    httpStatus: event.httpStatus,
    code: event.code,
    ms: Math.round(event.ms * 1000) / 1000,
    remoteAddress: event.remoteAddress,
    userAgent: event.userAgent,
    bytesOut: event.bytesOut,
  };
}
