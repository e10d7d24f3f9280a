import { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { FaultLog } from "../../observe/fault-log.ts";
import type { LogFields } from "../../observe/logger.ts";
import { dueSubscriptions, leaseOf } from "../../store/tables/events/subscription-states.ts";
import { Sender, type SenderDeps } from "./sender.ts";

/** Subscriptions that are sent to at the same time: so many dead sinks do not delay others. */
const MAX_SENDERS = 500;

export interface WorkerDeps extends SenderDeps {
  readonly faults: Pick<FaultLog, "fault">;
}

/** Starts a sender for each subscription with deliveries that are due and that no other process sends. */
export class DeliveryWorker {
  readonly #deps: WorkerDeps;
  readonly #senders = new Map<string, Sender>();
  readonly #runs = new Set<Promise<void>>();
  readonly #wakeSignal = new WakeSignal();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Is notified of new deliveries of these subscriptions. */
  dispatched(uids: readonly string[]): void {
    let isNew = false;
    for (const uid of uids) {
      const sender = this.#senders.get(uid);
      if (sender === undefined) isNew = true;
      else sender.wake();
    }
    if (isNew) this.#wakeSignal.wake();
  }

  /** Lets requests in progress finish. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeSignal.wake();
    await this.#running;
    for (const sender of this.#senders.values()) sender.stop();
    await Promise.all(this.#runs);
  }

  async #run(): Promise<void> {
    const { times } = this.#deps;
    while (!this.#stopped) {
      try {
        await this.#startDue();
      } catch (error) {
        this.#failed({ err: error });
      }
      await this.#wakeSignal.wait(times.idlePollMs);
    }
  }

  async #startDue(): Promise<void> {
    const { store, leases, times } = this.#deps;
    const room = MAX_SENDERS - this.#senders.size;
    if (room <= 0) return;
    const { reader } = store;
    for (const uid of await dueSubscriptions(reader, times.leaseMs, room)) {
      if (this.#stopped || this.#senders.has(uid)) continue;
      if (await leases.acquire(leaseOf(uid))) this.#startSender(uid);
    }
  }

  #startSender(uid: string): void {
    const sender = new Sender(this.#deps, uid);
    this.#senders.set(uid, sender);
    const run = sender
      .run()
      .finally(() => {
        this.#senders.delete(uid);
        this.#runs.delete(run);
      })
      .then(
        // Something may have arrived while it ended.
        () => this.#wakeSignal.wake(),
        // It is started again at the next interval.
        (error: unknown) => this.#failed({ err: error, subscription: uid }),
      );
    this.#runs.add(run);
  }

  #failed(fields: LogFields): void {
    if (!this.#stopped) this.#deps.faults.fault("event_delivery", fields, "events not delivered");
  }
}
