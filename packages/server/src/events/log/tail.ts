import { setImmediate } from "node:timers/promises";
import { isSelfOrBelow } from "@wharf/contract";
import type { FollowedLog } from "../../engine/streams/log-follower.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  type EventPosition,
  isLogged,
  logEnd,
  readLog,
} from "../../store/tables/events/event-log.ts";

/** Events read at once. */
const BATCH_SIZE = 200;

/** The end of the log of events, of which streams follow groups. */
export class EventTail implements FollowedLog<string> {
  readonly #reader: Reader;
  #tail: EventPosition | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async advance(): Promise<(group: string) => boolean> {
    if (this.#tail === undefined || !(await isLogged(this.#reader, this.#tail))) {
      this.#tail = await logEnd(this.#reader);
      return () => true;
    }
    const groups = new Set<string>();
    for (;;) {
      const events = await readLog(this.#reader, { from: this.#tail }, BATCH_SIZE);
      for (const { group } of events) groups.add(group);
      this.#tail = events.at(-1) ?? this.#tail;
      if (events.length < BATCH_SIZE) break;
      // A transaction may have very many events.
      await setImmediate();
    }
    return (above) => [...groups].some((group) => isSelfOrBelow(group, above));
  }

  forget(): void {
    this.#tail = undefined;
  }
}
