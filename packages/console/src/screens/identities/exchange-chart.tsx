import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { identityTexts } from "../../texts/identities.ts";
import { Chart } from "../../ui/chart.tsx";

const DAYS = 14;
const DAY_MS = 86_400_000;

const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });

/** Token exchanges of an identity, or of everything in a group, by day: granted and denied. */
export function ExchangeChart({ resource }: { readonly resource: string }) {
  const { can } = useAccess();
  const [end] = useState(endOfToday);
  const since = new Date(end - DAYS * DAY_MS).toISOString();
  const until = new Date(end).toISOString();
  const { data } = useRead(
    api.audit.getEntryCounts,
    { filter: { resource, method: "Exchange", since, until }, intervals: DAYS },
    { enabled: can("audit.list", resource) },
  );
  const counts = data?.counts;
  if (counts === undefined) return null;
  return (
    <div>
      <Chart
        title={identityTexts.exchanges}
        columns={counts.map(({ beginTime = "" }) => day.format(new Date(beginTime)))}
        series={[
          {
            name: identityTexts.granted,
            tone: "good",
            values: counts.map(({ succeeded = "0" }) => Number(succeeded)),
          },
          {
            name: identityTexts.denied,
            tone: "bad",
            values: counts.map(({ denied = "0", failed = "0" }) => Number(denied) + Number(failed)),
          },
        ]}
      />
      <p className="hint">{identityTexts.exchangesNote}</p>
    </div>
  );
}

/** Midnight after today, here. */
function endOfToday(): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
}
