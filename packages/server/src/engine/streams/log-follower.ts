import type { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { Store } from "../../store/db/store.ts";

/** Commits of this process are looked at together within this time. */
const GATHER_MS = 5;

/** A log that grows, of which streams follow parts. */
export interface FollowedLog<T> {
  /** Looks for what was added since the last call. Returns which streams it concerns; undefined if there is nothing. */
  advance(): Promise<((followed: T) => boolean) | undefined>;
  /** Nobody follows for now: the next call begins with the end of the log. */
  forget(): void;
}

interface Follower<T> {
  readonly followed: T;
  readonly wakeSignal: WakeSignal;
}

/**
 * Wakes streams when something of theirs is added to a log. All streams of a process share one reader of the log, which
 * rests while there are none.
 */
export class LogFollower<T> {
  readonly #log: FollowedLog<T>;
  readonly #pollMs: number;
  readonly #followers = new Set<Follower<T>>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isEnded = false;

  constructor(store: Store, log: FollowedLog<T>, pollMs: number) {
    this.#log = log;
    this.#pollMs = pollMs;
    store.onCommit(() => {
      if (this.#followers.size > 0) this.#schedule(GATHER_MS);
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Wakes someone whenever something is added, until the returned function is called. */
  follow(followed: T, wakeSignal: WakeSignal): () => void {
    const follower = { followed, wakeSignal };
    this.#followers.add(follower);
    this.#schedule(0);
    return () => this.#followers.delete(follower);
  }

  /** Ends all streams: the server stops. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#wake(() => true);
  }

  #schedule(ms: number): void {
    if (this.#isEnded || this.#isReading) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#read(), ms).unref();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      const concerns = await this.#log.advance();
      if (concerns !== undefined) this.#wake(concerns);
    } catch {
      // The store's health reports it. Streams look for themselves meanwhile.
      this.#log.forget();
    }
    this.#isReading = false;
    if (this.#followers.size > 0) this.#schedule(this.#pollMs);
    else this.#log.forget();
  }

  #wake(concerns: (followed: T) => boolean): void {
    for (const { followed, wakeSignal } of this.#followers)
      if (concerns(followed)) wakeSignal.wake();
  }
}
