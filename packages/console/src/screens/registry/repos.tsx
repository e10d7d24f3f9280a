import { Link } from "@tanstack/react-router";
import type { RepoJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { parentOf, screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { repoTexts } from "../../texts/registry.ts";
import { CREATED } from "../../ui/created-column.tsx";
import { Described } from "../../ui/described.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { Activity } from "./activity.tsx";
import { CreateRepo } from "./repo-dialogs.tsx";
import { Settings } from "./settings.tsx";

const FILTERS: readonly Filter[] = [
  { name: "name", label: texts.columns.name, hint: repoTexts.nameHint },
  { name: "where", label: repoTexts.where, options: repoTexts.wheres, all: repoTexts.whereDefault },
];

const TIERS: Readonly<Record<string, string>> = repoTexts.tiers;

function columnsAt(group: string): readonly Column<RepoJson>[] {
  return [
    {
      header: texts.columns.name,
      sort: "name",
      cell: ({ uid = "", name, description }) => (
        <Described text={description}>
          <Link {...screenLink("repo", uid)} className="with-icon">
            <Icon name="box" />
            {name}
          </Link>
        </Described>
      ),
    },
    {
      header: texts.columns.folder,
      cell: ({ uid = "" }) =>
        parentOf(uid) !== group && <GroupPath uid={parentOf(uid)} screen="repos" />,
      isExtra: true,
    },
    {
      header: texts.columns.tier,
      cell: ({ catalogTier = "CATALOG_TIER_UNSPECIFIED" }) =>
        catalogTier !== "CATALOG_TIER_UNSPECIFIED" && (TIERS[catalogTier] ?? catalogTier),
      isExtra: true,
    },
    CREATED,
    {
      header: texts.columns.updated,
      sort: "update_time",
      cell: ({ updateTime }) => <Age time={updateTime} />,
      isExtra: true,
    },
  ];
}

/** The repositories of a group and the folders below it, what happens in them, and their settings. */
export function Screen() {
  const { uid } = useScreenLocation();
  const { can } = useAccess();
  const tab = useTab(repoTexts.tabs);
  return (
    <Page
      title={texts.screens.repos}
      group={uid}
      command={{
        cli: `wharf repos list --parent ${uid} --recursive`,
        rest: `/registry/v2beta1/repos?uidp.descendants_of=${uid}`,
      }}
      actions={
        can("repo.create", uid) ? (
          <CreateRepo parent={uid} />
        ) : (
          <Withheld label={repoTexts.create} capability="repo.create" />
        )
      }
    >
      <Tabs label={repoTexts.label} tabs={repoTexts.tabs} />
      {tab === "repos" && <Repos group={uid} />}
      {tab === "activity" && <Activity resource={uid} />}
      {tab === "settings" && <Settings group={uid} />}
    </Page>
  );
}

function Repos({ group }: { readonly group: string }) {
  const [{ name, where }] = useListSearch();
  return (
    <ResourceList
      label={texts.screens.repos}
      method={api.repos.list}
      request={{
        uidp: where === "here" ? { childrenOf: group } : { descendantsOf: group },
        ...(name !== undefined && { namePrefix: String(name) }),
      }}
      filters={FILTERS}
      rows={({ repos }) => repos}
      columns={columnsAt(group)}
      emptyTitle={repoTexts.empty}
      emptyText={repoTexts.emptyText}
    />
  );
}
