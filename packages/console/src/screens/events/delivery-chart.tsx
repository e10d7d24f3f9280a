import type { DeliveryCountJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { deliveryTexts } from "../../texts/subscriptions.ts";
import { Chart } from "../../ui/chart.tsx";
import { Failed } from "../../ui/feedback.tsx";
import { dayLabel, useLastDays } from "../../ui/last-days.ts";

const { states } = deliveryTexts;

/** Deliveries of a subscription, or of all subscriptions of a group, by day. Nothing where nothing was sent. */
export function DeliveryChart({ uid }: { readonly uid: string }) {
  const { can } = useAccess();
  const { data, error } = useRead(
    api.deliveries.getCounts,
    { uid, ...useLastDays() },
    { enabled: can("subscriptions.list", uid) },
  );
  if (error !== null) return <Failed error={error} />;
  const counts = data?.counts ?? [];
  const valuesOf = (state: keyof typeof states) => counts.map((one) => countOf(one, state));
  const series = [
    { name: states.delivered, tone: "good", values: valuesOf("delivered") },
    { name: states.failed, tone: "bad", values: valuesOf("failed") },
    { name: deliveryTexts.waiting, tone: "soft", values: valuesOf("pending") },
  ] as const;
  if (series.every(({ values }) => values.every((value) => value === 0))) return null;
  return (
    <Chart
      title={deliveryTexts.chart}
      columns={counts.map(({ beginTime }) => dayLabel(beginTime))}
      series={series}
    />
  );
}

function countOf(count: DeliveryCountJson, state: keyof typeof states): number {
  return Number(count[state] ?? 0);
}
