import type { DeliveryAttemptJson } from "@wharf/contract/messages";
import { deliveryTexts } from "../../texts/subscriptions.ts";

const TEXTS: Readonly<Record<string, readonly [text: string, tone: string]>> = {
  DELIVERY_STATE_PENDING: [deliveryTexts.states.pending, "calm"],
  DELIVERY_STATE_DELIVERED: [deliveryTexts.states.delivered, "good"],
  DELIVERY_STATE_FAILED: [deliveryTexts.states.failed, "bad"],
};

/** The state of a delivery. */
export function DeliveryBadge({ state }: { readonly state: string }) {
  const [text, tone] = TEXTS[state] ?? [state, "calm"];
  return <span className={`badge ${tone}`}>{text}</span>;
}

/** The receiver's response, in a few words. */
export function answerOf(attempt: DeliveryAttemptJson | undefined): string {
  if (attempt === undefined) return "";
  const { error, status = 0, latencyMs = 0 } = attempt;
  return error || `HTTP ${status}, ${deliveryTexts.latency(latencyMs)}`;
}
