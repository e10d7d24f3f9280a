import type { AdvisoryJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { useListSearch, useScreenLocation } from "../../app/location.ts";
import { advisoryTexts } from "../../texts/advisories.ts";
import { texts } from "../../texts/common.ts";
import { Described } from "../../ui/described.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { CreateAdvisory } from "./advisory-dialogs.tsx";
import { ADVISORY_ID } from "./advisory-id.tsx";
import { Severity, Status } from "./badges.tsx";
import { Feeds } from "./feeds.tsx";
import { commandOf, FILTERS, filtersOf } from "./filters.ts";
import { Import } from "./import.tsx";
import { pendingEvents } from "./model.ts";
import { Overview } from "./overview.tsx";
import { Reviews } from "./reviews.tsx";

const COLUMNS: readonly Column<AdvisoryJson>[] = [
  ADVISORY_ID,
  {
    header: texts.columns.severity,
    cell: (advisory) => <Severity advisory={advisory} />,
  },
  {
    header: texts.columns.package,
    cell: ({ artifactName, artifactType, componentName }) => {
      const component = componentName === artifactName ? "" : componentName;
      return (
        <Described text={[artifactType, component].filter(Boolean).join(", ")}>
          {artifactName}
        </Described>
      );
    },
  },
  { header: texts.columns.status, cell: (advisory) => <Status advisory={advisory} /> },
  {
    header: advisoryTexts.tabs.reviews,
    cell: (advisory) => {
      const { length } = pendingEvents(advisory);
      return length > 0 && <span className="badge calm">{advisoryTexts.pending(length)}</span>;
    },
  },
  {
    header: texts.columns.updated,
    sort: "update_time",
    cell: ({ updateTime }) => <Age time={updateTime} />,
  },
];

/** The advisories of a group and its folders: list, reviews, overview, feeds, import. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [search] = useListSearch();
  const { can } = useAccess();
  const tab = useTab(advisoryTexts.tabs);
  const create = can("advisories.create", uid) ? (
    <CreateAdvisory parent={uid} />
  ) : (
    <Withheld label={advisoryTexts.create} capability="advisories.create" />
  );
  return (
    <Page
      title={texts.screens.advisories}
      group={uid}
      command={commands(uid, tab, commandOf(uid, search))}
      actions={create}
    >
      <Tabs label={advisoryTexts.label} tabs={advisoryTexts.tabs} />
      {tab === "list" && (
        <ResourceList
          label={texts.screens.advisories}
          method={api.advisories.list}
          request={{ uidp: { descendantsOf: uid }, ...filtersOf(search) }}
          filters={FILTERS}
          rows={({ advisories }) => advisories}
          columns={COLUMNS}
          defaultSort="update_time desc"
          emptyTitle={advisoryTexts.empty}
          emptyText={advisoryTexts.emptyText}
          emptyAction={create}
        />
      )}
      {tab === "reviews" && <Reviews group={uid} />}
      {tab === "overview" && <Overview group={uid} />}
      {tab === "feeds" && <Feeds group={uid} />}
      {tab === "import" && <Import group={uid} />}
    </Page>
  );
}

/** The command of each tab. */
function commands(uid: string, tab: string, list: string) {
  const rest = `/vulnerabilities/v2beta1/advisories?uidp.descendants_of=${uid}`;
  switch (tab) {
    case "reviews":
      return {
        cli: `wharf advisories list --parent ${uid} --recursive --review pending`,
        rest: `${rest}&event_review_states=REVIEW_STATE_PENDING`,
      };
    case "feeds":
      return {
        cli: `wharf advisories export --group ${uid} --feed osv --to osv.zip`,
        rest: `/feeds/${uid}/osv/all.json`,
      };
    case "import":
      return { cli: `wharf advisories import FILES --group ${uid}` };
    default:
      return { cli: list, rest };
  }
}
