import type { Finished, Observer, Protocol } from "../wire/observer.ts";
import type { FileDescriptors } from "./file-descriptors.ts";
import type { Log } from "./logger.ts";
import type { Metrics, Requests } from "./metrics.ts";

/** Requests of one protocol, method and code. */
interface Kind {
  readonly requests: Requests;
  /** The fields of the log line that they share. */
  readonly text: string;
}

const PROTOCOLS: readonly Protocol[] = ["rest", "grpc", "grpc-web", "connect", "http"];

/**
 * Logs and counts every request: its outcome, never its content. Both are implemented by hand, because
 * logging and metrics libraries would take as long as handling a short request.
 */
export function requestObserver(
  { log, startLine, writeLine, flush }: Log,
  metrics: Metrics,
  descriptors: FileDescriptors,
): Observer {
  const logsRequests = log.isLevelEnabled("info");
  const logsPolls = log.isLevelEnabled("debug");
  const kinds = new Map<string, Kind[]>();

  function kindOf(event: Finished): Kind {
    let ofMethod = kinds.get(event.method);
    if (ofMethod === undefined) {
      ofMethod = [];
      kinds.set(event.method, ofMethod);
    }
    const at = event.code * PROTOCOLS.length + PROTOCOLS.indexOf(event.protocol);
    let kind = ofMethod[at];
    if (kind === undefined) {
      const { protocol, method, code } = event;
      kind = {
        requests: metrics.requests(event),
        text: JSON.stringify({ protocol, method, code }).slice(1, -1),
      };
      ofMethod[at] = kind;
    }
    return kind;
  }

  const pending: { readonly event: Finished; readonly text: string; readonly time: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Writes lines in batches: one by one, between requests, each costs three times as much. */
  function writePending(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { event, text, time } of pending) {
      const level = isPoll(event) ? "debug" : "info";
      writeLine(`${startLine(level, time)},${text}${otherFields(event)}}`);
    }
    pending.length = 0;
  }
  process.on("exit", () => {
    writePending();
    flush();
  });

  return {
    accepted: () => descriptors.accepted(),
    acceptFailed: (error) => descriptors.check("accept", error),
    closed: (reason) => metrics.count("wharf_connections_closed_total", { reason }),
    finished(event) {
      const { requests, text } = kindOf(event);
      requests.count += 1;
      requests.durations.add(event.ms / 1000);
      if (isPoll(event) ? logsPolls : logsRequests) {
        pending.push({ event, text, time: Date.now() });
        if (pending.length >= BATCH_SIZE) writePending();
        else timer ??= setTimeout(writePending, FLUSH_MS).unref();
      }
      const { error, requestId, method } = event;
      if (error !== undefined) descriptors.check("request", error);
      if (error?.code !== "INTERNAL") return;
      // Clients do not get the cause of an internal error, so it is logged.
      writePending();
      log.error({ requestId, method, err: error.cause ?? error }, "request failed");
    },
  };
}

/** Polls of machines would fill the log. */
function isPoll({ isPolled, code }: Finished): boolean {
  return isPolled === true && code === 0;
}

/** Lines written together. */
const BATCH_SIZE = 128;

/** The longest time that a line is pending. */
const FLUSH_MS = 100;

/** The other fields. The user agent is escaped, as clients choose it. */
function otherFields(event: Finished): string {
  const userAgent = event.userAgent === "" ? `""` : JSON.stringify(event.userAgent);
  return (
    `,"requestId":"${event.requestId}","httpStatus":${event.httpStatus},"bytesOut":${event.bytesOut}` +
    `,"ms":${Math.round(event.ms * 1000) / 1000},"remoteAddress":"${event.remoteAddress}","userAgent":${userAgent}` +
    (event.caller ? `,"caller":"${event.caller}"` : "") +
    (event.callerName ? `,"callerName":${JSON.stringify(event.callerName)}` : "") +
    (event.traceId ? `,"traceId":"${event.traceId}"` : "") +
    (event.reason ? `,"reason":${JSON.stringify(event.reason)}` : "")
  );
}
