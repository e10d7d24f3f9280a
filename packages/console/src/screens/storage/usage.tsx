import { Link } from "@tanstack/react-router";
import type { QuotaUsageJson, RegistryUsageJson, ScopeUsageJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { screenLink, useListSearch } from "../../app/location.ts";
import { storageTexts } from "../../texts/storage.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Bars, Chart } from "../../ui/chart.tsx";
import type { Series } from "../../ui/chart-scale.ts";
import { Empty } from "../../ui/feedback.tsx";
import { dayLabel } from "../../ui/last-days.ts";
import { Tiles } from "../../ui/tiles.tsx";
import { Part } from "./part.tsx";

const { usage: words } = storageTexts;

/** Bytes, repos and tags of a group, with their quotas, their history, and what is largest. */
export function Usage({ group }: { readonly group: string }) {
  const [{ history }] = useListSearch();
  const days = history === "90d" ? 90 : 30;
  const query = useRead(api.registryUsage.get, { groupUid: group, days });
  return (
    <Part query={query} denied={words.denied}>
      {(usage) => (
        <>
          <Numbers usage={usage} />
          <Quotas quotas={usage.quotas ?? []} />
          {Number(usage.contents ?? 0) === 0 && (usage.days ?? []).length === 0 ? (
            <Empty title={words.empty}>{words.emptyText}</Empty>
          ) : (
            <>
              <History usage={usage} />
              <Largest title={words.largestRepos} screen="repo" rows={usage.largestRepos} />
              <Largest title={words.largestFolders} screen="storage" rows={usage.largestFolders} />
            </>
          )}
        </>
      )}
    </Part>
  );
}

function Numbers({ usage }: { readonly usage: RegistryUsageJson }) {
  const { bytes, pushedBytes, repos, tags } = usage;
  return (
    <Tiles
      label={words.numbers}
      tiles={[
        { name: words.stored, value: bytesText(Number(bytes ?? 0)), note: words.storedNote },
        { name: words.pushed, value: bytesText(Number(pushedBytes ?? 0)), note: words.pushedNote },
        { name: words.repos, value: words.number(Number(repos ?? 0)) },
        { name: words.tags, value: words.number(Number(tags ?? 0)) },
      ]}
    />
  );
}

const QUOTAS: Readonly<Record<string, string>> = words.quota;

/** The share of a quota from which on its bar warns. */
const NEARLY_FULL = 0.8;

function Quotas({ quotas }: { readonly quotas: readonly QuotaUsageJson[] }) {
  if (quotas.length === 0) return <p className="soft">{words.noQuotas}</p>;
  const rows = quotas.map(({ quota = "", groupPath = "", ...numbers }) => {
    const [used, allowed] = [Number(numbers.used ?? 0), Number(numbers.allowed ?? 0)];
    // A quota of nothing is full.
    const share = allowed > 0 ? used / allowed : 1;
    const text = quota === "registry_mb" ? bytesText : words.number;
    const tone: Series["tone"] = share >= 1 ? "bad" : share >= NEARLY_FULL ? "warn" : "accent";
    return {
      ...{ name: words.quotaOf(QUOTAS[quota] ?? quota, groupPath), value: used, of: allowed },
      ...{ text: words.usedOf(text(used), text(allowed), Math.floor(100 * share)), tone },
    };
  });
  return <Bars title={words.quotas} rows={rows} />;
}

function History({ usage: { days = [] } }: { readonly usage: RegistryUsageJson }) {
  const [{ history = "30d" }, setSearch] = useListSearch();
  const daily = everyDay(days);
  return (
    <>
      <div className="panel-head">
        <label>
          <span>{words.span}</span>
          <select
            value={history}
            onChange={({ target: { value } }) => setSearch({ history: value })}
          >
            {Object.entries(words.spans).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {days.length === 0 ? (
        <p className="soft">{words.noHistory}</p>
      ) : (
        <Chart
          title={words.history}
          columns={daily.map(({ date }) => dayLabel(`${date}T12:00:00`))}
          series={[
            {
              ...{ name: words.seriesName, tone: "accent" },
              values: daily.map(({ bytes }) => bytes),
            },
          ]}
          format={bytesText}
          isLevel
        />
      )}
    </>
  );
}

const DAY_MS = 86_400_000;

/** The bytes of all days from the first count to the last. While the server does not count, nothing changes. */
function everyDay(counted: NonNullable<RegistryUsageJson["days"]>) {
  return counted.flatMap(({ date = "", bytes = "0" }, at) => {
    const next = counted[at + 1]?.date;
    const days = next === undefined ? 1 : (Date.parse(next) - Date.parse(date)) / DAY_MS;
    return Array.from({ length: days }, (_, day) => ({
      date: new Date(Date.parse(date) + day * DAY_MS).toISOString().slice(0, 10),
      bytes: Number(bytes),
    }));
  });
}

function Largest({
  title,
  screen,
  rows = [],
}: {
  readonly title: string;
  readonly screen: "repo" | "storage";
  readonly rows: readonly ScopeUsageJson[] | undefined;
}) {
  if (rows.length === 0) return null;
  return (
    <Bars
      title={title}
      rows={rows.map(({ uid = "", path = "", bytes }) => ({
        ...{ name: path, value: Number(bytes ?? 0), text: bytesText(Number(bytes ?? 0)) },
        label: <Link {...screenLink(screen, uid)}>{path}</Link>,
      }))}
    />
  );
}
