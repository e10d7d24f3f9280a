import type { AuditFilterJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useRead } from "../../api/client.ts";
import { auditTexts } from "../../texts/audit.ts";
import { Chart } from "../../ui/chart.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";

const DAY_MS = 86_400_000;

/** Without a time in the filter, this many days are shown, one column each. */
const DAYS = 14;

/** Columns of a time that someone has chosen. */
const INTERVALS = 24;

const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const hour = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** Entries that match a filter, over time and by outcome. */
export function AuditChart({ filter }: { readonly filter: AuditFilterJson }) {
  const [now] = useState(() => new Date());
  // The API counts by outcome itself.
  const { outcome: _, ...others } = filter;
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
  const isChosen = filter.since !== undefined || filter.until !== undefined;
  const until = filter.until ?? new Date(isChosen ? now : tomorrow).toISOString();
  const since = filter.since ?? new Date(Date.parse(until) - DAYS * DAY_MS).toISOString();
  const intervals = filter.since === undefined ? DAYS : INTERVALS;
  const { data, error } = useRead(api.audit.getEntryCounts, {
    filter: { ...others, since, until },
    intervals,
  });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const counts = data.counts ?? [];
  const isLong = Date.parse(until) - Date.parse(since) >= intervals * DAY_MS;
  const label = isLong ? day : hour;
  const { succeeded, denied, failed } = auditTexts.outcomes;
  return (
    <Chart
      title={auditTexts.chart}
      columns={counts.map(({ beginTime = "" }) => label.format(new Date(beginTime)))}
      series={[
        { name: succeeded, tone: "good", values: counts.map((one) => Number(one.succeeded ?? 0)) },
        { name: denied, tone: "bad", values: counts.map((one) => Number(one.denied ?? 0)) },
        { name: failed, tone: "soft", values: counts.map((one) => Number(one.failed ?? 0)) },
      ]}
    />
  );
}
