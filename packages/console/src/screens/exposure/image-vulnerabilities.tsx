import { Link } from "@tanstack/react-router";
import type { FindingJson, PlatformInventoryJson } from "@wharf/contract/messages";
import { screenLink, useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { inventoryTexts as words } from "../../texts/inventory.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import type { Column } from "../../ui/table.tsx";
import { ExportFindings } from "./export/export.tsx";
import { FindingFilters } from "./filters.tsx";
import {
  ACTIONS,
  FIRST_SEEN,
  FIX,
  FindingsTable,
  PACKAGE,
  SEVERITY,
  STATUS,
  VULNERABILITY,
} from "./findings.tsx";
import { Fixes } from "./fixes.tsx";
import { Gaps } from "./inventory/gaps.tsx";
import { isKnown } from "./inventory/state-text.ts";
import { useInventory } from "./inventory/use-inventory.ts";
import { filtersOf } from "./model.ts";
import { Scans } from "./scans.tsx";

const COLUMNS: readonly Column<FindingJson>[] = [
  VULNERABILITY,
  SEVERITY,
  PACKAGE,
  FIX,
  FIRST_SEEN,
  ACTIONS,
];

const PLATFORM: Column<FindingJson> = {
  header: texts.columns.platform,
  cell: ({ platform }) => platform,
};

/** The vulnerabilities of an image, or of the images of an index, with what cannot be said about them. */
export function ImageVulnerabilities({
  repo,
  digest,
  tag = "",
}: {
  readonly repo: string;
  readonly digest: string;
  /** The tag by which the image is shown. */
  readonly tag?: string;
}) {
  const [search] = useListSearch();
  const inventory = useInventory(repo, digest);
  if (inventory.error !== null) return <Failed error={inventory.error} />;
  if (inventory.data === undefined) return <Loading />;
  const platforms = inventory.data.platforms ?? [];
  const filters = filtersOf(search);
  const request = { repoUid: repo, digest, ...filters };
  const isFiltered = Object.keys(filters).length > 0;
  const isSuppressed = filters.statuses !== undefined;
  const columns = [
    ...(platforms.length > 1 ? [PLATFORM] : []),
    ...COLUMNS.flatMap((one) => (one === FIX && isSuppressed ? [STATUS] : one)),
  ];
  return (
    <>
      {(platforms.length === 0 ? [undefined] : platforms).map((one) => (
        <Gaps key={one?.digest ?? ""} inventory={one} isOneOfMany={platforms.length > 1} />
      ))}
      <div className="panel-head">
        <FindingFilters isOneImage />
        <div className="row-actions">
          <Link
            {...screenLink("compare", repo)}
            search={{ to: tag || digest } as never}
            className="button quiet"
          >
            {exposureTexts.diff.open}
          </Link>
          <ExportFindings request={request} />
        </div>
      </div>
      <FindingsTable
        label={exposureTexts.tabs.list}
        request={request}
        columns={columns}
        empty={<NoFinding platforms={platforms} isFiltered={isFiltered} />}
      />
      {platforms.some(isKnown) && (
        <details className="more-content">
          <summary>{exposureTexts.tabs.fixes}</summary>
          <Fixes request={{ repoUid: repo, digest }} />
        </details>
      )}
      {platforms.map((one) => (
        <Scans
          key={one.digest}
          repo={repo}
          digest={one.digest ?? ""}
          platform={platforms.length > 1 ? (one.platform ?? "") : ""}
        />
      ))}
    </>
  );
}

/** No finding is good news only about packages that are known. */
function NoFinding({
  platforms,
  isFiltered,
}: {
  readonly platforms: readonly PlatformInventoryJson[];
  readonly isFiltered: boolean;
}) {
  if (isFiltered) return <Empty title={exposureTexts.nothing}>{exposureTexts.nothingText}</Empty>;
  if (platforms.length === 0 || !platforms.every(isKnown)) {
    return <Empty title={words.states.INVENTORY_STATE_UNSPECIFIED}>{words.notKnownText}</Empty>;
  }
  const packages = platforms.reduce((sum, one) => sum + (one.packages ?? 0), 0);
  return <Empty title={words.upToDate}>{words.upToDateText(packages)}</Empty>;
}
