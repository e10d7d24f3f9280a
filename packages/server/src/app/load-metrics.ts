import type { TimeSlices } from "../lib/scheduling/time-slices.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Store } from "../store/db/store.ts";
import type { Port } from "../wire/port/port.ts";

/** Figures of what is in progress and what waits, read with each scrape: requests pay nothing for them. */
export function watchLoad(
  metrics: Metrics,
  port: Port,
  { store, slices }: { readonly store: Store; readonly slices: TimeSlices },
): void {
  metrics.watchGauge(
    "wharf_requests_in_flight",
    "Requests that have arrived and are not answered yet.",
    () => port.load.requests,
  );
  metrics.watchGauge(
    "wharf_requests_waiting",
    "Requests, and long tasks of requests, that wait for their turn on the event loop.",
    () => slices.waiting,
  );
  metrics.watchGauge(
    "wharf_connections",
    "Open connections of clients.",
    () => port.load.connections,
  );
  metrics.watchGauge(
    "wharf_store_writes_waiting",
    "Writes that wait for the next transaction.",
    () => store.load.writesWaiting,
  );
  if (!store.isRemote) return;
  metrics.watchGauge(
    "wharf_store_connections",
    "Connections to PostgreSQL.",
    () => store.load.connections,
  );
  metrics.watchGauge(
    "wharf_store_reads_waiting",
    "Reads that wait for a connection to PostgreSQL.",
    () => store.load.readsWaiting,
  );
}
