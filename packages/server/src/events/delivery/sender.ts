import type { Leases } from "../../delivery/leases.ts";
import type { SendResult } from "../../delivery/pinned-client.ts";
import type { TimeSlices } from "../../lib/scheduling/time-slices.ts";
import { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { pendingDeliveries, type StoredDelivery } from "../../store/tables/events/deliveries.ts";
import { type EventWithBody, readEventBodies } from "../../store/tables/events/event-log.ts";
import {
  arrivalsOf,
  leaseOf,
  readHealth,
  restFor,
} from "../../store/tables/events/subscription-states.ts";
import { type ContextDeps, type Current, isActive, SubscriptionContext } from "./context.ts";
import { disable } from "./disable.ts";
import { type AttemptOutcome, EXPIRED, outcomeOf, waitOf } from "./outcomes.ts";
import { deliveryRequest } from "./request.ts";
import type { Results } from "./results.ts";
import { SinkHealth } from "./sink-health.ts";

/** Deliveries read at once. */
const WINDOW = 200;

/** Windows read to find something that can be sent, where many deliveries wait for their next attempt. */
const MAX_WINDOWS = 10;

/** The key of a chain of all subjects: no subject is called so. */
const ALL_SUBJECTS = "*";

/** The pause after a result could not be stored. */
const STORE_PAUSE_MS = 1_000;

export interface SenderDeps extends ContextDeps {
  readonly leases: Leases;
  readonly results: Results;
  readonly metrics: Pick<Metrics, "count">;
  /** Gets the causes of failures, which the delivery log does not show. */
  readonly log: Pick<Logger, "warn">;
  /** All senders share these: requests of the API do not wait for hundreds of deliveries to be signed. */
  readonly slices: TimeSlices;
}

/** A delivery with its event; undefined if that has expired. */
interface Due {
  readonly delivery: StoredDelivery;
  readonly event: EventWithBody | undefined;
}

/**
 * Deliveries of one subject: each is sent after the result of the one before is stored. With one request at a time there
 * is one chain, of all subjects.
 */
interface Chain {
  readonly key: string;
  readonly deliveries: readonly Due[];
}

/**
 * Sends the deliveries of one subscription, while this process has its lease. Subjects are independent of each other up
 * to the concurrency of the subscription, which also counts results that are not stored yet: so a kill repeats no more
 * requests than that. A failing sink gets one request at a time.
 */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #uid: string;
  readonly #context: SubscriptionContext;
  readonly #wakeSignal = new WakeSignal();
  readonly #active = new Set<string>();
  #ready: Chain[] = [];
  #health = new SinkHealth();
  /** Whether the store may have deliveries that are not in memory. */
  #mayHaveMore = true;
  /** When the first of the deliveries that wait is due, by the monotonic clock. */
  #nextAt = Infinity;
  #stopped = false;

  constructor(deps: SenderDeps, uid: string) {
    this.#deps = deps;
    this.#uid = uid;
    this.#context = new SubscriptionContext(deps, uid);
  }

  /** Something was added. */
  wake(): void {
    this.#mayHaveMore = true;
    this.#wakeSignal.wake();
  }

  /** Lets requests in progress finish, and sends no others. */
  stop(): void {
    this.#stopped = true;
    this.#wakeSignal.wake();
  }

  /** Sends until there has been nothing to do for a while. Resolves when the lease is released. */
  async run(): Promise<void> {
    const { store, leases, times } = this.#deps;
    const name = leaseOf(this.#uid);
    let arrivals = 0;
    let restMs: number | undefined;
    try {
      arrivals = await arrivalsOf(store.reader, this.#uid);
      this.#health = new SinkHealth(await readHealth(store.reader, this.#uid));
      let idleSince = performance.now();
      while (!this.#stopped && leases.holds(name)) {
        const context = await this.#context.current();
        if (!isActive(context)) {
          if (context !== "stopped") await this.#lostRights(context.lacks);
          restMs = Infinity;
          break;
        }
        if (this.#ready.length === 0 && this.#active.size < this.#limit(context)) {
          const latest = await arrivalsOf(store.reader, this.#uid);
          // Another process may have added deliveries, without a wake-up here.
          const isMore = this.#mayHaveMore || latest !== arrivals;
          arrivals = latest;
          if (isMore) await this.#load(context);
        }
        this.#startChains(context);
        if (this.#active.size > 0) {
          idleSince = performance.now();
          await this.#wakeSignal.wait(times.idlePollMs);
          continue;
        }
        const restsUntil =
          this.#ready.length > 0
            ? this.#health.pausedUntil
            : Math.max(this.#nextAt, this.#health.pausedUntil);
        const left = idleSince + times.lingerMs - performance.now();
        const waitMs = restsUntil - performance.now();
        if (waitMs <= 0) {
          this.#mayHaveMore = true;
          continue;
        }
        if (left <= 0 || (waitMs !== Infinity && waitMs > left)) {
          restMs = waitMs;
          break;
        }
        await this.#wakeSignal.wait(Math.min(left, waitMs, times.idlePollMs));
      }
    } finally {
      while (this.#active.size > 0) await this.#wakeSignal.wait(times.idlePollMs);
      this.#context.close();
      await leases.release(name, async (tx) => {
        // After a stop or an error, the subscription remains due: another sender continues.
        if (restMs !== undefined) await restFor(tx, this.#uid, arrivals, restMs);
      });
    }
  }

  async #lostRights(lacks: readonly string[]): Promise<void> {
    const reason = `the identity that authorized the subscription lacks ${lacks.join(", ")}`;
    await disable(this.#deps.store, this.#uid, reason);
  }

  /** Reads pending deliveries, and groups those that can be sent now by subject. One that waits holds back its subject. */
  async #load({ subscription }: Current): Promise<void> {
    const { store, times } = this.#deps;
    const { reader } = store;
    const isSingle = subscription.maxConcurrency === 1;
    // Deliveries that end during the read may be pending in it, but must not be sent again.
    const active = new Set(this.#active);
    const isActive = (subject: string) => active.has(ALL_SUBJECTS) || active.has(subject);
    const waiting = new Set<string>();
    const included = new Set<string>();
    const chains = new Map<string, StoredDelivery[]>();
    this.#mayHaveMore = false;
    this.#nextAt = Infinity;
    let after = 0;
    for (let window = 0; window < MAX_WINDOWS && chains.size === 0; window++) {
      const rows = await pendingDeliveries(reader, this.#uid, after, WINDOW);
      for (const row of rows) {
        const { subject } = row;
        if (isActive(subject)) {
          this.#mayHaveMore = true;
          continue;
        }
        const waitMs = waitOf(row, times.retryDelaysMs);
        if (waitMs > 0 && !waiting.has(subject) && !included.has(subject)) {
          waiting.add(subject);
          this.#nextAt = Math.min(this.#nextAt, performance.now() + waitMs);
        }
        if (waiting.has(subject)) continue;
        included.add(subject);
        const key = isSingle ? ALL_SUBJECTS : subject;
        const chain = chains.get(key);
        if (chain === undefined) chains.set(key, [row]);
        else chain.push(row);
      }
      if (rows.length < WINDOW) break;
      this.#mayHaveMore = true;
      after = rows.at(-1)?.id ?? 0;
    }
    const ids = [...chains.values()].flatMap((rows) => rows.map(({ event }) => event));
    const events = await readEventBodies(reader, [...new Set(ids)]);
    this.#ready = [...chains].map(([key, rows]) => {
      return {
        key,
        deliveries: rows.map((row) => ({ delivery: row, event: events.get(row.event) })),
      };
    });
  }

  /** Limit of active chains. */
  #limit({ subscription }: Current): number {
    return this.#health.isFailing ? 1 : subscription.maxConcurrency;
  }

  #startChains(context: Current): void {
    const limit = this.#limit(context);
    while (
      this.#ready.length > 0 &&
      this.#active.size < limit &&
      performance.now() >= this.#health.pausedUntil
    ) {
      const chain = this.#ready.shift() as Chain;
      this.#active.add(chain.key);
      this.#sendChain(chain)
        .catch(() => {
          // The store's health reports it. Nothing is lost: the delivery is still pending.
          this.#ready = [];
          this.#mayHaveMore = true;
          this.#health.pause(STORE_PAUSE_MS);
        })
        .finally(() => {
          this.#active.delete(chain.key);
          this.#wakeSignal.wake();
        });
    }
  }

  async #sendChain({ deliveries }: Chain): Promise<void> {
    const { results } = this.#deps;
    const owner = { uid: this.#uid, health: this.#health };
    for (const delivery of deliveries) {
      const outcome = await results.during(() => this.#attempt(delivery));
      if (outcome === undefined) return;
      await results.write(owner, outcome);
      await this.#disableIfGone(outcome);
      if (outcome.outcome !== "delivered") this.#mayHaveMore = true;
      if (outcome.outcome === "retried" || performance.now() < this.#health.pausedUntil) return;
    }
  }

  /** Undefined if the subscription must not be sent to any more. */
  async #attempt({ delivery, event }: Due): Promise<AttemptOutcome | undefined> {
    const { leases, times, signer, names, metrics, slices } = this.#deps;
    await slices.begin(() => [this.#uid]);
    const context = await this.#context.current();
    if (this.#stopped || !isActive(context) || !leases.holds(leaseOf(this.#uid))) return undefined;
    const now = Date.now();
    const result = await (event === undefined
      ? EXPIRED
      : post(context, deliveryRequest(context, delivery, event, names(), signer, now)));
    this.#logFailure(context, result);
    const outcome = outcomeOf(delivery, result, now, times.retryDelaysMs);
    metrics.count("wharf_event_deliveries_total", { outcome: outcome.outcome });
    return outcome;
  }

  /** Logs why there is no answer, once until the sink answers again. */
  #logFailure({ subscription }: Current, { cause }: SendResult): void {
    if (cause === undefined || this.#health.isFailing) return;
    const { host } = new URL(subscription.sink);
    const fields = { err: cause, subscription: this.#uid, sink: host };
    this.#deps.log.warn(fields, "sink cannot be reached");
  }

  /** Disables the subscription after a stored failure if its sink is gone or has failed for too long. */
  async #disableIfGone({ outcome, isGone }: AttemptOutcome): Promise<void> {
    if (outcome === "delivered") return;
    const { store, times } = this.#deps;
    const { failingSince } = this.#health;
    if (isGone) await disable(store, this.#uid, "the sink answered 410 Gone");
    else if (failingSince > 0 && Date.now() - failingSince >= times.disableAfterMs) {
      const since = new Date(failingSince).toISOString();
      await disable(store, this.#uid, `every request to the sink has failed since ${since}`);
    }
  }
}

function post(
  { client }: Current,
  { headers, body }: ReturnType<typeof deliveryRequest>,
): Promise<SendResult> {
  return client.post(headers, body);
}
