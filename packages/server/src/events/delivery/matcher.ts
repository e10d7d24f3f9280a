import { ancestorsOf, type Subscription, SubscriptionState } from "@wharf/contract";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { NewDelivery } from "../../store/tables/events/deliveries.ts";
import {
  isAfter,
  type LoggedEvent,
  type LogPosition,
} from "../../store/tables/events/event-log.ts";
import { startOf } from "../../store/tables/events/subscription-states.ts";
import { type Attributes, attributesOf, type EventNames } from "../cloud-event.ts";
import { eventTypes } from "../event-types.ts";
import { matches } from "../filters.ts";
import { subscriptions } from "../subscriptions/definition.ts";

/** Groups whose subscriptions are cached. */
const MAX_GROUPS = 10_000;

/** The event of TestSubscription: for the subscription that it is about, and no other. */
const TESTED = "events.subscription.tested.v1";

interface Candidate {
  readonly subscription: Subscription;
  /** It gets events after this position. */
  readonly start: LogPosition;
}

/**
 * Finds the subscriptions of events: those at the group of an event and at the groups above it. They are looked up by
 * group, and cached until a subscription changes.
 */
export class Matcher {
  readonly #deps: Pick<ResourceAccess, "access" | "store">;
  readonly #names: () => EventNames;
  readonly #byGroup = new Map<string, readonly Candidate[]>();
  #version = -1;

  constructor(deps: Pick<ResourceAccess, "access" | "store">, names: () => EventNames) {
    this.#deps = deps;
    this.#names = names;
  }

  /** The deliveries of events, in order. */
  async deliveriesOf(events: readonly LoggedEvent[], now: number): Promise<NewDelivery[]> {
    const version = await this.#deps.store.accessVersion();
    if (version !== this.#version || this.#byGroup.size > MAX_GROUPS) this.#byGroup.clear();
    this.#version = version;
    const names = this.#names();
    const found: NewDelivery[] = [];
    for (const event of events) {
      if (!eventTypes().has(event.type)) continue;
      const candidates = await this.#candidates(event.group);
      if (candidates.length === 0) continue;
      const attributes = attributesOf(event, names);
      for (const candidate of candidates) {
        if (!isMatch(candidate, event, attributes)) continue;
        const { id, eventId, type, subject } = event;
        const { uid } = candidate.subscription;
        found.push({
          subscription: uid,
          event: id,
          eventId,
          type,
          subject,
          isReplay: false,
          time: now,
        });
      }
    }
    return found;
  }

  async #candidates(group: string): Promise<readonly Candidate[]> {
    if (group === "") return [];
    const cached = this.#byGroup.get(group);
    if (cached !== undefined) return cached;
    const { reader } = this.#deps.store;
    const found = await subscriptions.whereIn(reader, "parent", [group, ...ancestorsOf(group)]);
    const candidates: Candidate[] = [];
    for (const subscription of found) {
      if (subscription.state === SubscriptionState.DISABLED) continue;
      candidates.push({ subscription, start: await startOf(reader, subscription.uid) });
    }
    this.#byGroup.set(group, candidates);
    return candidates;
  }
}

function isMatch(
  { subscription: { uid, filters }, start }: Candidate,
  event: LoggedEvent,
  attributes: Attributes,
): boolean {
  if (!isAfter(event, start)) return false;
  if (event.type === TESTED) return event.subject === uid;
  return matches(filters, (name) => attributes[name as keyof Attributes] ?? "") === true;
}
