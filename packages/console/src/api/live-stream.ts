/** A stream that outlasts its connections. Knows neither the API nor the browser. */

/** The observed state of a stream. */
export type LiveState = "off" | "connecting" | "live" | "denied";

/** Opens the stream after a position, the next event if it is empty; throws errors with the codes of the API. */
export type Open<Event> = (
  after: string,
  onOpen: () => void,
  signal: AbortSignal,
) => AsyncIterable<Event>;

export interface Followed<Event> {
  readonly open: Open<Event>;
  /** Waits; rejects if the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly idOf: (event: Event) => string;
  readonly onEvent: (event: Event) => void;
  /** The stream begins with the next event: what was read before may be out of date. */
  readonly onGap: () => void;
  readonly onState: (state: LiveState) => void;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Follows a stream from a position on, until the signal aborts or the caller may not read it. A lost connection is opened
 * again with growing pauses, after the last event; with an expired token, at once.
 */
export async function follow<Event>(
  { open, pause, idOf, onEvent, onGap, onState }: Followed<Event>,
  start: string,
  signal: AbortSignal,
): Promise<void> {
  let after = start;
  let failures = 0;
  const opened = () => {
    if (after === "") onGap();
    onState("live");
  };
  while (!signal.aborted) {
    onState("connecting");
    let code = "";
    try {
      for await (const event of open(after, opened, signal)) {
        failures = 0;
        after = idOf(event);
        onEvent(event);
      }
    } catch (error) {
      code = (error as { readonly code?: string }).code ?? "";
    }
    if (signal.aborted) break;
    if (code === "PERMISSION_DENIED" || code === "NOT_FOUND") {
      onState("denied");
      return;
    }
    // Events after the position have expired.
    if (code === "OUT_OF_RANGE") after = "";
    const isExpired = code === "UNAUTHENTICATED" && failures === 0;
    failures += 1;
    if (isExpired) continue;
    const most = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    // Not all pages return at the same moment after a restart of the server.
    await pause(most * (0.5 + Math.random() / 2), signal).catch(() => {});
  }
  onState("off");
}
