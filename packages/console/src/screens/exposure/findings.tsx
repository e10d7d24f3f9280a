import type { FindingJson, ListFindingsRequestJson } from "@wharf/contract/messages";
import type { ReactNode } from "react";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Described } from "../../ui/described.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { RiskBadges, SeverityBadge, StatusBadge } from "./badges.tsx";
import { Decide } from "./decisions/decide.tsx";
import { DecisionSummary } from "./decisions/summary.tsx";
import { Evidence } from "./evidence.tsx";
import { ImageLink, PackageLink, VulnerabilityLink } from "./links.tsx";
import { findingKey } from "./model.ts";

const { columns } = exposureTexts;

export const VULNERABILITY: Column<FindingJson> = {
  header: columns.vulnerability,
  sort: "vulnerability",
  cell: ({ vulnerability, summary }) => (
    <Described text={summary}>
      <VulnerabilityLink name={vulnerability} />
    </Described>
  ),
};

export const SEVERITY: Column<FindingJson> = {
  header: texts.columns.severity,
  sort: "severity",
  cell: ({ severity, status, knownExploited, exploitProbability }) => (
    <span className="badges">
      <SeverityBadge severity={severity} />
      <RiskBadges exploited={knownExploited} probability={exploitProbability} />
      {status === "FINDING_STATUS_UNKNOWN" && <StatusBadge status={status} />}
    </span>
  ),
};

export const IMAGE: Column<FindingJson> = {
  header: columns.image,
  cell: (finding) => <ImageLink image={finding} />,
};

export const PACKAGE: Column<FindingJson> = {
  header: texts.columns.package,
  cell: ({ package: found = {}, basis }) => {
    const origin = found.origin && `${columns.origin} ${found.origin}`;
    return (
      <Described text={[origin, ...(basis?.remarks ?? [])].filter(Boolean).join("; ")}>
        <PackageLink name={found.name} /> <span className="whole">{found.version}</span>
      </Described>
    );
  },
};

export const FIX: Column<FindingJson> = {
  header: columns.fixedIn,
  cell: ({ fixedVersions = [] }) =>
    fixedVersions.length > 0 ? (
      <span className="versions">{fixedVersions.join(", ")}</span>
    ) : (
      <span className="soft">{exposureTexts.noFix}</span>
    ),
};

export const FIRST_SEEN: Column<FindingJson> = {
  header: columns.firstSeen,
  sort: "first_seen",
  cell: ({ firstSeen }) => <Age time={firstSeen} />,
  isExtra: true,
};

/** The status of a finding, with the statement behind it. */
export const STATUS: Column<FindingJson> = {
  header: texts.columns.status,
  cell: ({ status, decision }) => (
    <>
      <StatusBadge status={status} />
      {decision && <DecisionSummary decision={decision} />}
    </>
  ),
};

export const ACTIONS: Column<FindingJson> = {
  header: texts.columns.actions,
  cell: (finding) => <Actions finding={finding} />,
};

/** The column of a list in an order of its own. */
export function withoutSort({ header, cell }: Column<FindingJson>): Column<FindingJson> {
  return { header, cell };
}

function Actions({ finding }: { readonly finding: FindingJson }) {
  const { can } = useAccess();
  return (
    <div className="row-actions">
      <Evidence finding={finding} />
      {can("advisories.create", finding.repoUid ?? "") && <Decide finding={finding} />}
    </div>
  );
}

/** Findings page by page, in the order that the URL has. */
export function FindingsTable({
  label,
  request,
  columns: shown,
  empty,
}: {
  readonly label: string;
  readonly request: ListFindingsRequestJson;
  readonly columns: readonly Column<FindingJson>[];
  readonly empty: ReactNode;
}) {
  const [{ sort }] = useListSearch();
  const sorts = shown.flatMap((one) => one.sort ?? []);
  const isSorted = sorts.includes(String(sort ?? "").split(" ")[0] ?? "");
  const pages = usePages(
    api.findings.list,
    { pageSize: PAGE_SIZE, ...(isSorted && { orderBy: String(sort) }), ...request },
    ({ findings }) => findings,
  );
  return (
    <GrowingTable
      label={label}
      pages={pages}
      columns={shown}
      keyOf={findingKey}
      empty={empty}
      countOf={exposureTexts.totalFindings}
      defaultSort="severity desc"
    />
  );
}

const PAGE_SIZE = 50;
