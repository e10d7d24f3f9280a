import { Link } from "@tanstack/react-router";
import type { GroupJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { screenLink, useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { organizationTexts } from "../../texts/organizations.ts";
import { CREATED } from "../../ui/created-column.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { CreateOrganization } from "./create-organization.tsx";

const COLUMNS: readonly Column<GroupJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ uid = "", name }) => <Link {...screenLink("folders", uid)}>{name}</Link>,
  },
  { header: texts.columns.description, cell: ({ description }) => description, isExtra: true },
  {
    header: texts.columns.verified,
    cell: ({ verified }) => (verified ? organizationTexts.yes : organizationTexts.no),
  },
  CREATED,
];

const FILTERS: readonly Filter[] = [{ name: "begins", label: organizationTexts.search }];

/** All organizations that the caller can see. */
export function Screen() {
  const [{ begins = "" }] = useListSearch();
  const create = <CreateOrganization />;
  return (
    <Page
      title={texts.screens.organizations}
      command={{
        cli: "wharf iam organizations list",
        rest: "/iam/v2beta1/groups?uidp.in_root=true",
      }}
      actions={create}
    >
      <ResourceList
        label={texts.screens.organizations}
        method={api.groups.list}
        request={{ uidp: { inRoot: true }, namePrefix: String(begins) }}
        filters={FILTERS}
        rows={({ groups }) => groups}
        columns={COLUMNS}
        emptyTitle={organizationTexts.empty}
        emptyText={organizationTexts.emptyText}
      />
    </Page>
  );
}
