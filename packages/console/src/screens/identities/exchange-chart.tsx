import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { identityTexts } from "../../texts/identities.ts";
import { Chart } from "../../ui/chart.tsx";
import { dayLabel, useLastDays } from "../../ui/last-days.ts";

/** Token exchanges of an identity, or of everything in a group, by day: granted and denied. */
export function ExchangeChart({ resource }: { readonly resource: string }) {
  const { can } = useAccess();
  const { since, until, intervals } = useLastDays();
  const { data } = useRead(
    api.audit.getEntryCounts,
    { filter: { resource, method: "Exchange", since, until }, intervals },
    { enabled: can("audit.list", resource) },
  );
  const counts = data?.counts;
  if (counts === undefined) return null;
  return (
    <div>
      <Chart
        title={identityTexts.exchanges}
        columns={counts.map(({ beginTime }) => dayLabel(beginTime))}
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
