import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendResult } from "../../delivery/pinned-client.ts";
import {
  DELIVERY_STATES,
  type PendingDelivery,
  type StoredDelivery,
} from "../../store/tables/events/deliveries.ts";
import { outcomeOf, waitOf } from "./outcomes.ts";

const NOW = 1_900_000_000_000;
const DELAYS_MS = [1_000, 1_000];
const RETRY_AFTER_MS = 60_000;

function outcome(result: Partial<SendResult>, earlierAttempts = 0) {
  const attempts = JSON.stringify(Array.from({ length: earlierAttempts }, () => ({ time: 0 })));
  const sent = { status: 0, latencyMs: 1, retryAfterMs: 0, ...result } as SendResult;
  return outcomeOf({ id: 1, attempts } as unknown as StoredDelivery, sent, NOW, DELAYS_MS);
}

for (const status of [200, 202, 204, 299]) {
  test(`${status} is success`, () => {
    const { outcome: word, state, isGone } = outcome({ status });
    assert.deepEqual([word, state, isGone], ["delivered", DELIVERY_STATES.delivered, false]);
  });
}

for (const status of [0, 199, 301, 308, 400, 401, 404, 500]) {
  test(`${status} is retried, and its Retry-After ignored`, () => {
    const { outcome: word, retryMs, pauseMs } = outcome({ status, retryAfterMs: RETRY_AFTER_MS });
    assert.deepEqual([word, pauseMs], ["retried", 0]);
    assert.ok(retryMs < RETRY_AFTER_MS);
  });
}

for (const status of [429, 502, 503, 504]) {
  test(`${status} pauses the sink for its Retry-After`, () => {
    const { outcome: word, retryMs, pauseMs } = outcome({ status, retryAfterMs: RETRY_AFTER_MS });
    assert.deepEqual([word, pauseMs, retryMs], ["retried", RETRY_AFTER_MS, RETRY_AFTER_MS]);
  });
}

test("410 is final, and the sink is gone", () => {
  const { outcome: word, state, isGone } = outcome({ status: 410 });
  assert.deepEqual([word, state, isGone], ["failed", DELIVERY_STATES.failed, true]);
});

test("a sink can reject an event for good", () => {
  const { outcome: word, isGone } = outcome({ status: 400, directive: "abort-message" });
  assert.deepEqual([word, isGone], ["failed", false]);
});

test("a delivery fails after its last attempt", () => {
  assert.equal(outcome({ status: 500 }, 1).outcome, "retried");
  assert.equal(outcome({ status: 500 }, 2).outcome, "failed");
});

const pauseRequest = { status: 429, retryAfterMs: RETRY_AFTER_MS };

for (const [what, waitMs, past, expected] of [
  ["without attempts is due", 1, [], 0],
  ["waits for its pause", 1_100, [{ status: 500 }], 1_100],
  ["whose time has come is due", -1, [{ status: 500 }], 0],
  ["is due if it would wait longer than any pause", 1_300, [{ status: 500 }], 0],
  [
    "waits for the pause that its sink asked for",
    RETRY_AFTER_MS,
    [{ status: 500 }, pauseRequest],
    RETRY_AFTER_MS,
  ],
  ["is due if it would wait longer than its sink asked for", RETRY_AFTER_MS + 1, [pauseRequest], 0],
  ["follows the last answer of its sink", RETRY_AFTER_MS, [pauseRequest, { status: 500 }], 0],
] as const) {
  test(`a delivery ${what}`, () => {
    const attempts = JSON.stringify(past);
    assert.equal(waitOf({ attempts, waitMs } as PendingDelivery, DELAYS_MS), expected);
  });
}

test("an attempt has the pause that its sink asked for", () => {
  const { attempts } = outcome({ status: 429, retryAfterMs: RETRY_AFTER_MS }, 1);
  const waitMs = RETRY_AFTER_MS;
  assert.equal(waitOf({ attempts, waitMs } as PendingDelivery, DELAYS_MS), RETRY_AFTER_MS);
});
