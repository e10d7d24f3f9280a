import type { Finished, Observer, Protocol } from "../wire/observer.ts";
import type { Series } from "./latencies.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** What all requests of one protocol, method and outcome share. */
interface Kind {
  readonly series: Series;
  /** Their part of the log line. */
  readonly text: string;
}

const PROTOCOLS: readonly Protocol[] = ["rest", "grpc", "grpc-web", "http"];

/**
 * Tells the log and the metrics of every request: its outcome, never its content. Both are done by
 * hand here, because they are done for every request: the libraries would take as long for them as
 * everything between reading the token and having the answer.
 *
 * @example await openPort({ …, observer: requestObserver(openLog("info"), metrics) });
 */
export function requestObserver({ log, startLine, writeLine }: Log, metrics: Metrics): Observer {
  const wanted = log.isLevelEnabled("info");
  const kinds = new Map<string, Kind[]>();

  function kindOf(event: Finished): Kind {
    let known = kinds.get(event.method);
    if (known === undefined) {
      known = [];
      kinds.set(event.method, known);
    }
    const at = event.code * PROTOCOLS.length + PROTOCOLS.indexOf(event.protocol);
    let kind = known[at];
    if (kind === undefined) {
      const { protocol, method, code } = event;
      kind = {
        series: metrics.requests(event),
        text: JSON.stringify({ protocol, method, code }).slice(1, -1),
      };
      known[at] = kind;
    }
    return kind;
  }

  return {
    finished(event) {
      const { series, text } = kindOf(event);
      series.add(event.ms / 1000);
      if (wanted) writeLine(`${startLine()},${text}${ownFields(event)}}`);
      const { error, requestId, method } = event;
      // What went wrong on our side is for us to read, and for nobody else to see.
      if (error?.code === "INTERNAL")
        log.error({ requestId, method, err: error.cause ?? error }, "failed");
    },
  };
}

/** What is a request's own. What its client chose is escaped; the rest is ours. */
function ownFields(event: Finished): string {
  const userAgent = event.userAgent === "" ? `""` : JSON.stringify(event.userAgent);
  return (
    `,"requestId":"${event.requestId}","httpStatus":${event.httpStatus},"bytesOut":${event.bytesOut}` +
    `,"ms":${Math.round(event.ms * 1000) / 1000},"remoteAddress":"${event.remoteAddress}","userAgent":${userAgent}`
  );
}
