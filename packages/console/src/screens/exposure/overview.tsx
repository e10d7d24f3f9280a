import type { ExposureJson, FindingJson, VulnerabilitySourceJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { useListSearch } from "../../app/location.ts";
import { exposureTexts, SEVERITY_NAMES } from "../../texts/exposure.ts";
import { Chart } from "../../ui/chart.tsx";
import { Chips } from "../../ui/chips.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import { dayLabel } from "../../ui/last-days.ts";
import type { Column } from "../../ui/table.tsx";
import { type Tile, Tiles } from "../../ui/tiles.tsx";
import {
  FIRST_SEEN,
  FIX,
  IMAGE,
  PACKAGE,
  SEVERITY,
  VULNERABILITY,
  withoutSort,
} from "./findings.tsx";
import { countsOf, findingKey, IN_USE_CHIP, seriesOf, severityOf } from "./model.ts";
import { Freshness, isBehind, useSourcesOf } from "./sources/freshness.tsx";

const { overview: words } = exposureTexts;

/** Days of the chart. */
const DAYS = 90;

/** The numbers of a group: what is open, since when, and how far they can be trusted. */
export function Overview({ group }: { readonly group: string }) {
  const [{ used }] = useListSearch();
  const isInUse = used === "true";
  const uidp = { descendantsOf: group };
  const request = { uidp, days: DAYS, ...(isInUse && { inUse: true }) };
  const { data, error } = useRead(api.findings.getExposure, request);
  const exploited = useRead(api.findings.listFoundVulnerabilities, {
    ...{ uidp, knownExploited: true, pageSize: 1 },
    ...(isInUse && { inUse: true }),
  });
  const pending = useRead(api.decisions.list, {
    ...{ uidp, pageSize: 1 },
    reviewState: "DECISION_REVIEW_STATE_PENDING",
  });
  const sources = useSourcesOf(group);
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <Chips label={exposureTexts.filters.label} chips={[IN_USE_CHIP]} />
      {Number(data.images ?? 0) === 0 ? (
        <Empty title={words.none}>{words.noneText}</Empty>
      ) : (
        <>
          <Tiles
            label={exposureTexts.tabs.overview}
            tiles={findingTiles(data, Number(exploited.data?.totalCount ?? 0), isInUse)}
          />
          <Tiles
            label={words.images}
            tiles={[
              ...imageTiles(data, isInUse),
              pendingTile(Number(pending.data?.totalCount ?? 0)),
              ...(sources.length > 0 ? [sourcesTile(sources)] : []),
            ]}
          />
          <Chart
            title={words.chart}
            columns={(data.days ?? []).map(({ date }) => dayLabel(`${date}T12:00:00`))}
            series={seriesOf(data.days ?? [])}
            isLevel
          />
          <Oldest findings={data.oldest ?? []} />
        </>
      )}
      <Freshness group={group} matchTime={data.matchTime} />
    </>
  );
}

const TONES = { critical: "bad", high: "bad", medium: "warn", low: "calm" } as const;

function findingTiles(
  { severities, suppressed }: ExposureJson,
  exploited: number,
  isInUse: boolean,
): Tile[] {
  const list = (search: Readonly<Record<string, string>>) => ({
    ...{ tab: "list", ...search },
    ...(isInUse && { used: "true" }),
  });
  return [
    ...Object.entries(TONES).map(([name, tone]) => {
      const { open, fixable } = countsOf(severities, name);
      return {
        name: words.open(SEVERITY_NAMES[severityOf(name)]),
        value: open.toLocaleString("en"),
        note: open > 0 ? words.fixable(fixable) : "",
        tone: open > 0 ? tone : ("plain" as const),
        search: list({ severity: name }),
      };
    }),
    {
      name: words.exploited,
      value: exploited.toLocaleString("en"),
      note: words.exploitedNote,
      tone: exploited > 0 ? "bad" : "plain",
      search: list({ exploited: "true" }),
    },
    {
      name: words.suppressed,
      value: Number(suppressed ?? 0).toLocaleString("en"),
      note: words.suppressedNote,
      search: list({ status: "suppressed" }),
    },
  ];
}

function imageTiles(data: ExposureJson, isInUse: boolean): Tile[] {
  const list = (state: string) => ({
    ...{ tab: "images", state },
    ...(isInUse && { used: "true" }),
  });
  const count = (value: string | undefined) => Number(value ?? 0);
  const number = (value: string | undefined) => count(value).toLocaleString("en");
  const days = Number(data.daysToFix ?? 0);
  return [
    {
      name: words.affected,
      value: number(data.imagesAffected),
      note: words.ofImages(count(data.images)),
      search: { tab: "list" },
    },
    {
      name: words.withoutPackages,
      value: number(data.imagesWithoutPackages),
      note: words.withoutPackagesNote,
      tone: count(data.imagesWithoutPackages) > 0 ? "warn" : "plain",
      search: list("none"),
    },
    {
      name: words.refused,
      value: number(data.imagesWithRefusedDocuments),
      note: words.refusedNote,
      tone: count(data.imagesWithRefusedDocuments) > 0 ? "warn" : "plain",
      search: list("refused"),
    },
    {
      name: words.waiting,
      value: number(data.imagesWaiting),
      note: words.waitingNote,
      search: list("waiting"),
    },
    ...(days > 0 ? [{ name: words.daysToFix, value: words.days(days), note: words.daysNote }] : []),
  ];
}

function pendingTile(count: number): Tile {
  return {
    name: words.pending,
    value: count.toLocaleString("en"),
    note: words.pendingNote,
    tone: count > 0 ? "calm" : "plain",
    search: { tab: "decisions", review: "pending" },
  };
}

function sourcesTile(sources: readonly VulnerabilitySourceJson[]): Tile {
  const count = sources.filter(isBehind).length;
  return {
    name: words.behind,
    value: count.toLocaleString("en"),
    note: words.ofSources(sources.length),
    tone: count > 0 ? "bad" : "plain",
    search: { tab: "sources" },
  };
}

const COLUMNS: readonly Column<FindingJson>[] = [
  VULNERABILITY,
  SEVERITY,
  PACKAGE,
  IMAGE,
  FIX,
  FIRST_SEEN,
].map(withoutSort);

function Oldest({ findings }: { readonly findings: readonly FindingJson[] }) {
  return (
    <section aria-labelledby="oldest">
      <h2 id="oldest">{words.oldest}</h2>
      {findings.length === 0 ? (
        <p className="soft">{words.clean}</p>
      ) : (
        <div className="table-frame">
          <PlainTable label={words.oldest} rows={findings} columns={COLUMNS} keyOf={findingKey} />
        </div>
      )}
    </section>
  );
}
