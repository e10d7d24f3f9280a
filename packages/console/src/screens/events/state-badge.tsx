import type { SubscriptionJson } from "@wharf/contract/messages";
import { isFailing } from "../../api/failing.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Age } from "../../ui/time.tsx";

const { health: labels } = subscriptionTexts;

const TONES: Readonly<Record<string, string>> = {
  SUBSCRIPTION_STATE_ACTIVE: "good",
  SUBSCRIPTION_STATE_DISABLED: "bad",
};

/** Whether a subscription sends events, and why not. */
export function StateBadge({ subscription }: { readonly subscription: SubscriptionJson }) {
  const { state = "SUBSCRIPTION_STATE_UNSPECIFIED", stateReason, health } = subscription;
  if (isFailing(subscription)) {
    return (
      <>
        <span className="badge bad">{labels.failing}</span>
        <small className="soft">
          {labels.since} <Age time={health?.failingSince} />
          {labels.waiting(Number(health?.pendingCount ?? 0))}
        </small>
        <small className="soft">
          {labels.lastFailure}: <Age time={health?.lastFailureTime} />
        </small>
      </>
    );
  }
  return (
    <>
      <span className={`badge ${TONES[state] ?? "calm"}`}>
        {subscriptionTexts.states[state] ?? state}
      </span>
      {stateReason && <small className="soft">{stateReason}</small>}
    </>
  );
}
