import type { Finished, Observer } from "../wire/observer.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Tells the log and the metrics of every request: its outcome, never its content.
 *
 * @example await openPort({ …, observer: requestObserver(openLog("info"), metrics) });
 */
export function requestObserver({ log, startLine, writeLine }: Log, metrics: Metrics): Observer {
  const wanted = log.isLevelEnabled("info");
  return {
    finished(event) {
      metrics.requestFinished(event);
      if (wanted) writeLine(`${startLine()}${fieldsOf(event)}}`);
      const { error, requestId, method } = event;
      // What went wrong on our side is for us to read, and for nobody else to see.
      if (error?.code === "INTERNAL")
        log.error({ requestId, method, err: error.cause ?? error }, "failed");
    },
  };
}

/**
 * The line by hand: this is written for every request, and the library would take as long for it
 * as the database does for the answer. What a client chose itself is escaped; the rest is ours.
 */
function fieldsOf(event: Finished): string {
  return (
    `,"requestId":"${event.requestId}","protocol":"${event.protocol}","method":"${event.method}"` +
    `,"httpStatus":${event.httpStatus},"code":${event.code},"ms":${Math.round(event.ms * 1000) / 1000}` +
    `,"remoteAddress":"${event.remoteAddress}","userAgent":${JSON.stringify(event.userAgent)}` +
    `,"bytesOut":${event.bytesOut}`
  );
}
