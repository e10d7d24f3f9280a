import type {
  ScanComparisonJson,
  ScannedVulnerabilityJson,
  ScanReportJson,
} from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts, STATUS_NAMES } from "../../texts/exposure.ts";
import { inventoryTexts as words } from "../../texts/inventory.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { SeverityBadge } from "./badges.tsx";
import { VulnerabilityLink } from "./links.tsx";
import { openOf } from "./model.ts";

/** The reports of scanners about an image, each beside our own findings. */
export function Scans({
  repo,
  digest,
  platform,
}: {
  readonly repo: string;
  readonly digest: string;
  readonly platform: string;
}) {
  const { data } = useRead(api.scanReports.list, { repoUid: repo, digest });
  const [{ scanner }, setSearch] = useListSearch();
  const reports = data?.reports ?? [];
  if (reports.length === 0) return null;
  const columns: readonly Column<ScanReportJson>[] = [
    {
      header: words.scans,
      cell: (one) => words.scanOf(one.scanner ?? "", one.scannerVersion ?? ""),
    },
    {
      header: texts.columns.vulnerabilities,
      cell: ({ severities }) => exposureTexts.totalFindings(openOf(severities)),
    },
    { header: words.scanDatabase, cell: ({ databaseTime }) => <Age time={databaseTime} /> },
    {
      header: words.scanBy,
      cell: ({ authorName, createTime }) => (
        <>
          {authorName} <Age time={createTime} />
        </>
      ),
    },
    {
      header: texts.columns.actions,
      cell: (one) => (
        <button
          type="button"
          className="button quiet small"
          aria-pressed={scanner === one.scanner}
          onClick={() => setSearch({ scanner: scanner === one.scanner ? "" : one.scanner })}
        >
          {words.compare}
        </button>
      ),
    },
  ];
  const isShown = reports.some((one) => one.scanner === scanner);
  return (
    <section aria-label={`${words.scans} ${platform}`.trim()}>
      <h2>
        {words.scans} {platform}
      </h2>
      <p className="soft">{words.scansText}</p>
      <div className="table-frame">
        <PlainTable
          label={words.scans}
          rows={reports}
          columns={columns}
          keyOf={(one) => `${one.scanner} ${one.createTime}`}
        />
      </div>
      {isShown && <Comparison repo={repo} digest={digest} scanner={String(scanner)} />}
    </section>
  );
}

const COLUMNS: readonly Column<ScannedVulnerabilityJson>[] = [
  {
    header: exposureTexts.columns.vulnerability,
    cell: ({ vulnerability }) => <VulnerabilityLink name={vulnerability} />,
  },
  {
    header: texts.columns.severity,
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  { header: texts.columns.package, cell: ({ package: name }) => <code>{name}</code> },
  {
    header: words.weSay,
    cell: ({ status }) => status && status !== "FINDING_STATUS_UNSPECIFIED" && STATUS_NAMES[status],
  },
  { header: words.reason, cell: ({ reason }) => reason },
];

function Comparison({
  repo,
  digest,
  scanner,
}: {
  readonly repo: string;
  readonly digest: string;
  readonly scanner: string;
}) {
  const { data, error } = useRead(api.scanReports.compare, { repoUid: repo, digest, scanner });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const parts: readonly [string, ScanComparisonJson["both"]][] = [
    [words.scannerOnly(scanner), data.scannerOnly],
    [words.serviceOnly, data.serviceOnly],
    [words.both, data.both],
  ];
  return parts.map(([title, rows = []]) => (
    <details key={title} open={title !== words.both && rows.length > 0}>
      <summary>
        {title} ({rows.length.toLocaleString("en")})
      </summary>
      {rows.length > 0 && (
        <div className="table-frame">
          <PlainTable
            label={title}
            rows={rows}
            columns={COLUMNS}
            keyOf={(one) => `${one.vulnerability} ${one.package}`}
          />
        </div>
      )}
    </details>
  ));
}
