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
export function requestObserver(
  { log, startLine, writeLine, flush }: Log,
  metrics: Metrics,
): Observer {
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

  const waiting: { readonly event: Finished; readonly text: string; readonly time: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Many lines at a stroke: one at a time, between requests, each would cost three times as much. */
  function writeWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { event, text, time } of waiting) {
      writeLine(`${startLine(time)},${text}${ownFields(event)}}`);
    }
    waiting.length = 0;
  }
  process.on("exit", () => {
    writeWaiting();
    flush();
  });

  return {
    closed: (reason) => metrics.count("wharf_connections_closed_total", { reason }),
    finished(event) {
      const { series, text } = kindOf(event);
      series.add(event.ms / 1000);
      if (wanted) {
        waiting.push({ event, text, time: Date.now() });
        if (waiting.length >= TOGETHER) writeWaiting();
        else timer ??= setTimeout(writeWaiting, AT_LATEST_MS).unref();
      }
      const { error, requestId, method } = event;
      if (error?.code !== "INTERNAL") return;
      // What went wrong on our side is for us to read, and for nobody else to see.
      writeWaiting();
      log.error({ requestId, method, err: error.cause ?? error }, "failed");
    },
  };
}

/** Lines that are written at a stroke. */
const TOGETHER = 128;

/** Whoever watches the log does not wait longer. */
const AT_LATEST_MS = 100;

/** What is a request's own. What its client chose is escaped; the rest is ours. */
function ownFields(event: Finished): string {
  const userAgent = event.userAgent === "" ? `""` : JSON.stringify(event.userAgent);
  return (
    `,"requestId":"${event.requestId}","httpStatus":${event.httpStatus},"bytesOut":${event.bytesOut}` +
    `,"ms":${Math.round(event.ms * 1000) / 1000},"remoteAddress":"${event.remoteAddress}","userAgent":${userAgent}`
  );
}
