import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EventTypeFilterJson } from "@wharf/contract/messages";
import { api, client, serviceOf } from "../../api/client.ts";
import { overviewTexts, STATUSES, TONES } from "../../texts/advisories.ts";
import { Bars } from "../../ui/chart.tsx";
import { Failed } from "../../ui/feedback.tsx";
import { filterName } from "./filters.ts";

type Type = keyof typeof STATUSES;

/** A component that moved says nothing of the status. */
const TYPES = (Object.keys(STATUSES) as Type[]).filter(
  (type) => type !== "componentLocationChanged",
);

const BAR_TONES = { good: "good", bad: "bad", calm: "accent", plain: "soft" } as const;

/** The number of advisories by status, from the totals of the API. */
export function Overview({ group }: { readonly group: string }) {
  const counts = useQueries({
    queries: TYPES.map((type) => ({
      queryKey: [serviceOf(api.advisories.list), "count", group, type],
      queryFn: () => countOf(group, type),
      staleTime: 30_000,
    })),
  });
  const error = counts.find((one) => one.error !== null)?.error;
  if (error) return <Failed error={error} />;
  return (
    <>
      <Bars
        title={overviewTexts.chart}
        rows={TYPES.map((type, at) => ({
          name: STATUSES[type],
          value: counts[at]?.data ?? 0,
          tone: BAR_TONES[TONES[type]],
          label: (
            <Link to="." search={{ latest: filterName(type) } as never}>
              {STATUSES[type]}
            </Link>
          ),
        }))}
      />
      <p className="soft">{overviewTexts.noStatus}</p>
    </>
  );
}

async function countOf(group: string, type: Type): Promise<number> {
  const { totalCount } = await client.call(api.advisories.list, {
    uidp: { descendantsOf: group },
    latestEventType: filterName(type) as EventTypeFilterJson,
    pageSize: 1,
  });
  return Number(totalCount ?? 0);
}
