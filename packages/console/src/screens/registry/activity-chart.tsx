import { useQueries } from "@tanstack/react-query";
import { api, client, serviceOf } from "../../api/client.ts";
import { activityTexts } from "../../texts/registry.ts";
import { Chart } from "../../ui/chart.tsx";
import { Failed } from "../../ui/feedback.tsx";

const DAYS = 14;
const DAY_MS = 86_400_000;

const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

const METHODS = ["registry pull", "registry push"] as const;

/** Pulls and pushes by day: the exact totals of the audit log. Days that are over do not change. */
export function ActivityChart({ resource }: { readonly resource: string }) {
  const today = Math.floor(Date.now() / DAY_MS);
  const days = Array.from({ length: DAYS }, (_, at) => today - DAYS + 1 + at);
  const counts = useQueries({
    queries: METHODS.flatMap((method) =>
      days.map((one) => ({
        queryKey: [serviceOf(api.audit.listEntries), "count", resource, method, one],
        queryFn: () => countOf(resource, method, one),
        staleTime: one < today ? Number.POSITIVE_INFINITY : 30_000,
      })),
    ),
    combine: (results) => ({
      values: results.map(({ data }) => data ?? 0),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
  if (counts.error !== null) return <Failed error={counts.error} />;
  return (
    <Chart
      title={activityTexts.chart}
      columns={days.map((one) => day.format(one * DAY_MS))}
      series={[
        { name: activityTexts.pulls, tone: "accent", values: counts.values.slice(0, DAYS) },
        { name: activityTexts.pushes, tone: "good", values: counts.values.slice(DAYS) },
      ]}
    />
  );
}

async function countOf(resource: string, method: string, day: number): Promise<number> {
  const time = (at: number) => new Date(at * DAY_MS).toISOString();
  const filter = { resource, method, since: time(day), until: time(day + 1) };
  const { totalCount } = await client.call(api.audit.listEntries, { filter, pageSize: 1 });
  return Number(totalCount ?? 0);
}
