import type { Settings } from "../config/settings.ts";
import type { FaultLog } from "../observe/fault-log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Span } from "../observe/tracing/span.ts";
import type { Tracing } from "../observe/tracing/tracing.ts";
import type { Store } from "../store/db/store.ts";
import type { Observer } from "../wire/observer.ts";

/** Begins to record traces if there is a collector for them. Loaded only then. */
export async function openTracing(
  settings: Settings,
  store: Store,
  metrics: Metrics,
  faults: FaultLog,
): Promise<Tracing | undefined> {
  if (settings.otlpEndpoint === "") return undefined;
  const { Tracing } = await import("../observe/tracing/tracing.ts");
  const tracing = new Tracing({ settings, metrics, faults });
  store.onWrite = tracing.writing;
  return tracing;
}

/** An observer that also records traces. */
export function tracedObserver(observer: Observer, tracing: Tracing | undefined): Observer {
  if (tracing === undefined) return observer;
  return {
    ...observer,
    started: (trace) => tracing.started(trace),
    finished(event) {
      observer.finished(event);
      if (event.span !== undefined) tracing.finished(event.span as Span, event);
    },
  };
}
