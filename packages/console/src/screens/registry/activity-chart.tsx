import { useState } from "react";
import { api, useRead } from "../../api/client.ts";
import { activityTexts } from "../../texts/registry.ts";
import { Chart } from "../../ui/chart.tsx";
import { Failed } from "../../ui/feedback.tsx";

const DAYS = 14;
const DAY_MS = 86_400_000;

const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

/** Pulls and pushes by day, as the audit log counts them. */
export function ActivityChart({ resource }: { readonly resource: string }) {
  const [end] = useState(() => Math.ceil(Date.now() / DAY_MS) * DAY_MS);
  const pulls = useCounts(resource, "registry pull", end);
  const pushes = useCounts(resource, "registry push", end);
  const error = pulls.error ?? pushes.error;
  if (error !== null) return <Failed error={error} />;
  const days = Array.from({ length: DAYS }, (_, at) => end - (DAYS - at) * DAY_MS);
  return (
    <Chart
      title={activityTexts.chart}
      columns={days.map((one) => day.format(one))}
      series={[
        { name: activityTexts.pulls, tone: "accent", values: valuesOf(pulls.data) },
        { name: activityTexts.pushes, tone: "good", values: valuesOf(pushes.data) },
      ]}
    />
  );
}

function useCounts(resource: string, method: string, end: number) {
  const since = new Date(end - DAYS * DAY_MS).toISOString();
  const until = new Date(end).toISOString();
  const filter = { resource, method, since, until };
  return useRead(api.audit.getEntryCounts, { filter, intervals: DAYS });
}

function valuesOf(data: ReturnType<typeof useCounts>["data"]): readonly number[] {
  return data?.counts?.map(({ succeeded = "0" }) => Number(succeeded)) ?? [];
}
