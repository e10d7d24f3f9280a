import type {
  FoundVulnerabilityJson,
  ListFoundVulnerabilitiesRequestJson,
} from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Described } from "../../ui/described.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { RiskBadges, SeverityBadge } from "./badges.tsx";
import { ExportFindings } from "./export/export.tsx";
import { FindingFilters } from "./filters.tsx";
import { PackageLink, VulnerabilityLink } from "./links.tsx";
import { filtersOf } from "./model.ts";

const { columns } = exposureTexts;

/** Packages that a row shows. */
const SHOWN_PACKAGES = 3;

const COLUMNS: readonly Column<FoundVulnerabilityJson>[] = [
  {
    header: columns.vulnerability,
    sort: "vulnerability",
    cell: ({ vulnerability, summary }) => (
      <Described text={summary}>
        <VulnerabilityLink name={vulnerability} />
      </Described>
    ),
  },
  {
    header: texts.columns.severity,
    sort: "severity",
    cell: ({ severity, knownExploited, exploitProbability }) => (
      <span className="badges">
        <SeverityBadge severity={severity} />
        <RiskBadges exploited={knownExploited} probability={exploitProbability} />
      </span>
    ),
  },
  {
    header: columns.packages,
    cell: ({ packages = [] }) => (
      <span className="badges">
        {packages.slice(0, SHOWN_PACKAGES).map((name) => (
          <PackageLink key={name} name={name} />
        ))}
        {packages.length > SHOWN_PACKAGES && (
          <small className="soft">{exposureTexts.more(packages.length - SHOWN_PACKAGES)}</small>
        )}
      </span>
    ),
  },
  {
    header: columns.images,
    sort: "images",
    cell: ({ images, imagesInUse }) =>
      exposureTexts.images(Number(images ?? 0), Number(imagesInUse ?? 0)),
  },
  {
    header: columns.fix,
    cell: ({ fixable = false }) =>
      fixable ? (
        <span className="badge good">{exposureTexts.fixable}</span>
      ) : (
        <span className="soft">{exposureTexts.noFix}</span>
      ),
  },
  {
    header: columns.firstSeen,
    cell: ({ firstSeen }) => <Age time={firstSeen} />,
    isExtra: true,
  },
];

/** The vulnerabilities of the images below a group, with filters and exports. */
export function FoundVulnerabilities({ group }: { readonly group: string }) {
  const [search] = useListSearch();
  const filters = { uidp: { descendantsOf: group }, ...filtersOf(search) };
  return (
    <>
      <div className="panel-head">
        <FindingFilters />
        <ExportFindings request={filters} />
      </div>
      <VulnerabilitiesTable request={filters} label={exposureTexts.tabs.list} />
    </>
  );
}

export function VulnerabilitiesTable({
  request,
  label,
  emptyText = exposureTexts.noneText,
}: {
  readonly request: ListFoundVulnerabilitiesRequestJson;
  readonly label: string;
  readonly emptyText?: string;
}) {
  const [{ sort, cursor: _, page: __, tab: ___, ...search }] = useListSearch();
  const isFiltered = Object.keys(search).length > 0;
  const pages = usePages(
    api.findings.listFoundVulnerabilities,
    { pageSize: 50, ...(sort !== undefined && { orderBy: sort }), ...request },
    ({ vulnerabilities }) => vulnerabilities,
  );
  return (
    <GrowingTable
      label={label}
      pages={pages}
      columns={COLUMNS}
      keyOf={({ vulnerability = "" }) => vulnerability}
      countOf={exposureTexts.total}
      defaultSort="severity desc"
      empty={
        isFiltered ? (
          <Empty title={exposureTexts.nothing}>{exposureTexts.nothingText}</Empty>
        ) : (
          <Empty title={exposureTexts.none}>{emptyText}</Empty>
        )
      }
    />
  );
}
