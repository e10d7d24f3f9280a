import type { SubscriptionJson } from "@wharf/contract/messages";
import { subscriptionTexts } from "../../texts/subscriptions.ts";

const TONES: Readonly<Record<string, string>> = {
  SUBSCRIPTION_STATE_ACTIVE: "good",
  SUBSCRIPTION_STATE_DISABLED: "bad",
};

/** Whether a subscription sends events, and why not. */
export function StateBadge({
  subscription: { state = "SUBSCRIPTION_STATE_UNSPECIFIED", stateReason },
}: {
  readonly subscription: SubscriptionJson;
}) {
  return (
    <>
      <span className={`badge ${TONES[state] ?? "calm"}`}>
        {subscriptionTexts.states[state] ?? state}
      </span>
      {stateReason && <small className="soft">{stateReason}</small>}
    </>
  );
}
