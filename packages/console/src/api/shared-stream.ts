import { type Followed, follow, type LiveState } from "./live-stream.ts";

/** Messages from the tab that reads the stream to the others. */
type Message<Event> =
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "gap" }
  | { readonly kind: "hello" };

/**
 * Follows a stream once for all tabs: browsers open six connections to a server over HTTP/1.1, so that a stream of each
 * tab would leave none for requests. The tab that holds the lock reads; when it closes, the next one continues.
 */
export async function followShared<Event>(
  name: string,
  followed: Followed<Event>,
  signal: AbortSignal,
): Promise<void> {
  let after = "";
  let state: LiveState = "connecting";
  let isJoined = false;
  /** Cached reads may be stale: this tab missed events. */
  const join = () => {
    isJoined = true;
    followed.onGap();
  };
  const took = (event: Event) => {
    after = followed.idOf(event);
    followed.onEvent(event);
  };
  // Without a secure context there are no locks: every tab has a stream of its own.
  if (navigator.locks === undefined) return follow(followed, after, signal);
  const channel = new BroadcastChannel(name);
  const tell = (message: Message<Event>) => channel.postMessage(message);
  signal.addEventListener("abort", () => channel.close(), { once: true });
  channel.onmessage = ({ data }: MessageEvent<Message<Event>>) => {
    if (data.kind === "event") took(data.event);
    else if (data.kind === "gap") join();
    else if (data.kind === "state") {
      if (data.state === "live" && !isJoined) join();
      followed.onState(data.state);
    }
  };
  tell({ kind: "hello" });
  const lead = async () => {
    channel.onmessage = ({ data }: MessageEvent<Message<Event>>) => {
      if (data.kind === "hello") tell({ kind: "state", state });
    };
    const leading: Followed<Event> = {
      ...followed,
      onEvent(event) {
        took(event);
        if (!signal.aborted) tell({ kind: "event", event });
      },
      onGap() {
        followed.onGap();
        if (!signal.aborted) tell({ kind: "gap" });
      },
      onState(next) {
        state = next;
        followed.onState(next);
        if (!signal.aborted) tell({ kind: "state", state });
      },
    };
    await follow(leading, after, signal);
    // The lock is kept while the stream is denied: another tab would be denied, too.
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  await navigator.locks.request(name, { signal }, lead).catch((error) => {
    if (!signal.aborted) throw error;
  });
}
