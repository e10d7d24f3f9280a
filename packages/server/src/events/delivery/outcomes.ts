import type { SendResult } from "../../delivery/pinned-client.ts";
import { retryDelay } from "../../delivery/retry-schedule.ts";
import {
  DELIVERY_STATES,
  type DeliveryResult,
  type PendingDelivery,
  type StoredAttempt,
  type StoredDelivery,
} from "../../store/tables/events/deliveries.ts";

/** Consequences of an attempt for its delivery and for the subscription. */
export interface AttemptOutcome extends DeliveryResult {
  readonly outcome: "delivered" | "retried" | "failed";
  /** The sink is gone: nothing is to be sent to it any more. */
  readonly isGone: boolean;
  /** Pause requested by the sink (Retry-After). */
  readonly pauseMs: number;
}

/** Gone (RFC 9110, 15.5.11). */
const GONE = 410;

/** Answers with which a sink asks for less traffic. */
const THROTTLED = new Set([429, 502, 503, 504]);

/**
 * A status of 2xx is success; everything else, redirects included, is a failure that is repeated later. A sink can
 * reject an event for good, with the header `webhook-delivery: abort-message`.
 */
export function outcomeOf(
  delivery: StoredDelivery,
  result: SendResult,
  now: number,
  delays: readonly number[],
): AttemptOutcome {
  const { status, latencyMs, error, response, retryAfterMs, directive } = result;
  const pauseMs = THROTTLED.has(status) ? retryAfterMs : 0;
  const attempts = JSON.parse(delivery.attempts) as StoredAttempt[];
  attempts.push({
    time: now,
    status,
    latencyMs: Math.round(latencyMs),
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
    ...(pauseMs > 0 && { retryAfterMs: pauseMs }),
  });
  const common = { id: delivery.id, attempts: JSON.stringify(attempts), isGone: status === GONE };
  if (status >= 200 && status < 300) {
    const { delivered: state } = DELIVERY_STATES;
    return { ...common, outcome: "delivered", state, retryMs: 0, pauseMs: 0 };
  }
  const isFinal = status === GONE || directive === "abort-message";
  const retryMs = isFinal ? undefined : retryDelay(attempts.length, pauseMs, delays);
  if (retryMs === undefined) {
    const { failed: state } = DELIVERY_STATES;
    return { ...common, outcome: "failed", state, retryMs: 0, pauseMs };
  }
  const { pending: state } = DELIVERY_STATES;
  return { ...common, outcome: "retried", state, retryMs, pauseMs };
}

/**
 * The rest of the pause before the next attempt. A delivery without attempts is due. So is one that would wait longer than
 * the pause after its last attempt: a clock was set back since.
 */
export function waitOf({ attempts, waitMs }: PendingDelivery, delays: readonly number[]): number {
  if (waitMs <= 0) return 0;
  const past = JSON.parse(attempts) as StoredAttempt[];
  const maxMs = retryDelay(past.length, past.at(-1)?.retryAfterMs, delays, 1) ?? 0;
  return waitMs > maxMs ? 0 : waitMs;
}

/** The answer to an event that retention has deleted before it could be sent. */
export const EXPIRED: SendResult = {
  status: 0,
  latencyMs: 0,
  error: "the event has expired",
  retryAfterMs: 0,
  directive: "abort-message",
};
