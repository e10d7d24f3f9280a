import type { Leases } from "../../delivery/leases.ts";
import type { DeliveryTimes } from "../../delivery/times.ts";
import { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { FaultLog } from "../../observe/fault-log.ts";
import type { Store } from "../../store/db/store.ts";
import { addDeliveries, type NewDelivery } from "../../store/tables/events/deliveries.ts";
import {
  type EventPosition,
  isAfter,
  type LogPosition,
  moveCursor,
  readCursor,
  readLog,
} from "../../store/tables/events/event-log.ts";
import { firstStart, markDue } from "../../store/tables/events/subscription-states.ts";
import type { Matcher } from "./matcher.ts";

/** The lease of the process that dispatches, and the cursor up to which events are dispatched. */
const NAME = "events";

/** Events of one pass. */
const BATCH_SIZE = 500;

/** Deliveries of one transaction, unless a single event has more: other writes share it, and wait for it. */
const MAX_DELIVERIES = 1_000;

/** Maximum wait of deliveries for another commit that they join. */
const MAX_DELAY_MS = 5;

export interface DispatcherDeps {
  readonly store: Store;
  readonly matcher: Matcher;
  readonly leases: Leases;
  readonly times: DeliveryTimes;
  readonly faults: Pick<FaultLog, "fault">;
  /** Called with the subscriptions that got deliveries, after the commit. */
  readonly dispatched: (subscriptions: readonly string[]) => void;
}

/**
 * Turns events into deliveries. It follows the log of events below its visibility horizon; the deliveries and the cursor
 * are written in one transaction, so an event is dispatched exactly once. The cursor is read from the store each time:
 * a database that crashed or was replaced by a standby may lack the latest commits, and the deliveries with them. One
 * process of an installation dispatches. Writers of events do nothing for it, and without subscriptions nothing is read
 * either.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #wakeSignal = new WakeSignal();
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Whether commits of this process wake it. */
  #follows = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    deps.store.onCommit(() => {
      if (this.#follows) this.#wakeSignal.wake();
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** There may be a new subscription. */
  wake(): void {
    this.#wakeSignal.wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeSignal.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { times, faults } = this.#deps;
    while (!this.#stopped) {
      let pauseMs = times.idlePollMs;
      try {
        this.#follows = await this.#dispatch();
        if (this.#follows) pauseMs = times.pollMs;
      } catch (error) {
        this.#follows = false;
        if (!this.#stopped) faults.fault("event_dispatch", { err: error }, "events not dispatched");
      }
      await this.#wakeSignal.wait(pauseMs);
    }
  }

  /** Dispatches all events. Returns false if there are no subscriptions, or if another process dispatches. */
  async #dispatch(): Promise<boolean> {
    const { store, leases } = this.#deps;
    const start = await firstStart(store.reader);
    if (start === undefined) return false;
    if (!leases.holds(NAME) && !(await leases.acquire(NAME))) return false;
    while (!this.#stopped && (await this.#pass(start)) === BATCH_SIZE);
    return true;
  }

  /** Dispatches events after the cursor, or after a position that follows it. */
  async #pass(start: LogPosition): Promise<number> {
    const { store, matcher } = this.#deps;
    let cursor = await readCursor(store.reader, NAME);
    const from = isAfter(start, cursor) ? start : cursor;
    const events = await readLog(store.reader, { from }, BATCH_SIZE);
    const now = Date.now();
    const deliveries = Map.groupBy(await matcher.deliveriesOf(events, now), ({ event }) => event);
    let part: NewDelivery[] = [];
    for (const [index, event] of events.entries()) {
      part.push(...(deliveries.get(event.id) ?? []));
      const next = events[index + 1];
      const following = next === undefined ? Infinity : (deliveries.get(next.id)?.length ?? 0);
      if (part.length + following <= MAX_DELIVERIES) continue;
      await this.#store(cursor, event, part);
      cursor = event;
      part = [];
    }
    return events.length;
  }

  /** Stores deliveries, and the cursor up to which there are no others. */
  async #store(
    cursor: LogPosition,
    last: EventPosition,
    deliveries: readonly NewDelivery[],
  ): Promise<void> {
    const { store, leases, dispatched } = this.#deps;
    const uids = [...new Set(deliveries.map(({ subscription }) => subscription))];
    await store.writeInBackground(async (tx) => {
      if (!(await leases.confirm(tx, NAME))) throw new Error("another process dispatches events");
      if (!(await moveCursor(tx, NAME, cursor, last)))
        throw new Error("the log of events has changed since it was read");
      if (deliveries.length === 0) return;
      await addDeliveries(tx, deliveries);
      await markDue(tx, uids);
    }, MAX_DELAY_MS);
    if (uids.length > 0) dispatched(uids);
  }
}
