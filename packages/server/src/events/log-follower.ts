import { setImmediate } from "node:timers/promises";
import { isSelfOrBelow } from "@wharf/contract";
import type { Waiting } from "../delivery/waiting.ts";
import type { Store } from "../store/db/store.ts";
import { type LogPosition, logEnd, readLog } from "../store/tables/event-log.ts";

/** Events read at once. */
const BATCH_SIZE = 200;

/** Commits of this process are looked at together within this time. */
const GATHER_MS = 5;

interface Follower {
  readonly group: string;
  readonly waiting: Waiting;
}

/**
 * Wakes streams when there are events of their groups. All streams of a process share one reader of the log, which rests
 * while there are none.
 */
export class LogFollower {
  readonly #store: Store;
  readonly #pollMs: number;
  readonly #followers = new Set<Follower>();
  #tail: LogPosition | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isEnded = false;

  constructor(store: Store, pollMs: number) {
    this.#store = store;
    this.#pollMs = pollMs;
    store.onCommit(() => {
      if (this.#followers.size > 0) this.#schedule(GATHER_MS);
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Wakes someone at each event of a group, until the returned function is called. */
  follow(group: string, waiting: Waiting): () => void {
    const follower = { group, waiting };
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
      await this.#readNew();
    } catch {
      // The store's health reports it. Streams look for themselves meanwhile.
      this.#tail = undefined;
    }
    this.#isReading = false;
    if (this.#followers.size > 0) this.#schedule(this.#pollMs);
    else this.#tail = undefined;
  }

  async #readNew(): Promise<void> {
    const { reader } = this.#store;
    if (this.#tail === undefined) {
      this.#tail = await logEnd(reader);
      this.#wake(() => true);
    }
    for (;;) {
      const events = await readLog(reader, { from: this.#tail }, BATCH_SIZE);
      const groups = [...new Set(events.map(({ group }) => group))];
      this.#wake((above) => groups.some((group) => isSelfOrBelow(group, above)));
      this.#tail = events.at(-1) ?? this.#tail;
      if (events.length < BATCH_SIZE) return;
      // One transaction may have very many events.
      await setImmediate();
    }
  }

  #wake(concerns: (group: string) => boolean): void {
    for (const { group, waiting } of this.#followers) if (concerns(group)) waiting.wake();
  }
}
