import type { SubscriptionJson } from "@wharf/contract/messages";

/** Whether attempts to deliver events of an active subscription fail. */
export function isFailing({ state, health }: SubscriptionJson): boolean {
  return state === "SUBSCRIPTION_STATE_ACTIVE" && health?.failingSince !== undefined;
}
