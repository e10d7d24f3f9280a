import type { FixJson, ListFixesRequestJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Chips } from "../../ui/chips.tsx";
import { Described } from "../../ui/described.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { SeverityBadge } from "./badges.tsx";
import { PackageLink, VulnerabilityLink } from "./links.tsx";
import { IN_USE_CHIP } from "./model.ts";

const { columns, fixes: words } = exposureTexts;

/** Names of vulnerabilities that a row shows. */
const SHOWN_NAMES = 4;

const COLUMNS: readonly Column<FixJson>[] = [
  {
    header: columns.update,
    cell: ({ package: name = "", version = "", ecosystem }) => (
      <Described text={ecosystem}>
        {words.update} <PackageLink name={name} /> {words.to}{" "}
        <span className="whole">{version}</span>
      </Described>
    ),
  },
  {
    header: columns.resolves,
    cell: ({ findings, images }) => words.resolves(Number(findings ?? 0), Number(images ?? 0)),
  },
  {
    header: texts.columns.severity,
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    header: texts.columns.vulnerabilities,
    cell: ({ vulnerabilities = [] }) => (
      <span className="badges">
        {vulnerabilities.slice(0, SHOWN_NAMES).map((name) => (
          <VulnerabilityLink key={name} name={name} />
        ))}
        {vulnerabilities.length > SHOWN_NAMES && (
          <small className="soft">{exposureTexts.more(vulnerabilities.length - SHOWN_NAMES)}</small>
        )}
      </span>
    ),
  },
];

/** Updates of packages, by the number of findings that each resolves. */
export function Fixes({ request }: { readonly request: ListFixesRequestJson }) {
  const [{ used }] = useListSearch();
  const isOneImage = request.digest !== undefined;
  const pages = usePages(
    api.findings.listFixes,
    { ...request, pageSize: 50, ...(used === "true" && { inUse: true }) },
    ({ fixes }) => fixes,
  );
  return (
    <>
      <p className="lead">{words.lead}</p>
      {!isOneImage && <Chips label={exposureTexts.filters.label} chips={[IN_USE_CHIP]} />}
      <GrowingTable
        label={exposureTexts.tabs.fixes}
        pages={pages}
        columns={COLUMNS}
        keyOf={({ ecosystem, package: name }) => `${ecosystem} ${name}`}
        empty={<Empty title={words.empty}>{words.emptyText}</Empty>}
      />
    </>
  );
}
