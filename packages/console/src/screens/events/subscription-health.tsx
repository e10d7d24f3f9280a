import type { SubscriptionJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Facts } from "../../ui/facts.tsx";
import { Age } from "../../ui/time.tsx";

const { health: labels } = subscriptionTexts;

/** Whether the sink accepts events, and when it gets the next. */
export function SubscriptionHealth({ subscription }: { readonly subscription: SubscriptionJson }) {
  const { uid = "", health = {} } = subscription;
  const { lastSuccessTime, lastFailureTime, failingSince, pendingCount = "0" } = health;
  const pending = useRead(
    api.deliveries.list,
    { subscriptionUid: uid, state: "DELIVERY_STATE_PENDING", pageSize: 100 },
    { enabled: pendingCount !== "0" },
  );
  const [next] = (pending.data?.deliveries ?? [])
    .flatMap(({ nextAttemptTime }) => nextAttemptTime ?? [])
    .sort();
  const isIdle = lastSuccessTime === undefined && lastFailureTime === undefined;
  const state = failingSince !== undefined ? "failing" : isIdle ? "idle" : "good";
  const tone = { failing: "bad", idle: "calm", good: "good" }[state];
  return (
    <section className="panel" aria-labelledby="health">
      <div className="panel-head">
        <h2 id="health">{labels.title}</h2>
        <span className={`badge ${tone}`}>{labels[state]}</span>
      </div>
      <Facts
        facts={{
          [labels.lastSuccess]: lastSuccessTime && <Age time={lastSuccessTime} />,
          [labels.lastFailure]: lastFailureTime && <Age time={lastFailureTime} />,
          [labels.failingSince]: failingSince && <Age time={failingSince} />,
          [labels.pending]: Number(pendingCount),
          [labels.next]: pendingCount !== "0" && next ? <Age time={next} /> : undefined,
        }}
      />
    </section>
  );
}
