import { Link } from "@tanstack/react-router";
import type { RoleJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import {
  parentOf,
  rootOf,
  screenLink,
  useListSearch,
  useScreenLocation,
} from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { roleTexts } from "../../texts/roles.ts";
import { Described } from "../../ui/described.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { RoleDetails } from "./role.tsx";
import { CreateRole } from "./role-form.tsx";

const TABS = { builtin: roleTexts.builtIn, custom: roleTexts.custom } as const;

const FILTERS: readonly Filter[] = [{ name: "begins", label: roleTexts.search }];

/** The roles of an organization; or, where the URL names one, that role. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [{ role, begins = "" }] = useListSearch();
  const tab = useTab(TABS);
  const { can } = useAccess();
  if (role !== undefined) return <RoleDetails group={uid} uid={String(role)} />;
  const isCustom = tab === "custom";
  const create = can("roles.create", uid) ? (
    <CreateRole parent={uid} />
  ) : (
    <Withheld label={roleTexts.create} capability="roles.create" />
  );
  const columns: readonly Column<RoleJson>[] = [
    {
      header: texts.columns.name,
      sort: "name",
      cell: ({ uid: one = "", name, description }) => (
        <Described text={description}>
          <Link {...screenLink("roles", uid)} search={{ role: one } as never}>
            {name}
          </Link>
        </Described>
      ),
    },
    ...(isCustom ? CUSTOM : []),
    {
      header: texts.columns.capabilities,
      cell: ({ capabilities = [] }) => roleTexts.count(capabilities.length),
    },
  ];
  return (
    <Page
      title={texts.screens.roles}
      group={uid}
      command={{
        cli: isCustom
          ? `wharf iam roles list --custom --parent ${rootOf(uid)}`
          : "wharf iam roles list --managed",
        rest: isCustom
          ? `/iam/v2beta1/roles?uidp.descendants_of=${rootOf(uid)}`
          : "/iam/v2beta1/roles?uidp.in_root=true",
      }}
      actions={create}
    >
      <Tabs label={texts.screens.roles} tabs={TABS} />
      <ResourceList
        key={tab}
        label={TABS[tab]}
        method={api.roles.list}
        request={{
          uidp: isCustom ? { descendantsOf: rootOf(uid) } : { inRoot: true },
          namePrefix: String(begins),
        }}
        rows={({ roles }) => roles}
        columns={columns}
        filters={FILTERS}
        emptyTitle={roleTexts.empty}
        emptyText={roleTexts.emptyText}
        emptyAction={create}
      />
    </Page>
  );
}

const CUSTOM: readonly Column<RoleJson>[] = [
  {
    header: texts.columns.in,
    cell: ({ uid = "" }) => <GroupPath uid={parentOf(uid)} screen="roles" />,
  },
  {
    header: texts.columns.updated,
    sort: "update_time",
    cell: ({ updateTime }) => <Age time={updateTime} />,
    isExtra: true,
  },
];
